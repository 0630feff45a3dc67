"""
Write the function by which an interpreter calls a kernel: `i32 f(arguments, context)`.

The arguments, buffers and then sizes, are words in memory. The function lets threads
share the kernel if there is work for them, as the context says; it returns zero, or the
status of a kernel that found a bad index.
"""

from __future__ import annotations

from ....dialects.loop import KernelOp
from ....runtime import GRAIN, WORD, ContextLayout
from ..text.function import FunctionWriter
from .outlining import part_name, write_part


def write_kernel_entry(kernel: KernelOp, callee: str, name: str) -> str:
    """The function `name`, which calls the kernel that is the function `callee`."""
    types = ["ptr" for _ in kernel.body.block.args] + ["i64" for _ in kernel.symbols]
    if kernel.work is None:
        return _alone(kernel, callee, name, types)
    part = write_part(callee, types)
    return "\n".join((part, _shared(kernel, part_name(callee), name, types)))


def _arguments(w: FunctionWriter, types: list[str]) -> list[str]:
    """Reads the arguments, each as its type."""
    found: list[str] = []
    for at, type in enumerate(types):
        address = w.entered(f"getelementptr inbounds i64, ptr %arguments, i64 {at}")
        value = w.entered(f"load {type}, ptr {address}, align {WORD}")
        found.append(f"{type} {value}")
    return found


def _alone(kernel: KernelOp, callee: str, name: str, types: list[str]) -> str:
    """The function that calls a kernel of one thread."""
    w = FunctionWriter({})
    arguments = _arguments(w, types)
    if kernel.may_fail:
        error = _field(w, ContextLayout.ERROR)
        status = w.emit(f"call i32 {callee}({', '.join([*arguments, f'ptr {error}'])})")
        w.do(f"ret i32 {status}")
    else:
        w.do(f"call void {callee}({', '.join(arguments)})")
        w.do("ret i32 0")
    return w.text(f"define i32 {name}(ptr %arguments, ptr %context)", "nounwind ")


def _shared(kernel: KernelOp, part: str, name: str, types: list[str]) -> str:
    """The function that lets threads share a kernel if there is enough work."""
    assert kernel.work is not None, "it is shared"
    w = FunctionWriter({})
    values = [each.split()[1] for each in _arguments(w, types)]
    first = len(kernel.body.block.args)
    names = (each.data for each in kernel.symbols)
    w.symbols = dict(zip(names, values[first:], strict=True))
    work = w.size(kernel.work)
    shares = w.emit(f"lshr i64 {work}, {GRAIN.bit_length() - 1}")
    threads = w.emit(f"load i64, ptr {_field(w, ContextLayout.THREADS)}, align {WORD}")
    parts = w.emit(f"call i64 @llvm.smin.i64(i64 {shares}, i64 {threads})")
    several = w.emit(f"icmp sgt i64 {parts}, 1")
    w.do(f"br i1 {several}, label %shared, label %alone")
    w.start("alone")
    w.do(f"call void {part}(ptr %arguments, i64 0, i64 1)")
    w.do("ret i32 0")
    w.start("shared")
    pool = w.emit(f"load ptr, ptr {_field(w, ContextLayout.POOL)}, align {WORD}")
    fork = w.emit(f"load ptr, ptr {_field(w, ContextLayout.FORK)}, align {WORD}")
    w.do(f"call void {fork}(ptr {pool}, ptr {part}, ptr %arguments, i64 {parts})")
    w.do("ret i32 0")
    return w.text(f"define i32 {name}(ptr %arguments, ptr %context)", "nounwind ")


def _field(w: FunctionWriter, number: int) -> str:
    """The address of a field of the context."""
    return w.emit(f"getelementptr inbounds i64, ptr %context, i64 {number}")
