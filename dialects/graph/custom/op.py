"""`CustomOp`: the base class of ops that users bring."""

from __future__ import annotations

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, OptOperandDef, VarOperandDef
from xdsl.utils.exceptions import VerifyException

from ...shape import Array
from ..location import describe
from ..nest import Nest
from ..op import GraphOp
from .kernels import (
    Kernel,
    LlvmKernel,
    Native,
    NativeKernel,
    NestKernel,
    PythonKernel,
    symbol_of,
)


class CustomOp(GraphOp, ABC):
    """An op that a user brings: `infer` and `KERNELS`, or `reference`, or both."""

    KERNELS: ClassVar[Sequence[Kernel]] = ()
    """The kernels, in the order in which they are tried."""

    def _set(
        self,
        operands: Sequence[SSAValue],
        results: Sequence[Attribute],
        properties: Mapping[str, Attribute],
    ) -> None:
        """Sets what the op has, as its definition groups and counts operands."""
        IRDLOperation.__init__(
            self,
            operands=self.group_operands(operands),
            result_types=results,
            properties=properties,
        )

    @classmethod
    def group_operands(cls, operands: Sequence[SSAValue]) -> Sequence[Any]:
        """`operands` as the definition groups them: the last may be several or none."""
        definitions = cls.get_irdl_definition().operands
        if definitions and isinstance(
            definitions[-1][1], VarOperandDef | OptOperandDef
        ):
            fixed = len(definitions) - 1
            return [*operands[:fixed], list(operands[fixed:])]
        return operands

    def reference(self, *operands: Any, **properties: Any) -> Any:
        """The meaning of the op in numpy, if it says so."""
        raise NotImplementedError(f"{self.name} has no reference")

    @property
    def has_reference(self) -> bool:
        """Whether the op can be computed by Python code, as constants are folded."""
        has_own = type(self).reference is not CustomOp.reference
        return has_own or isinstance(self.kernel, PythonKernel)

    @property
    def kernel(self) -> Kernel | None:
        """The first kernel that accepts the op, if any."""
        accepting = (each for each in self.KERNELS if each.refusal(self) is None)
        return next(accepting, None)

    def nests(self) -> Sequence[Nest] | None:
        kernel = self.kernel
        return kernel.build(self) if isinstance(kernel, NestKernel) else None

    def native(self) -> Native | None:
        """The function that computes the op, where a kernel is one."""
        match self.kernel:
            case LlvmKernel() as each:
                text = each.text if isinstance(each.text, str) else each.text(self)
                return Native(each.function, text, tuple(each.arguments(self)))
            case NativeKernel() as each:
                given = tuple(each.arguments(self))
                each.check_types(self.name, len((*self.operands, *self.results)), given)
                return Native(symbol_of(self.name, each), "", given)
            case _:
                return None

    @property
    def has_kernel(self) -> bool:
        """Whether a kernel is compiled, or called as it is."""
        return self.native() is not None or super().has_kernel

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """
        Runs the Python kernel, where that was chosen; else the reference. What it takes
        are copies, which it may write to.
        """
        operands = [np.array(each) for each in operands]
        if not isinstance(kernel := self.kernel, PythonKernel):
            return super().run_reference(operands, symbols)
        values = self.reference_values(symbols)
        results: Array | tuple[Array, ...] = kernel.function(*operands, **values)
        return results if isinstance(results, tuple) else (results,)

    def check_runs(self) -> None:
        """Raises `VerifyException` where nothing computes the op, with all reasons."""
        if self.kernel is None and not self.has_reference:
            why = [f"{each.label}: {each.refusal(self)}" for each in self.KERNELS]
            raise VerifyException(
                f"{describe(self)}: expected a kernel that accepts the op, got "
                + "; ".join([*why, "no reference"])
            )


def can_fold(op: GraphOp) -> bool:
    """Whether the op, and what is inside of it, has a reference."""
    return all(each.has_reference for each in op.walk() if isinstance(each, CustomOp))
