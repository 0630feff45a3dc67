"""
What the calls of a program execute, found while it is compiled.

Ops of the graph are numbered where their kernels are decided. Each call of a kernel
then knows the number of its op, and sets that mark when it runs (`loop.traced`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.passes import ModulePass
from xdsl.traits import ConstantLike
from xdsl.utils.hints import isa

from ..dialects import tensor_type
from ..dialects.graph import (
    FUSION_NUMBER,
    TRACE,
    ControlOp,
    FusionOp,
    GraphOp,
    StoredOp,
    operator_name,
)
from ..dialects.loop import TRACED, CallOp, CallOutOp, KernelOp, element_type
from .codegen import kernel_name
from .passes import ParallelizeLoops, VerifyBuffers
from .selective import Operator, Selection, kernel_key, merge

_DTYPES = {
    "f32": "Float",
    "f64": "Double",
    "bf16": "BFloat16",
    "i1": "Bool",
    "i32": "Int",
    "i64": "Long",
}
"""PyTorch's names of element types."""


@dataclass
class Executed:
    """What runs where a mark is set."""

    family: str
    """The name of its kernels, after the ops that they compute."""

    operators: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The keys of operands and results of each op of the graph."""

    kernels: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """The dtypes of each kernel family."""

    features: set[str] = field(default_factory=set[str])

    fusion: int | None = None
    """The number of the fusion that it is, where a library is built."""

    is_called: bool = False
    """Whether a program calls something for it."""

    is_shared: bool = False
    """Whether threads may share the work of a call."""


@dataclass
class CallNotes:
    """What the calls of one program execute, by their marks."""

    executed: list[Executed] = field(default_factory=list[Executed])

    def after_pass(self, each: ModulePass, module: ModuleOp) -> None:
        """Looks at the module of a compile, after each pass of it."""
        match each:
            case VerifyBuffers():
                self._number(module)
            case ParallelizeLoops():
                self._add_kernels(module)
            case _:
                pass

    def of_call(self, op: CallOp) -> Executed:
        """What a call of a kernel executes."""
        number = op.attributes[TRACED]
        assert isa(number, IntegerAttr), "each call of a kernel has a number"
        return self.executed[number.value.data]

    def _number(self, module: ModuleOp) -> None:
        """Gives each op that becomes calls a number."""
        ops = (op for op in module.walk() if isinstance(op, GraphOp) and op.results)
        for op in ops:
            if op.IS_VIEW or isinstance(op, ControlOp | StoredOp):
                continue
            if op.has_trait(ConstantLike) or isinstance(op.parent_op(), FusionOp):
                continue
            op.attributes[TRACE] = IntegerAttr(len(self.executed), i64)
            made = Executed(kernel_name(op))
            if isa(number := op.attributes.get(FUSION_NUMBER), IntegerAttr):
                made.fusion = number.value.data
            for part in _parts(op):
                name, key = operator_name(part), _key_of(part)
                made.operators.setdefault(name, set()).add(key)
            self.executed.append(made)

    def _add_kernels(self, module: ModuleOp) -> None:
        """Notes the kernels that calls of each number run."""
        kernels = {
            op.sym_name.data: op for op in module.ops if isinstance(op, KernelOp)
        }
        for op in module.walk():
            number = op.attributes.get(TRACED)
            if not isa(number, IntegerAttr):
                continue
            made = self.executed[number.value.data]
            made.is_called = True
            if isinstance(op, CallOutOp):
                made.features.add("fallback")
            elif isinstance(op, CallOp):
                kernel = kernels[op.kernel_name]
                made.kernels.setdefault(made.family, set()).update(_dtypes_of(kernel))
                made.is_shared |= kernel.work is not None


def _parts(op: GraphOp) -> Iterator[GraphOp]:
    """The ops that one op computes: those of a fusion, or itself."""
    for each in op.ops if isinstance(op, FusionOp) else (op,):
        if not isinstance(each, StoredOp) and not each.has_trait(ConstantLike):
            yield each


def _key_of(op: GraphOp) -> str:
    """The dtypes and layouts of operands and results."""
    values = (*op.operands, *op.results)
    dtypes = (_DTYPES[str(tensor_type(each).element_type)] for each in values)
    return kernel_key(zip(dtypes, op.layouts(), strict=True))


def _dtypes_of(kernel: KernelOp) -> set[str]:
    """The dtypes of the buffers of a kernel."""
    buffers = kernel.body.block.args
    return {_DTYPES[str(element_type(each))] for each in buffers}


def selection_of(
    roots: Iterable[str], executed: Iterable[Executed], features: Iterable[str] = ()
) -> Selection:
    """What a model names and executes."""
    named = _operators(roots, is_root=True)
    parts = [
        Selection(
            operators=_operators(each.operators, is_root=False),
            kernel_metadata=_frozen(each.kernels),
            et_kernel_metadata=_frozen(each.operators),
            build_features=frozenset(each.features),
        )
        for each in executed
    ]
    shared = Selection(operators=named, build_features=frozenset(features))
    return merge([shared, *parts])


def _operators(names: Iterable[str], is_root: bool) -> dict[str, Operator]:
    """Operators that are selected by their names alone, for inference."""
    return dict.fromkeys(names, Operator(False, is_root, False))


def _frozen(sets: dict[str, set[str]]) -> dict[str, frozenset[str]]:
    """The same sets, which do not change."""
    return {name: frozenset(each) for name, each in sets.items()}
