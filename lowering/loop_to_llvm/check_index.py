"""
Write the check of a buffer of indices: the kernel ends in an error at the first bad
one.

    error[0] = the index, error[1] = the least that is allowed, error[2] = the bound
"""

from __future__ import annotations

from ...dialects.loop.ops.check_index import CheckIndexOp
from ...dialects.loop.ops.memory import element_type
from .function import FunctionWriter
from .types import byte_count, type_text


def write_check(w: FunctionWriter, op: CheckIndexOp, buffer: str) -> None:
    """Adds a loop over the indices that returns 1 from the function at a bad one."""
    count, bound = (w.size(each) for each in op.sizes)
    start, apart = (w.size(each) for each in op.places)
    type = element_type(op.indices)
    text = type_text(type)
    least = "0"
    if op.wraps.value.data:
        least = w.emit(f"sub nsw i64 0, {bound}")
    bad, end = w.fresh("bad"), w.fresh("checked")
    head, step = w.fresh("check"), w.fresh("next")
    runs = w.emit(f"icmp slt i64 0, {count}")
    before = w.label
    w.do(f"br i1 {runs}, label %{head}, label %{end}")
    w.start(head)
    at, following = f"%{w.fresh('i')}", f"%{w.fresh('i')}"
    w.do(f"{at} = phi i64 [0, %{before}], [{following}, %{step}]")
    place = w.add(start, w.mul(at, apart))
    address = w.emit(f"getelementptr inbounds {text}, ptr {buffer}, i64 {place}")
    index = w.emit(f"load {text}, ptr {address}, align {byte_count(type)}")
    if text != "i64":
        index = w.emit(f"sext {text} {index} to i64")
    low = w.emit(f"icmp sge i64 {index}, {least}")
    high = w.emit(f"icmp slt i64 {index}, {bound}")
    good = w.emit(f"and i1 {low}, {high}")
    w.do(f"br i1 {good}, label %{step}, label %{bad}")
    w.start(bad)
    for place, value in enumerate((index, least, bound)):
        slot = w.emit(f"getelementptr inbounds i64, ptr %error, i64 {place}")
        w.do(f"store i64 {value}, ptr {slot}, align 8")
    w.do("ret i32 1")
    w.start(step)
    w.do(f"{following} = add nuw nsw i64 {at}, 1")
    more = w.emit(f"icmp slt i64 {following}, {count}")
    w.do(f"br i1 {more}, label %{head}, label %{end}")
    w.start(end)
