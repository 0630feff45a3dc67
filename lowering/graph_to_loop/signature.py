"""
What a program says of itself, read off its planned function: tensors, ranges, memory.

The passes before wrote it beside the function and its ops, in attributes of the graph
dialect; here it becomes the entries of `loop.program`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, OpResult
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ...dialects.graph import (
    ControlOp,
    MemoryMap,
    WeightOp,
    describe,
    ops_in,
    tensor_names,
)
from ...dialects.graph.storage import (
    BUFFERS,
    LIFETIMES,
    BufferAttr,
    LifetimeAttr,
    buffer_of,
)
from ...dialects.loop import ConstantAttr, PlanAttr, SlotAttr, TensorAttr


class Storage:
    """The constants and slots of a function, in the order of their numbers."""

    def __init__(self, function: func.FuncOp, memory: MemoryMap):
        """What the buffers and lifetimes of the function's results say."""
        constants: dict[int, ConstantAttr] = {}
        slots: dict[int, SlotAttr] = {}
        self.steps = 0
        """How many steps lifetimes count: each op, and the end of one with regions."""
        for op in ops_in(function.body.block):
            self.steps += 2 if isinstance(op, ControlOp) else 1
            if BUFFERS not in op.attributes:
                continue
            for result in op.results:
                buffer = buffer_of(result)
                owns = memory.owner_of(result) is result
                if buffer.region_name == "activations" and owns:
                    slots[buffer.slot.data] = slot(buffer, result)
                if isinstance(op, WeightOp):
                    constants[buffer.slot.data] = constant(buffer, op)
        self.constants = [constants[each] for each in sorted(constants)]
        self.slots = [slots[each] for each in sorted(slots)]
        self.numbers = {
            "constants": {number: at for at, number in enumerate(sorted(constants))},
            "activations": {number: at for at, number in enumerate(sorted(slots))},
        }

    def number_of(self, buffer: BufferAttr) -> tuple[str, int]:
        """The region of a buffer, and which of the region's it is."""
        region, number = buffer.region_name, buffer.slot.data
        if (known := self.numbers.get(region)) is None:
            return region, number
        if number not in known:
            raise VerifyException(
                f"expected a result whose buffer is slot {number} of {region}, "
                "got none; run assign-buffers first"
            )
        return region, known[number]


def slot(buffer: BufferAttr, result: OpResult) -> SlotAttr:
    """The slot of a result, which lives as `analyze-aliases` wrote beside its op."""
    op = result.op
    lives = op.attributes.get(LIFETIMES)
    if not isa(lives, ArrayAttr[LifetimeAttr]) or len(lives) != len(op.results):
        raise VerifyException(
            f"expected {LIFETIMES} of {op.name} for each result, got "
            f"{lives or 'none'}; run analyze-aliases first"
        )
    life = lives.data[result.index]
    # A message about memory is about sizes of a call; else there is none to name it in.
    source = "" if isinstance(buffer.size, int) else describe(op)
    return SlotAttr.of(
        buffer.size, buffer.offset.data, life.first.data, life.last.data, source
    )


def constant(buffer: BufferAttr, op: WeightOp) -> ConstantAttr:
    """The constant that a weight is."""
    assert isinstance(op.bytes, int), "the shape of a weight is known"
    return ConstantAttr.of(op.key.data, buffer.offset.data, op.bytes)


def plan_of(function: func.FuncOp, steps: int) -> PlanAttr:
    """The plan that `assign-buffers` wrote, for lifetimes of `steps` steps."""
    known = function.attributes.get("graph.plan")
    entries: Mapping[str, Attribute] = (
        known.data if isinstance(known, DictionaryAttr) else {}
    )
    branches = _rows(entries.get("branches"))
    names = ("planner", "bytes", "lower_bound")
    match [entries.get(each) for each in names]:
        case StringAttr(planner), IntegerAttr() as bytes, IntegerAttr() as bound:
            bytes_of_plan = bytes.value.data, bound.value.data
            return PlanAttr.of(planner, steps, *bytes_of_plan, branches=branches)
        case StringAttr(planner), None, None:
            orders = _rows(entries.get("orders"))
            return PlanAttr.of(planner, steps, orders=orders, branches=branches)
        case _:
            raise VerifyException(
                f"expected graph.plan of function {function.sym_name.data}, got "
                f"{known or 'none'}; run assign-buffers first"
            )


def _rows(known: Attribute | None) -> Sequence[Sequence[int]]:
    """The rows of integers that `assign-buffers` wrote, if any."""
    if not isa(known, ArrayAttr[DenseArrayBase]):
        return ()
    rows = (cast("DenseArrayBase[IntegerType]", each) for each in known)
    return [each.get_values() for each in rows]


def tensors_of(function: func.FuncOp) -> tuple[list[TensorAttr], list[TensorAttr]]:
    """The inputs and outputs of a function, with their names."""
    end = function.body.block.last_op
    assert isinstance(end, func.ReturnOp)
    inputs = [each.type for each in function.body.block.args]
    outputs = [each.type for each in end.operands]
    return named(function, "input", inputs), named(function, "output", outputs)


def named(
    function: func.FuncOp, kind: str, types: Sequence[Attribute]
) -> list[TensorAttr]:
    """Tensors with the names that the function has for them, or else their numbers."""
    names = tensor_names(function, kind, len(types))
    return [TensorAttr.of(*each) for each in zip(names, types, strict=True)]
