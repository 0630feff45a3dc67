"""
Outlining: which calls of a program become a function of their own, and what calls it.

LLVM takes longer than in proportion over a function that is long. So the calls of a
long program are outlined, some in each function, and `sr_run` calls these in order. A
kernel that threads share is called by a function that takes its arguments from memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from xdsl.ir import Block, Operation

from ....dialects.loop import KernelOp, ViewOp
from ....runtime import WORD
from ..text.function import FunctionWriter

MOST_CALLS = 64
"""Calls after which an outlined function ends, unless they are in a branch or loop."""


_FEW_OPS = 12
"""Ops of a program at most that the entry has in line, where a call would cost more."""


def inlining(ops: Iterable[Operation]) -> str:
    """The attribute of the function of a whole program, which has these ops."""
    return (
        "alwaysinline " if sum(1 for op in ops for _ in op.walk()) <= _FEW_OPS else ""
    )


def outlined(block: Block) -> Iterator[list[Operation]]:
    """The ops of a block in lists, of which each becomes a function; at least one."""
    ops: list[Operation] = []
    calls = 0
    for op in block.ops:
        if calls >= MOST_CALLS:
            yield ops
            ops, calls = [], 0
        ops.append(op)
        calls += sum(not isinstance(each, ViewOp) for each in op.walk())
    yield ops


def write_chain(count: int) -> str:
    """The function that calls all outlined functions in order, until one fails."""
    w = FunctionWriter({})
    for at in range(count):
        status = w.emit(f"call i32 @run.{at}(ptr %context)")
        bad = w.emit(f"icmp ne i32 {status}, 0")
        failed, good = w.fresh("failed"), w.fresh("good")
        w.do(f"br i1 {bad}, label %{failed}, label %{good}")
        w.start(failed)
        w.do(f"ret i32 {status}")
        w.start(good)
    w.do("ret i32 0")
    return w.text("define i32 @sr_run(ptr noundef %context)", "nounwind ")


def write_declarations(
    kernels: Mapping[str, KernelOp],
    names: Mapping[str, str],
    shared: Mapping[str, Sequence[str]],
) -> str:
    """
    Declares the kernels, and defines the function that runs one part of each shared
    kernel; `shared` has the types of its arguments.
    """
    lines: list[str] = []
    for name, kernel in kernels.items():
        arguments = ["ptr" for _ in kernel.body.block.args]
        arguments += ["i64" for _ in kernel.symbols]
        result = "i32" if kernel.may_fail else "void"
        if kernel.work is not None:
            arguments += ["i64", "i64"]
        if kernel.may_fail:
            arguments.append("ptr")
        lines.append(f"declare {result} {names[name]}({', '.join(arguments)})")
    # Kernels may differ in the loop dialect and be the same function all the same.
    parts = [write_part(name, types) for name, types in shared.items()]
    return "\n".join([*dict.fromkeys(lines), "", *parts])


def part_name(callee: str) -> str:
    """The name of the function that runs a part of a kernel."""
    return f"@part.{callee.removeprefix('@')}"


def write_part(callee: str, types: Sequence[str]) -> str:
    """The function that runs one part of a kernel, on arguments that are in memory."""
    w = FunctionWriter({})
    arguments: list[str] = []
    for at, type in enumerate(types):
        address = w.emit(f"getelementptr inbounds i64, ptr %arguments, i64 {at}")
        value = w.emit(f"load {type}, ptr {address}, align {WORD}")
        arguments.append(f"{type} {value}")
    arguments += ["i64 %part", "i64 %parts"]
    w.do(f"call void {callee}({', '.join(arguments)})")
    w.do("ret void")
    head = f"define internal void {part_name(callee)}"
    return w.text(f"{head}(ptr %arguments, i64 %part, i64 %parts)", "nounwind ")


REPEAT = """define i32 @sr_repeat(ptr noundef %context, i64 %times) nounwind {
entry:
  br label %again
again:
  %time = phi i64 [0, %entry], [%next, %again]
  %status = call i32 @sr_run(ptr %context)
  %next = add nuw nsw i64 %time, 1
  %more = icmp slt i64 %next, %times
  br i1 %more, label %again, label %done
done:
  ret i32 %status
}
"""
