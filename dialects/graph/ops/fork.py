"""`graph.fork`: a region that may run beside what comes after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ArrayAttr, TensorType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.irdl import (
    base,
    irdl_op_definition,
    region_def,
    result_def,
    var_operand_def,
)

from ...shape import Array
from ..container import FutureType
from ..region import RegionOp, run_block


@irdl_op_definition
class ForkOp(RegionOp):
    """
    The future of the values that a region yields, whose arguments are the operands.

    The region runs beside the ops between the fork and the first wait, or before, or
    after them: no op of it is seen by these. What no wait asks for does not run. An
    operand may be a future, which the region waits for.

    ```mlir
    %1 = graph.fork %0 : tensor<3xf32> -> !graph.future<tensor<3xf32>> {
    ^bb0(%a: tensor<3xf32>):
      %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
      graph.yield %b : tensor<3xf32>
    }
    ```
    """

    name = "graph.fork"

    inputs = var_operand_def(base(TensorType) | base(FutureType))
    result = result_def(FutureType)
    body = region_def("single_block")

    @classmethod
    def of(cls, inputs: Sequence[SSAValue], body: Block) -> ForkOp:
        """The fork of `body`, whose arguments are `inputs`."""
        end = body.last_op
        assert end is not None
        return cls.create(
            operands=inputs,
            result_types=[FutureType(ArrayAttr(end.operand_types))],
            regions=[Region(body)],
        )

    def argument_types(self) -> Sequence[Attribute]:
        return self.operand_types

    def yield_types(self, block: Block) -> Sequence[Attribute]:
        type = self.result.type
        assert isinstance(type, FutureType)
        return type.elements.data

    def result_types_for(self) -> Sequence[Attribute]:
        end = self.body.block.last_op
        assert end is not None
        return [FutureType(ArrayAttr(end.operand_types))]

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Any, ...]:
        """What the region yields, as one value."""
        return (run_block(self.body.block, operands, symbols),)
