"""
Write the check of a buffer of indices, and each index where it is used.

The kernel ends in an error at the first bad index:

    error[0] = the index, error[1] = the least that is allowed, error[2] = the bound
"""

from __future__ import annotations

from xdsl.dialects.builtin import IndexType, i1, i32, i64
from xdsl.ir import Attribute

from ....dialects.loop import (
    CheckIndexOp,
    ClampIndexOp,
    byte_count,
    element_type,
)
from ..text.element_width import widened
from ..text.function import FunctionWriter
from ..text.types import Value, memory_text, type_text

_MAX_INT32 = 2**31 - 1
"""The greatest bound whose indices fit 32 bits."""


def write_check(w: FunctionWriter, op: CheckIndexOp, buffer: str) -> None:
    """Writes a loop over the indices that returns 1 from the function at a bad one."""
    count, bound = (w.size(each) for each in op.sizes)
    start, apart = (w.size(each) for each in op.range)
    type = element_type(op.indices)
    least = "0"
    if op.wraps.value.data:
        least = w.emit(f"sub nsw i64 0, {bound}")
    bad, end = w.fresh("bad"), w.fresh("checked")
    head, step = w.fresh("check"), w.fresh("next")
    first = "0"
    if op.vectors is not None:
        part, limits = (start, count), (least, bound)
        first = _write_vectors(w, type, buffer, part, limits, op.vectors)
    runs = w.emit(f"icmp slt i64 {first}, {count}")
    before = w.label
    w.do(f"br i1 {runs}, label %{head}, label %{end}")
    w.start(head)
    at, following = f"%{w.fresh('i')}", f"%{w.fresh('i')}"
    w.do(f"{at} = phi i64 [{first}, %{before}], [{following}, %{step}]")
    offset = w.add(start, w.mul(at, apart))
    index = read(w, buffer, type, offset).text
    low = w.emit(f"icmp sge i64 {index}, {least}")
    high = w.emit(f"icmp slt i64 {index}, {bound}")
    good = w.emit(f"and i1 {low}, {high}")
    w.do(f"br i1 {good}, label %{step}, label %{bad}")
    w.start(bad)
    for number, value in enumerate((index, least, bound)):
        slot = w.emit(f"getelementptr inbounds i64, ptr %error, i64 {number}")
        w.do(f"store i64 {value}, ptr {slot}, align 8")
    w.do("ret i32 1")
    w.start(step)
    w.do(f"{following} = add nuw nsw i64 {at}, 1")
    more = w.emit(f"icmp slt i64 {following}, {count}")
    w.do(f"br i1 {more}, label %{head}, label %{end}")
    w.start(end)


def _write_vectors(
    w: FunctionWriter,
    type: Attribute,
    buffer: str,
    part: tuple[str, str],
    limits: tuple[str, str],
    vectors: tuple[int, int],
) -> str:
    """
    Adds a loop over whole vectors of indices in a row, up to the first with a bad one.

    Returns how many indices are known to be good.
    """
    (start, count), (least, bound), (lanes, unroll) = part, limits, vectors
    # Counted from the least that is allowed, one that is too low is a large number.
    width = w.emit(f"sub i64 {bound}, {least}")
    low, high = (w.splat(Value(each, i64), lanes) for each in (least, width))
    head, body, step, end = (w.fresh(each) for each in ("blocks", "block", "on", "few"))
    before = w.label
    w.do(f"br label %{head}")
    w.start(head)
    at, following = f"%{w.fresh('i')}", f"%{w.fresh('i')}"
    w.do(f"{at} = phi i64 [0, %{before}], [{following}, %{step}]")
    w.do(f"{following} = add nuw nsw i64 {at}, {lanes * unroll}")
    fits = w.emit(f"icmp sle i64 {following}, {count}")
    w.do(f"br i1 {fits}, label %{body}, label %{end}")
    w.start(body)
    first = w.add(start, at)
    found = "zeroinitializer"
    for number in range(unroll):
        offset = w.add(first, str(number * lanes))
        index = read(w, buffer, type, offset, lanes)
        counted = w.value(f"sub {index.typed}, {low.text}", i64, lanes)
        bad = w.emit(f"icmp uge {counted.typed}, {high.text}")
        found = w.emit(f"or {type_text(i1, lanes)} {found}, {bad}")
    some = w.emit(
        f"call i1 @llvm.vector.reduce.or.v{lanes}i1({type_text(i1, lanes)} {found})"
    )
    w.do(f"br i1 {some}, label %{end}, label %{step}")
    w.start(step)
    w.do(f"br label %{head}")
    w.start(end)
    return at


def read(
    w: FunctionWriter, buffer: str, type: Attribute, offset: str, lanes: int = 1
) -> Value:
    """Loads indices, as i64."""
    element, many = memory_text(type), memory_text(type, lanes)
    address = w.emit(f"getelementptr inbounds {element}, ptr {buffer}, i64 {offset}")
    index = w.emit(f"load {many}, ptr {address}, align {byte_count(type)}")
    return _widen(w, widened(w, index, type, lanes))


def _widen(w: FunctionWriter, index: Value) -> Value:
    """Indices as i64."""
    if index.type == i64:
        return index
    to = type_text(i64, index.lanes)
    return w.value(f"sext {index.typed} to {to}", i64, index.lanes)


def write_clamp(w: FunctionWriter, op: ClampIndexOp, value: Value) -> Value:
    """
    Writes an index for each integer, one lane after the other.

    Addresses are scalars: from vectors, each index would have to be taken out again.
    """
    if value.lanes == 1:
        return Value(clamp(w, op, value), IndexType())
    result, vector = "poison", type_text(IndexType(), value.lanes)
    for lane in range(value.lanes):
        one = w.value(f"extractelement {value.typed}, i64 {lane}", value.type)
        index = clamp(w, op, one)
        result = w.emit(f"insertelement {vector} {result}, i64 {index}, i64 {lane}")
    return Value(result, IndexType(), value.lanes)


def clamp(w: FunctionWriter, op: ClampIndexOp, value: Value) -> str:
    """Writes one index, counted from the front and clamped to the last."""
    size = op.size
    # An index that a check has let pass has as many bits as the bound.
    is_small = isinstance(size, int) and size <= _MAX_INT32
    is_small = is_small and (op.saturates is None or op.value.type != i64)
    index, type = (cut(w, value), "i32") if is_small else (_widen(w, value).text, "i64")
    if op.wraps.value.data:
        # The unsigned minimum: a negative index is greater than that plus the size.
        counted = w.emit(f"add {type} {index}, {w.size(size)}")
        index = w.emit(
            f"call {type} @llvm.umin.{type}({type} {index}, {type} {counted})"
        )
    last = w.size(size - 1)
    index = w.emit(f"call {type} @llvm.umin.{type}({type} {index}, {type} {last})")
    return w.emit(f"zext i32 {index} to i64") if is_small else index


def cut(w: FunctionWriter, value: Value) -> str:
    """The low 32 bits of an integer."""
    if value.type == i32:
        return value.text
    return w.emit(f"trunc {value.typed} to i32")
