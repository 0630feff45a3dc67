"""Sums and products with their errors are exact."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from static_runtime.lowering.loop_to_llvm.math import Element, declarations, symbol
from static_runtime.lowering.loop_to_llvm.math.double_double import (
    fast_two_sum,
    two_product,
    two_sum,
)
from static_runtime.lowering.loop_to_llvm.math.writer import FORMATS, MathValue, Writer

from .accuracy import DTYPES, ELEMENTS, MACHINES, Array, Compiled, Machine, over_arrays

Recipe = Callable[[Writer, MathValue, MathValue], tuple[MathValue, MathValue]]


def both_parts(
    recipe: Recipe, element: Element, machine: Machine, x: Array, y: Array
) -> tuple[Array, Array]:
    """What a recipe makes of arrays, in its two parts."""
    kind = FORMATS[element].kind
    parts: list[str] = []
    for part, name in enumerate(("high", "low")):
        writer = Writer(1, machine.fma)
        a, b = (MathValue(each, kind, writer) for each in ("%x", "%y"))
        result = recipe(writer, a, b)[part]
        name_of_it = symbol(name, element, 1)
        parts.append(f"define internal {kind} {name_of_it}({kind} %x, {kind} %y) {{")
        parts += [*writer.lines, f"  ret {kind} {result.name}", "}"]
        parts.append(over_arrays(name, 2, element, 1))
    text = "\n".join(parts)
    run = Compiled(text + declarations(text), ("high", "low"), element, machine)
    return run("high", x, y), run("low", x, y)


def numbers(element: Element, spread: int) -> Array:
    """Numbers of both signs and very different sizes."""
    generator = np.random.default_rng(spread)
    scale = generator.integers(-spread, spread, 3000)
    return np.ldexp(generator.uniform(-1, 1, 3000), scale).astype(DTYPES[element])


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_sum_and_its_error_are_exact(element: Element, machine: str):
    x, y = numbers(element, 30), numbers(element, 31)
    high, low = both_parts(
        lambda w, a, b: two_sum(a, b), element, MACHINES[machine], x, y
    )
    for a, b, h, e in zip(*(each.tolist() for each in (x, y, high, low)), strict=True):
        assert Fraction(a) + Fraction(b) == Fraction(h) + Fraction(e)
    np.testing.assert_array_equal(high, x + y)


@pytest.mark.parametrize("element", ELEMENTS)
def test_a_sum_is_exact_by_the_fast_way_if_its_terms_are_ordered(element: Element):
    x, y = numbers(element, 30), numbers(element, 31)
    large, small = np.where(np.abs(x) < np.abs(y), (y, x), (x, y))
    high, low = both_parts(
        lambda w, a, b: fast_two_sum(a, b), element, MACHINES["host"], large, small
    )
    for a, b, h, e in zip(*(each.tolist() for each in (x, y, high, low)), strict=True):
        assert Fraction(a) + Fraction(b) == Fraction(h) + Fraction(e)


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_a_product_and_its_error_are_exact(element: Element, machine: str):
    x, y = numbers(element, 20), numbers(element, 21)
    high, low = both_parts(two_product, element, MACHINES[machine], x, y)
    for a, b, h, e in zip(*(each.tolist() for each in (x, y, high, low)), strict=True):
        assert Fraction(a) * Fraction(b) == Fraction(h) + Fraction(e)
    np.testing.assert_array_equal(high, x * y)
