"""`graph.parallel`: regions that all run, at once where there are threads for that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ...shape import Array
from ..region import ControlOp, run_block


@irdl_op_definition
class ParallelOp(ControlOp):
    """
    The values that several regions yield, in the order of the regions.

    All regions take the operands, and all run, in any order or at once.

    ```mlir
    %2:2 = graph.parallel %0, %1 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>, tensor<3xf32> {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      %c = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
      graph.yield %c : tensor<3xf32>
    } {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      %c = graph.exp %b : tensor<3xf32> -> tensor<3xf32>
      graph.yield %c : tensor<3xf32>
    }
    ```
    """

    name = "graph.parallel"

    captured = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    branches = var_region_def("single_block")

    @classmethod
    def of(cls, captured: Sequence[SSAValue], *blocks: Block) -> ParallelOp:
        """The op with a region for each block, whose arguments are `captured`."""
        ends = [block.last_op for block in blocks]
        return cls.create(
            operands=captured,
            result_types=[type for end in ends if end for type in end.operand_types],
            regions=[Region(block) for block in blocks],
        )

    @property
    def first_seen(self) -> int:
        """Regions see all operands."""
        return 0

    def argument_types(self) -> Sequence[Attribute]:
        return self.operand_types

    def yield_types(self, block: Block) -> Sequence[Attribute]:
        start = self._first_result(block)
        return self.result_types[start : start + self._count(block)]

    def result_types_for(self) -> Sequence[Attribute]:
        ends = [block.last_op for block in self.blocks]
        return [type for end in ends if end for type in end.operand_types]

    def memory_of(self, argument: BlockArgument) -> SSAValue | None:
        return self.operands[argument.index]

    def destination(self, block: Block, number: int) -> OpResult | None:
        return self.results[self._first_result(block) + number]

    def _first_result(self, block: Block) -> int:
        """The number of the result that is the first value of a region."""
        blocks = self.blocks
        return sum(self._count(each) for each in blocks[: blocks.index(block)])

    def _count(self, block: Block) -> int:
        """How many values a region yields."""
        end = block.last_op
        return 0 if end is None else len(end.operands)

    def verify_operands(self) -> None:
        if len(self.regions) < 2:
            raise VerifyException(
                f"expected two regions or more, got {len(self.regions)}"
            )

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """What the regions yield."""
        made = (run_block(each, operands, symbols) for each in self.blocks)
        return tuple(value for values in made for value in values)
