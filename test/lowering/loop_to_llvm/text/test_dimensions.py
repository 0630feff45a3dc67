"""Sizes are what their text says, when a function computes them from symbols."""

from __future__ import annotations

import ctypes
import random

import pytest

from static_runtime.dialects.dims import Dim, broadcast, dim, evaluate, floordiv, symbol
from static_runtime.lowering.loop_to_llvm.math import declarations
from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter
from static_runtime.runtime.machine.llvm_text import link_text

from ....dialects.test_dims import NAMES, expression


def written(*sizes: Dim) -> FunctionWriter:
    """A function that has computed some sizes, and returns the last."""
    w = FunctionWriter({name: f"%{name}" for name in NAMES})
    *_, last = map(w.size, sizes)
    w.do(f"ret i64 {last}")
    return w


def run(size: Dim, *values: int) -> int:
    """A size, as a function computes it from the values of all symbols."""
    arguments = ", ".join(f"i64 %{name}" for name in NAMES)
    text = written(size).text(f"define i64 @size({arguments})")
    library = link_text(text + declarations(text), ["size"])
    numbers = [ctypes.c_int64] * len(values)
    return ctypes.CFUNCTYPE(ctypes.c_int64, *numbers)(library["size"])(*values)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("seed", range(40))
def test_a_function_computes_what_the_text_says(seed: int):
    source = random.Random(seed)
    size, _ = expression(source, 3)
    for _ in range(5):
        symbols = {name: source.randint(0, 12) for name in NAMES}
        assert run(size, *symbols.values()) == evaluate(size, symbols)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("by", [2, 3, 4, 7])
@pytest.mark.parametrize("less", range(9))
def test_a_quotient_is_rounded_down_below_zero_too(less: int, by: int):
    size = floordiv(symbol(NAMES[0]) - less, by)
    for value in range(12):
        values = [value, *(1 for _ in NAMES[1:])]
        assert run(size, *values) == (value - less) // by


def test_a_quotient_by_zero_is_zero():
    size = dim(f"floordiv({NAMES[0]} + 5, {NAMES[1]})")
    for values, expected in (((4, 0), 0), ((4, 2), 4), ((0, 3), 1)):
        assert run(size, *values, *(1 for _ in NAMES[2:])) == expected


def test_sizes_share_the_functions_in_them():
    half = floordiv(symbol(NAMES[0]) + 1, 2)
    wide = broadcast(symbol(NAMES[0]), symbol(NAMES[1]))
    once = written(half, wide).entry
    # A size of no less than zero is divided by one instruction.
    assert sum("div" in each for each in once) == 1
    assert not any("srem" in each for each in once)
    again = written(half, wide, half * 3 + 1, half * wide).entry
    for function in ("div", "select"):
        assert sum(function in each for each in again) == 1
