"""Rows take turns where an instruction waits for the sum of the word before."""

from __future__ import annotations

import re

import pytest

from ...test_llvm_to_object import assemblies
from .test_word_tile import kernel


@pytest.mark.parametrize("rows", [8, 24])
def test_successive_products_add_to_different_sums(rows: int):
    """Of a word all rows come before any has the next word."""
    text = assemblies("cooperlake", kernel(rows))["dots"]
    sums = re.findall(r"\tvpdpbusd\s.*(%[xyz]mm\d+)$", text, re.MULTILINE)
    turns = [{*sums[at : at + 8]} for at in range(0, len(sums), 8)]
    assert [len(each) for each in turns] == [8] * 2 * 5


def test_sets_without_such_an_instruction_do_without():
    text = assemblies("x86-64-v3", kernel(8))["dots"]
    assert "vpdpbusd" not in text
    assert "vpmaddwd" in text
