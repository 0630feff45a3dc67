"""Words of few bits are added up in 16 bits before they are widened."""

from __future__ import annotations

import pytest

from ...test_llvm_to_object import assemblies
from .test_word_tile import kernel

NAMES = ("vpmaddubsw", "vpaddw", "vpmaddwd")


@pytest.mark.parametrize(
    ("bits", "counts"),
    [("bits 4 ", (2, 1, 1)), ("bits 7 ", (4, 2, 2)), ("", (4, 2, 2))],
)
def test_two_words_take_one_instruction_to_widen(bits: str, counts: tuple[int, ...]):
    """Bytes of more than four bits are two halves, which take as many each."""
    text = kernel(4).replace("%x : i32", f"%x {bits}: i32")
    text = text.replace("%y : i32", f"%y {bits}: i32")
    code = assemblies("x86-64-v3", text)["dots"]
    found = [code.count(each) for each in NAMES]
    # Four rows, two vectors of columns, five k; or one loop over columns.
    assert found in ([each * 4 * n * 5 for each in counts] for n in (1, 2))
    assert "vpdpbusd" not in code


def test_sets_that_add_to_sums_are_left_alone():
    for target in ("cooperlake", "x86-64", "aarch64"):
        code = assemblies(target, kernel(4))["dots"]
        assert "vpaddw" not in code
