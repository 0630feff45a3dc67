"""Programs are linked, found, and gone when nobody has them any more."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from static_runtime.runtime.code import LINKED, link, link_text

from .resident import growth

TEXT = "define i64 @number() {{\n  ret i64 {}\n}}\n"


def number(library: Any) -> int:
    """What the function of a library answers."""
    return ctypes.CFUNCTYPE(ctypes.c_int64)(library["number"])()


def test_programs_live_as_long_as_they_are_held():
    # More than one linker links, and the first ones outlive their turn.
    count = 3 * LINKED
    held = [link_text(TEXT.format(each), ["number"], "test") for each in range(count)]
    del held[1::2]
    assert [number(each) for each in held] == list(range(0, count, 2))


def test_a_program_that_is_gone_leaves_next_to_nothing():
    # A library of LLVM's that stays in its linker is four kilobytes and more.
    text = TEXT.format(1)
    assert growth(8 * LINKED, lambda: link_text(text, ["number"], "test")) < 2e3


def test_what_is_no_object_is_refused():
    with pytest.raises(RuntimeError, match=r"program\d+|object|buffer|file"):
        link([b"no object"])
