"""Programs are linked, found, and gone when nobody has them any more."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from static_runtime.runtime.elf import ObjectError
from static_runtime.runtime.machine.code import link
from static_runtime.runtime.machine.llvm_text import link_text

from ..resident import growth

TEXT = "define i64 @number() {{\n  ret i64 {}\n}}\n"


def number(library: Any) -> int:
    """What the function of a library answers."""
    return ctypes.CFUNCTYPE(ctypes.c_int64)(library["number"])()


def test_programs_live_as_long_as_they_are_held():
    count = 48
    held = [link_text(TEXT.format(each), ["number"]) for each in range(count)]
    del held[1::2]
    assert [number(each) for each in held] == list(range(0, count, 2))


@pytest.mark.full(
    beside="runtime/elf/test_executable_memory.py::test_memory_is_given_back_with_what_held_it"
)
def test_a_program_that_is_gone_leaves_next_to_nothing():
    # Code that stays mapped is a page and more.
    text = TEXT.format(1)
    assert growth(128, lambda: link_text(text, ["number"])) < 2e3


def test_what_is_no_object_is_refused():
    with pytest.raises(ObjectError, match=r"expected a header"):
        link([b"no object"])
