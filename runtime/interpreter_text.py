"""
The interpreter of bytecode, `sr_interpret`, as LLVM IR.

It runs programs that are data (`bytecode.py`) over the kernels of a library, and plans
the memory of calls (`plan_code.py`). A runtime that is built has it as an object.
"""

from __future__ import annotations

from .bytecode import Opcode
from .layout import NOT_SELECTED, WORD, ContextLayout
from .llvm_text import object_of
from .placing_text import PLACING
from .plan_text import PLANNING
from .program import LIMIT

_ARITHMETIC = {
    Opcode.ADD: "%{n}.v = add i64 %{n}.x, %{n}.y",
    Opcode.SUBTRACT: "%{n}.v = sub i64 %{n}.x, %{n}.y",
    Opcode.MULTIPLY: "%{n}.v = mul i64 %{n}.x, %{n}.y",
    Opcode.MINIMUM: "%{n}.v = call i64 @llvm.smin.i64(i64 %{n}.x, i64 %{n}.y)",
    Opcode.MAXIMUM: "%{n}.v = call i64 @llvm.smax.i64(i64 %{n}.x, i64 %{n}.y)",
    Opcode.EQUAL: """%{n}.bit = icmp eq i64 %{n}.x, %{n}.y
  %{n}.v = zext i1 %{n}.bit to i64""",
    Opcode.LESS: """%{n}.bit = icmp slt i64 %{n}.x, %{n}.y
  %{n}.v = zext i1 %{n}.bit to i64""",
    Opcode.ADD_CAPPED: """%{n}.sum = add i64 %{n}.x, %{n}.y
%{n}.v = call i64 @llvm.umin.i64(i64 %{n}.sum, i64 {limit})""",
    Opcode.MULTIPLY_CAPPED: """%{n}.both = call {{i64, i1}}
    @llvm.umul.with.overflow.i64(i64 %{n}.x, i64 %{n}.y)
%{n}.product = extractvalue {{i64, i1}} %{n}.both, 0
%{n}.over = extractvalue {{i64, i1}} %{n}.both, 1
%{n}.least = call i64 @llvm.umin.i64(i64 %{n}.product, i64 {limit})
%{n}.v = select i1 %{n}.over, i64 {limit}, i64 %{n}.least""",
    Opcode.DIVIDE: """%{n}.none = icmp eq i64 %{n}.y, 0
%{n}.by = select i1 %{n}.none, i64 1, i64 %{n}.y
%{n}.least = icmp eq i64 %{n}.by, -1
%{n}.safe = select i1 %{n}.least, i64 1, i64 %{n}.by
%{n}.whole = sdiv i64 %{n}.x, %{n}.safe
%{n}.rest = srem i64 %{n}.x, %{n}.safe
%{n}.differs = xor i64 %{n}.rest, %{n}.safe
%{n}.negative = icmp slt i64 %{n}.differs, 0
%{n}.inexact = icmp ne i64 %{n}.rest, 0
%{n}.below = and i1 %{n}.negative, %{n}.inexact
%{n}.less = sext i1 %{n}.below to i64
%{n}.floor = add i64 %{n}.whole, %{n}.less
%{n}.minus = sub i64 0, %{n}.x
%{n}.signed = select i1 %{n}.least, i64 %{n}.minus, i64 %{n}.floor
%{n}.v = select i1 %{n}.none, i64 0, i64 %{n}.signed""",
}
"""How the result `v` is computed of `x` and `y`, for an opcode of the name `n`."""

_HEAD = """define i32 @sr_interpret(
    ptr %context, ptr %code, ptr %registers, ptr %kernels) nounwind {{
entry:
  %address = ptrtoint ptr %context to i64
  store i64 %address, ptr %registers, align 8
  br label %look
next:
  %after = add i64 %at, 1
  br label %look
look:
  %at = phi i64 [0, %entry], [%after, %next], [%b, %jump]
  %op.at = getelementptr [4 x i64], ptr %code, i64 %at
  %a.at = getelementptr i64, ptr %op.at, i64 1
  %b.at = getelementptr i64, ptr %op.at, i64 2
  %c.at = getelementptr i64, ptr %op.at, i64 3
  %op = load i64, ptr %op.at, align 8
  %a = load i64, ptr %a.at, align 8
  %b = load i64, ptr %b.at, align 8
  %c = load i64, ptr %c.at, align 8
  %r.a = getelementptr i64, ptr %registers, i64 %a
  %r.b = getelementptr i64, ptr %registers, i64 %b
  %r.c = getelementptr i64, ptr %registers, i64 %c
  switch i64 %op, label %return [{cases}]
return:
  %result = trunc i64 %a to i32
  ret i32 %result
constant:
  store i64 %b, ptr %r.a, align 8
  br label %next
move:
  %moved = load i64, ptr %r.b, align 8
  store i64 %moved, ptr %r.a, align 8
  br label %next
load:
  %from = load ptr, ptr %r.b, align 8
  %word.at = getelementptr i8, ptr %from, i64 %c
  %word = load volatile i64, ptr %word.at, align 8
  store i64 %word, ptr %r.a, align 8
  br label %next
load_byte:
  %base = load ptr, ptr %r.b, align 8
  %byte.at = getelementptr i8, ptr %base, i64 %c
  %byte = load i8, ptr %byte.at, align 1
  %wide = zext i8 %byte to i64
  store i64 %wide, ptr %r.a, align 8
  br label %next
store:
  %to = load ptr, ptr %r.b, align 8
  %field = getelementptr i8, ptr %to, i64 %c
  %stored = load i64, ptr %r.a, align 8
  store i64 %stored, ptr %field, align 8
  br label %next
jump_if_zero:
  %value = load i64, ptr %r.a, align 8
  %zero = icmp eq i64 %value, 0
  br i1 %zero, label %jump, label %next
jump:
  br label %look
call:
  %kernel.at = getelementptr ptr, ptr %kernels, i64 %a
  %kernel = load ptr, ptr %kernel.at, align 8
  %status = call i32 %kernel(ptr %r.b, ptr %context)
  %good = icmp eq i32 %status, 0
  br i1 %good, label %next, label %failed
failed:
  %failed.at = getelementptr i64, ptr %context, i64 {failed}
  store i64 %c, ptr %failed.at, align 8
  ret i32 %status
"""

_TAIL = """}}
define i32 @sr_absent(ptr %arguments, ptr %context) nounwind {{
  ret i32 {absent}
}}
declare i64 @llvm.umin.i64(i64, i64)
declare {{i64, i1}} @llvm.umul.with.overflow.i64(i64, i64)
"""


def interpreter_object(machine: str) -> bytes:
    """The interpreter as an object for a machine: x86_64 or aarch64."""
    return object_of(interpreter_text(), machine)


def interpreter_text() -> str:
    """The interpreter, and the functions that plans call, as LLVM IR."""
    names = {each: each.name.lower() for each in Opcode}
    cases = " ".join(
        f"i64 {each.value}, label %{name}"
        for each, name in names.items()
        if each != Opcode.RETURN
    )
    text = _HEAD.format(cases=cases, failed=ContextLayout.FAILED)
    for op, lines in _ARITHMETIC.items():
        text += _arithmetic(names[op], lines)
    return "\n".join((text + _TAIL.format(absent=NOT_SELECTED), PLACING, PLANNING))


def _arithmetic(name: str, lines: str) -> str:
    """What an opcode of two registers does, with names of its own."""
    return f"""{name}:
  %{name}.x = load i64, ptr %r.b, align {WORD}
  %{name}.y = load i64, ptr %r.c, align {WORD}
  {lines.format(n=name, limit=LIMIT)}
  store i64 %{name}.v, ptr %r.a, align {WORD}
  br label %next
"""
