"""What memory a buffer is, and what a program says of its memory, verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import ArrayAttr, i32, i64
from xdsl.ir import Block, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...shape import Tensor
from ..interface import DonationAttr, may_be_one
from ..skip import SkipAttr
from ..storage import ConstantAttr, PlanAttr, SlotAttr
from .memory import buffer_type
from .program_calls import CallOp, ViewOp
from .program_flow import ElementOp


def verify_memory(
    constants: Iterable[ConstantAttr], slots: ArrayAttr[SlotAttr], plan: PlanAttr
) -> None:
    """Constants do not overlap, and slots lie and live within the plan."""
    end = 0
    # What is empty may begin where another does.
    for constant in sorted(
        constants, key=lambda each: (each.offset.data, each.size.data)
    ):
        if constant.offset.data < end:
            raise VerifyException(
                f"expected constants side by side, got {constant}, and another up to "
                f"byte {end}"
            )
        end = constant.end
    for order in plan.orders:
        if len(order) != len(slots):
            raise VerifyException(
                f"expected orders of {len(slots)} slots, got one of {len(order)}"
            )
    for slot in slots:
        if slot.last.data >= plan.steps.data:
            raise VerifyException(
                f"expected slots that live within {plan.steps.data} steps, got {slot}"
            )
        size = slot.size
        if slot.is_planned and isinstance(size, int):
            if slot.offset.data + size > plan.bytes.data >= 0:
                raise VerifyException(
                    f"expected slots within {plan.bytes.data} bytes, got {slot}"
                )


def verify_donations(
    donations: Iterable[DonationAttr],
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
) -> None:
    """A donated input has as many elements as the output, of the same type."""
    for each in donations:
        types: list[Tensor] = []
        for known, number in (
            (inputs, each.input.data),
            (outputs, each.output.data),
        ):
            if number >= len(known):
                raise VerifyException(
                    f"expected a donation of {len(known)} tensors, got number {number}"
                )
            types.append(known[number])
        given, made = types
        if not may_be_one(given, made):
            raise VerifyException(
                f"expected a donation between tensors of one size, got {given} and {made}"
            )


def verify_skips(
    skips: Iterable[SkipAttr], calls: Block, slots: ArrayAttr[SlotAttr]
) -> None:
    """Slots may be memory that there is, and calls name slots that may be skipped."""
    skips = [*skips]
    skipped = dict.fromkeys(each.slot.data for each in skips)
    known: set[int] = set()
    for each in skips:
        numbers = [each.slot.data]
        if each.region.data == "activations":
            numbers.append(each.number.data)
        if max(numbers) >= len(slots) or len({*numbers}) != len(numbers):
            raise VerifyException(
                f"expected a skip between two of {len(slots)} slots, got {each}"
            )
        if any(number in skipped.keys() - known for number in numbers[1:]):
            raise VerifyException(
                f"expected the skips of slot {numbers[1]} before what may be that slot, "
                f"got {each} first"
            )
        known.add(numbers[0])
    for op in calls.walk():
        if isinstance(op, CallOp) and op.skip is not None:
            if op.skip.value.data >= len(skipped):
                raise VerifyException(
                    f"expected a skip of {len(skipped)}, got {op.skip.value.data}"
                )
            slot = [*skipped][op.skip.value.data]
            for each in skips:
                if each.slot.data == slot and each.is_on_data:
                    _verify_indices(each, op)


def _verify_indices(skip: SkipAttr, call: CallOp) -> None:
    """The call has the indices that decide whether it is made."""
    types, number = call.buffers.types, skip.indices.data
    known = [buffer_type(each) for each in (i32, i64)]
    if number >= len(types) or types[number] not in known:
        got = types[number] if number < len(types) else f"{len(types)} buffers"
        raise VerifyException(
            f"expected indices of i32 or i64 in buffer {number} of @{call.kernel_name}, "
            f"got {got}"
        )


def memory_of(buffer: SSAValue) -> tuple[str, int]:
    """The region and the number of the memory that a buffer is, or is an element of."""
    while isinstance(buffer.owner, ElementOp):
        buffer = buffer.owner.buffer
    view = buffer.owner
    assert isinstance(view, ViewOp), "a program works on views and their elements"
    return view.region.data, view.number.value.data
