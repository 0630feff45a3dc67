"""`graph.foreign`: a node of another framework, which that framework runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    StringAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    prop_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim
from ...shape import DTYPES, Array, Tensor, sizes, tensor
from ..frameworks.registry import Run, as_arrays, load_node
from ..literal import to_names
from ..op import GraphOp

_TAKEN = [type for type, dtype in DTYPES.items() if dtype.kind != "V"]
"""The elements that numpy has numbers of, as frameworks take them."""


@irdl_op_definition
class ForeignOp(GraphOp):
    """
    What a framework computes of the operands by its own implementation.

    `node` is the node as the framework writes it, and `requires` names what must be
    importable to run it. Results have `elements`, and `ranks` dimensions each, in order
    of `shapes`. `numbers` are dimensions that the node is given as well.

    ```mlir
    %1 = graph.foreign %0 {framework = "onnx.reference", op = "Det", node = "Cgp=", requires = [], shapes = ["n"], ranks = array<i64: 1>, elements = [f32], numbers = []} : tensor<?x3x3xf32, ["n"]> -> tensor<?xf32, ["n"]>
    ```
    """

    name = "graph.foreign"

    DIM_PROPERTIES: ClassVar = ("shapes", "numbers")

    inputs = var_operand_def(TensorType)
    framework = prop_def(StringAttr)
    op = prop_def(StringAttr)
    node = prop_def(StringAttr)
    requires = prop_def(ArrayAttr[StringAttr])
    shapes = prop_def(ArrayAttr[StringAttr])
    ranks = prop_def(DenseArrayBase)
    elements = prop_def(ArrayAttr[Attribute])
    numbers = prop_def(ArrayAttr[StringAttr])
    outputs = var_result_def(TensorType)

    @classmethod
    def infer(
        cls,
        *inputs: Tensor,
        framework: str,
        op: str,
        node: str,
        requires: tuple[str, ...],
        shapes: tuple[str, ...],
        ranks: tuple[int, ...],
        elements: tuple[Any, ...],
        numbers: tuple[str, ...],
    ) -> tuple[Tensor, ...]:
        if len(ranks) != len(elements) or sum(ranks) != len(shapes):
            raise VerifyException(
                f"expected a rank for each of {len(elements)} results, which add up to "
                f"{len(shapes)} dimensions, got {[*ranks]}"
            )
        if unknown := [str(each) for each in elements if each not in _TAKEN]:
            known = ", ".join(map(str, _TAKEN))
            raise VerifyException(
                f"expected elements of {known}, got {', '.join(unknown)}"
            )
        left = iter(map(dim, shapes))
        return tuple(
            tensor(element, *(next(left) for _ in range(rank)))
            for rank, element in zip(ranks, elements, strict=True)
        )

    @classmethod
    def of(
        cls,
        operands: Sequence[SSAValue],
        framework: str,
        op: str,
        node: str,
        requires: Sequence[str],
        types: Sequence[Tensor],
        numbers: Sequence[Dim] = (),
    ) -> ForeignOp:
        """The node that gives results of these types."""
        shapes = [*map(sizes, types)]
        ranks = DenseArrayBase.from_list(i64, [*map(len, shapes)])
        return cls.create(
            operands=operands,
            result_types=types,
            properties={
                "framework": StringAttr(framework),
                "op": StringAttr(op),
                "node": StringAttr(node),
                "requires": ArrayAttr(map(StringAttr, requires)),
                "shapes": to_names([size for each in shapes for size in each]),
                "ranks": ranks,
                "elements": ArrayAttr([each.element_type for each in types]),
                "numbers": to_names(numbers),
            },
        )

    def reference(self, *inputs: Array, **properties: Any) -> tuple[Array, ...]:
        # Loaded at the first call, for all of them.
        if (run := _loaded.get(self)) is None:
            requires = [each.data for each in self.requires]
            run = load_node(self.framework.data, self.node.data, requires)
            _loaded[self] = run
        copies = [np.array(each) for each in inputs]  # It may write to them.
        return as_arrays(run(copies, properties["numbers"]))


_loaded: WeakKeyDictionary[ForeignOp, Run] = WeakKeyDictionary()
"""What runs the node of an op."""
