"""Write the call by which a bundle places slots, and the tables that it needs."""

from __future__ import annotations

from collections.abc import Iterable

from ....dialects.loop import ProgramOp
from ..text.function import FunctionWriter


def write_tables(program: ProgramOp) -> str:
    """The constants of the slots of a program: first and last steps, and orders."""
    return "".join(
        (
            _table("firsts", 64, (each.first.data for each in program.slots)),
            _table("lasts", 64, (each.last.data for each in program.slots)),
            _table(
                "orders", 32, (n.data for each in program.plan.orders for n in each)
            ),
        )
    )


def write_placing(
    w: FunctionWriter, program: ProgramOp, sizes: str, offsets: str
) -> str:
    """Writes the call that places the slots; the bytes that they take."""
    count, known = len(program.slots), len(program.plan.orders)
    return w.emit(
        f"call i64 @sr_place(ptr {sizes}, ptr @firsts, ptr @lasts, ptr @orders, "
        f"i64 {count}, i64 {known}, ptr {offsets})"
    )


def _table(name: str, bits: int, numbers: Iterable[int]) -> str:
    """A constant array of integers of so many bits."""
    texts = [f"i{bits} {each}" for each in numbers]
    values = ", ".join(texts)
    return f"@{name} = internal constant [{len(texts)} x i{bits}] [{values}]\n"
