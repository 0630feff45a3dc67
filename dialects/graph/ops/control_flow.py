"""Control flow: `graph.if` and `graph.loop`, whose regions see only their arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    DenseArrayBase,
    IntegerAttr,
    StringAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, Region, SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    prop_def,
    region_def,
    var_operand_def,
    var_result_def,
)
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, evaluate
from ...shape import Array, dtype, sizes, tensor, tensor_type
from ..literal import to_attribute
from ..region import ControlOp, run_block

UNLIMITED = 2**63 - 1
"""The number of trips of a loop that only its condition ends."""


@irdl_op_definition
class IfOp(ControlOp):
    """
    The values that one of two regions yields: the first region when the condition is
    true.

    Both regions take the operands after the condition. Only the one that is chosen
    runs.

    ```mlir
    %2 = graph.if %0, %1 : tensor<i1>, tensor<3xf32> -> tensor<3xf32> {
    ^bb0(%a: tensor<3xf32>):
      %b = graph.neg %a : tensor<3xf32> -> tensor<3xf32>
      graph.yield %b : tensor<3xf32>
    } {
    ^bb0(%a: tensor<3xf32>):
      graph.yield %a : tensor<3xf32>
    }
    ```
    """

    name = "graph.if"

    condition = operand_def(TensorType)
    captured = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    then = region_def("single_block")
    otherwise = region_def("single_block")

    @classmethod
    def of(
        cls, condition: SSAValue, captured: Sequence[SSAValue], *blocks: Block
    ) -> IfOp:
        """The choice between two blocks, whose arguments are `captured`."""
        end = blocks[0].last_op
        assert end is not None
        return cls.create(
            operands=[condition, *captured],
            result_types=end.operand_types,
            regions=[Region(block) for block in blocks],
        )

    @property
    def first_seen(self) -> int:
        """Regions see all but the condition."""
        return 0

    def argument_types(self) -> Sequence[Attribute]:
        return self.operand_types[1:]

    def yield_types(self, block: Block) -> Sequence[Attribute]:
        return self.result_types

    def result_types_for(self) -> Sequence[Attribute]:
        end = self.then.block.last_op
        assert end is not None
        return end.operand_types

    def memory_of(self, argument: BlockArgument) -> SSAValue | None:
        return self.operands[1 + argument.index]

    def destination(self, block: Block, number: int) -> OpResult | None:
        return self.results[number]

    def verify_operands(self) -> None:
        _verify_condition(self.condition)

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """What the chosen region yields."""
        chosen = self.then if operands[0] else self.otherwise
        return run_block(chosen.block, operands[1:], symbols)


@irdl_op_definition
class LoopOp(ControlOp):
    """
    A region that runs up to `trips` times; carried values pass from trip to trip.

    The operands are, in order: the first condition, if the loop is `conditional`; the
    initial values of `carried` loop-carried values; `scanned` tensors, each trip seeing
    one element of the first axis; and captured tensors, which every trip sees whole.
    The region yields the next condition, if `conditional`, the next carried values, and
    elements that are stacked along a new first axis. The results are the final carried
    values, and the stacks. `backward` has a 1 for each scanned operand, then for each
    stack, that runs from the last element to the first. When the condition ends a loop
    early, the rest of a stack is undefined.

    It is ONNX's Loop and Scan, and ATen's `while_loop`; a loop that only its condition
    ends has 2**63 - 1 trips.

    ```mlir
    %3:2 = graph.loop %0, %1, %2 {trips = "5", carried = 1 : i64, scanned = 1 : i64, conditional = false, backward = array<i64: 0, 0>} : tensor<3xf32>, tensor<5x3xf32>, tensor<3xf32> -> tensor<3xf32>, tensor<5x3xf32> {
    ^bb0(%sum: tensor<3xf32>, %x: tensor<3xf32>, %w: tensor<3xf32>):
      %a = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
      %b = graph.add %sum, %a : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
      graph.yield %b, %a : tensor<3xf32>, tensor<3xf32>
    }
    ```
    """

    name = "graph.loop"

    DIM_PROPERTIES: ClassVar = ("trips",)

    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    trips = prop_def(StringAttr)
    carried = prop_def(IntegerAttr.constr(i64))
    scanned = prop_def(IntegerAttr.constr(i64))
    conditional = prop_def(IntegerAttr.constr(i1))
    backward = prop_def(DenseArrayBase.constr(i64))

    @classmethod
    def of(
        cls,
        body: Block,
        trips: Dim,
        condition: SSAValue | None = None,
        carried: Sequence[SSAValue] = (),
        scanned: Sequence[SSAValue] = (),
        captured: Sequence[SSAValue] = (),
        backward: Sequence[bool] | None = None,
    ) -> LoopOp:
        """
        The loop of `body`, whose arguments are the carried values, an element of each
        scanned operand, and the captured values.
        """
        end = body.last_op
        assert end is not None
        first = 0 if condition is None else 1
        stacked = len(end.operands) - first - len(carried)
        if backward is None:
            backward = [False] * (len(scanned) + stacked)
        properties = {
            "trips": to_attribute(str(trips)),
            "carried": to_attribute(len(carried)),
            "scanned": to_attribute(len(scanned)),
            "conditional": to_attribute(condition is not None),
            "backward": DenseArrayBase.from_list(i64, [int(each) for each in backward]),
        }
        last = [each.type for each in end.operands[first:]]
        stacks = [_stack_type(each, trips) for each in last[len(carried) :]]
        given = [] if condition is None else [condition]
        return cls.create(
            operands=[*given, *carried, *scanned, *captured],
            result_types=[*last[: len(carried)], *stacks],
            properties=properties,
            regions=[Region(body)],
        )

    @property
    def limit(self) -> Dim:
        """The maximum number of trips."""
        return dim(self.trips.data)

    @property
    def first(self) -> int:
        """
        The number of conditions among the operands, and among the yielded values: 0 or
        1.
        """
        return int(bool(self.conditional.value.data))

    @property
    def carried_count(self) -> int:
        """The number of loop-carried values."""
        return self.carried.value.data

    @property
    def scanned_count(self) -> int:
        """The number of scanned operands."""
        return self.scanned.value.data

    @property
    def condition(self) -> SSAValue | None:
        """The condition of the first trip."""
        return self.operands[0] if self.first else None

    @property
    def first_seen(self) -> int:
        """The operands after the scanned ones are seen whole."""
        return self.carried_count + self.scanned_count

    def is_backward(self, number: int) -> bool:
        """Whether a scanned operand, or a stack numbered after these, runs backward."""
        return bool(self.backward.get_values()[number])

    def scanned_operand(self, argument: BlockArgument) -> SSAValue | None:
        """The scanned operand that an argument is an element of."""
        number = argument.index - self.carried_count
        if 0 <= number < self.scanned_count:
            return self.operands[self.first + argument.index]
        return None

    def argument_types(self) -> Sequence[Attribute]:
        types = list(self.operand_types[self.first :])
        start = self.carried_count
        for number in range(start, start + self.scanned_count):
            types[number] = unstacked_type(types[number])
        return types

    def yield_types(self, block: Block) -> Sequence[Attribute]:
        count = self.carried_count
        elements = [unstacked_type(each) for each in self.result_types[count:]]
        condition = [tensor(i1)] * self.first
        return [*condition, *self.result_types[:count], *elements]

    def result_types_for(self) -> Sequence[Attribute]:
        end = self.body.block.last_op
        assert end is not None
        carried = self.operand_types[self.first : self.first + self.carried_count]
        stacked = end.operand_types[self.first + self.carried_count :]
        return [*carried, *(_stack_type(each, self.limit) for each in stacked)]

    def memory_of(self, argument: BlockArgument) -> SSAValue | None:
        if argument.index < self.carried_count:
            return self.results[argument.index]
        if self.scanned_operand(argument) is not None:
            return None
        return self.operands[self.first + argument.index]

    def destination(self, block: Block, number: int) -> OpResult | None:
        return self.results[number - self.first] if number >= self.first else None

    def verify_operands(self) -> None:
        needed = self.first + self.carried_count + self.scanned_count
        if len(self.operands) < needed:
            raise VerifyException(
                f"expected {needed} operands or more, got {len(self.operands)}"
            )
        if (condition := self.condition) is not None:
            _verify_condition(condition)
        stacks = len(self.results) - self.carried_count
        if len(self.backward.get_values()) != self.scanned_count + stacks:
            raise VerifyException(
                f"expected {self.scanned_count + stacks} numbers in backward, got "
                f"{len(self.backward.get_values())}"
            )
        start = self.first + self.carried_count
        for value in self.operands[start : start + self.scanned_count]:
            shape = sizes(tensor_type(value))
            if not shape or shape[0] != self.limit:
                raise VerifyException(
                    f"expected {self.limit} elements to scan, got {value.type}"
                )

    def run_reference(
        self, operands: Sequence[Array], symbols: Mapping[str, int]
    ) -> tuple[Array, ...]:
        """Runs the loop in numpy."""
        limit = _size_value(self.limit, symbols)
        goes_on = bool(operands[0]) if self.first else True
        values = list(operands[self.first :])
        count, scanned = self.carried_count, self.scanned_count
        carried, rest = values[:count], values[count + scanned :]
        stacks = [
            np.zeros([_size_value(each, symbols) for each in sizes(type)], dtype(type))
            for type in map(tensor_type, self.result_types[count:])
        ]
        trip = 0
        while goes_on and trip < limit:
            at = [
                limit - 1 - trip if self.is_backward(number) else trip
                for number in range(scanned + len(stacks))
            ]
            elements = [
                each[index] for each, index in zip(values[count:], at[:scanned])
            ]
            results = run_block(self.body.block, [*carried, *elements, *rest], symbols)
            goes_on = bool(results[0]) if self.first else True
            carried = list(results[self.first : self.first + count])
            made = results[self.first + count :]
            for stack, index, element in zip(stacks, at[scanned:], made, strict=True):
                stack[index] = element
            trip += 1
        return (*carried, *stacks)


def _verify_condition(value: SSAValue) -> None:
    """Raises `VerifyException` unless the value is one boolean."""
    if value.type != tensor(i1):
        raise VerifyException(f"expected a condition tensor<i1>, got {value.type}")


def _stack_type(element: Attribute, trips: Dim) -> TensorType[Attribute]:
    """The type of `trips` elements stacked along a new first axis."""
    type = tensor_type(element)
    return tensor(type.element_type, trips, *sizes(type))


def unstacked_type(stack: Attribute | SSAValue) -> TensorType[Attribute]:
    """The type of an element along the first axis of a stack."""
    type = tensor_type(stack)
    return tensor(type.element_type, *sizes(type)[1:])


def _size_value(size: Dim, symbols: Mapping[str, int]) -> int:
    """The value of a size when its symbols have these values."""
    number = evaluate(size, symbols)
    assert isinstance(number, int), "every symbol has a value"
    return number
