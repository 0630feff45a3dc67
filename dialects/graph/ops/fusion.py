"""`graph.fusion`, ops that become one kernel, and its terminator `graph.yield`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import IsTerminator

from ...dims import Dim
from ...op_class import OpClass
from ...shape import Array
from ..op import GraphOp, SingleResultOp
from ..region import RegionOp, run_block

FUSION_NUMBER = "graph.fusion_number"
"""The name of the attribute that says which fusion of a model it is, for a library."""


@irdl_op_definition
class YieldOp(IRDLOperation, metaclass=OpClass):
    """
    The terminator of a region of the graph dialect, with the values that it yields.

    ```mlir
    graph.yield %0 : tensor<2x3xf32>
    ```
    """

    name = "graph.yield"

    values = var_operand_def(TensorType)

    traits = traits_def(IsTerminator())

    assembly_format = "$values attr-dict `:` type($values)"

    def __init__(self, *values: SSAValue | Operation):
        """The terminator that yields these values."""
        super().__init__(operands=[values])


@irdl_op_definition
class FusionOp(SingleResultOp, RegionOp):
    """
    The ops of a region, computed by one kernel that stores no intermediate values.

    ```mlir
    %2 = graph.fusion %0, %1 : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32> {
    ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
      %c = graph.add %a, %b : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
      %d = graph.relu %c : tensor<2x3xf32> -> tensor<2x3xf32>
      graph.yield %d : tensor<2x3xf32>
    }
    ```
    """

    name = "graph.fusion"

    inputs = var_operand_def(TensorType)
    body = region_def("single_block")

    @classmethod
    def of(cls, inputs: Sequence[SSAValue], body: Block) -> FusionOp:
        """The fusion with `body`, whose arguments are `inputs`."""
        assert isinstance(body.last_op, YieldOp)
        return cls.create(
            operands=inputs,
            result_types=[body.last_op.values[0].type],
            regions=[Region(body)],
        )

    def argument_types(self) -> Sequence[Attribute]:
        return self.operand_types

    def yield_types(self, block: Block) -> Sequence[Attribute]:
        return self.result_types

    def result_types_for(self) -> Sequence[Attribute]:
        return [self.root.type]

    @property
    def ops(self) -> Iterator[GraphOp]:
        """The ops of the region without the terminator."""
        for op in self.body.block.ops:
            if isinstance(op, GraphOp):
                yield op

    @property
    def root(self) -> SSAValue:
        """The value that the region yields."""
        return cast(YieldOp, self.body.block.last_op).values[0]

    def below(self) -> Dim | None:
        """As the op that makes the result says."""
        return self.root.owner.below() if isinstance(self.root.owner, GraphOp) else None

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """Runs the ops of the region in numpy."""
        return run_block(self.body.block, operands, symbols)
