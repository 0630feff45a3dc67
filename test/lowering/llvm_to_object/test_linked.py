"""Modules are linked into one object, which calls functions of its own."""

from __future__ import annotations

from static_runtime.lowering.llvm_to_object import Machine
from static_runtime.lowering.llvm_to_object.linked import linked_object

ONE = "define i32 @one() noinline { ret i32 1 }\n"
TWO = "declare i32 @one()\ndefine i32 @two() { %1 = call i32 @one() ret i32 %1 }\n"


def test_an_object_does_not_depend_on_the_machine_that_makes_it():
    machine = Machine("aarch64-unknown-linux-gnu", "generic", "")
    first = linked_object([ONE, TWO], ["two"], machine, None)
    assert first == linked_object([ONE, TWO], ["two"], machine, None)
    assert first[:4] == b"\x7fELF"
    assert first[18] == 183
    assert b"two" in first
