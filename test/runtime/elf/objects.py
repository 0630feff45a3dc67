"""Objects of LLVM IR, for the linker to link."""

from __future__ import annotations

import platform
from typing import Literal, TypeAlias

from llvmlite import binding

from static_runtime.lowering.llvm_to_object import know_targets

MACHINES = ("x86_64", "aarch64")
HERE = platform.machine()

Model: TypeAlias = Literal["large", "small"]


def compiled(text: str, machine: str = HERE, model: Model = "large") -> bytes:
    """The object of LLVM IR for a machine and a code model."""
    know_targets()
    # On AArch64, code that is independent of its position is of the small model.
    model = "small" if machine == "aarch64" else model
    target = binding.Target.from_triple(f"{machine}-unknown-linux-gnu")
    with target.create_target_machine(reloc="pic", codemodel=model) as made:
        return made.emit_object(binding.parse_assembly(text))


CALLER = """
@table = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
@byte = internal constant [3 x i8] c"abc"
declare i64 @twice(i64)
declare ptr @memset(ptr, i32, i64)
define i64 @answer(i64 %at) {
  %where = getelementptr i64, ptr @table, i64 %at
  %value = load i64, ptr %where
  %memory = alloca i64
  call ptr @memset(ptr %memory, i32 1, i64 8)
  %ones = load i64, ptr %memory
  %more = call i64 @twice(i64 %value)
  %sum = add i64 %more, %ones
  %place = getelementptr i8, ptr @byte, i64 %at
  %letter = load i8, ptr %place
  %wide = zext i8 %letter to i64
  %all = add i64 %sum, %wide
  ret i64 %all
}
"""
"""A function with constants, that calls another object and the C library."""

CALLED = """
define i64 @twice(i64 %x) {
  %y = add i64 %x, %x
  ret i64 %y
}
"""
