"""Narrow floats are the numbers, and are rounded to the bits, that ml_dtypes says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.element_type import ELEMENT_TYPES, ElementType
from static_runtime.dialects.graph.element_array import to_elements, to_numbers
from static_runtime.dialects.graph.narrow_float import narrow
from static_runtime.dialects.shape import Array

ml_dtypes: Any = pytest.importorskip("ml_dtypes")

_EDGES = [np.nan, np.inf, -np.inf, 500.0]

STORED = [row for row in ELEMENT_TYPES.values() if row.is_stored]
FLOATS = [row for row in STORED if row.format is not None]
INTEGERS = [row for row in STORED if row.format is None]

by_type = pytest.mark.parametrize("row", STORED, ids=lambda row: str(row.type))
by_float = pytest.mark.parametrize("row", FLOATS, ids=lambda row: str(row.type))


def every(row: ElementType) -> Array:
    """All elements of a type."""
    return np.arange(1 << row.bits, dtype=np.uint8)


@by_type
def test_all_elements_are_the_numbers_of_the_package(row: ElementType):
    found = to_numbers(every(row).view(row.dtype), row.type)
    wanted = every(row).view(getattr(ml_dtypes, row.numpy)).astype(np.float32)
    np.testing.assert_array_equal(found.astype(np.float32), wanted)
    if row.format is not None:
        is_number = ~np.isnan(wanted)
        signs = np.signbit(found)[is_number], np.signbit(wanted)[is_number]
        np.testing.assert_array_equal(*signs)


@by_type
def test_what_lies_above_an_element_has_no_part_in_it(row: ElementType):
    above = (every(row).astype(int) | 0xFF << row.bits) & 0xFF
    found = to_numbers(above.astype(np.uint8).view(row.dtype), row.type)
    np.testing.assert_array_equal(
        found, to_numbers(every(row).view(row.dtype), row.type)
    )


def numbers(row: ElementType) -> Array:
    """f32 at each element, in each middle of two, beside these, and at random."""
    wide = to_numbers(every(row).view(row.dtype), row.type)
    known = np.unique(np.abs(wide[np.isfinite(wide)])).astype(np.float64)
    known = np.append(known, 2 * known[-1])
    middles = np.concatenate([known, (known[1:] + known[:-1]) / 2]).astype(np.float32)
    random = np.random.default_rng(0)
    spread = np.ldexp(random.standard_normal(50000), random.integers(-30, 30, 50000))
    any_bits = random.integers(0, 1 << 32, 50000, dtype=np.uint32).view(np.float32)
    near = [np.nextafter(middles, np.float32(each)) for each in (0, np.inf)]
    found = np.concatenate([middles, *near, spread.astype(np.float32), any_bits])
    return np.concatenate([found, -found, np.array(_EDGES, np.float32)])


@by_float
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_number_becomes_the_element_of_the_package(row: ElementType):
    assert row.format is not None
    given = numbers(row)
    if not row.format.has_sign:
        # The package makes two of subnormal numbers that are nearer to one.
        given = given[(np.abs(given) > 2.0**-126) | (given == 2.0**-127)]
    wanted = given.astype(getattr(ml_dtypes, row.numpy)).view(np.uint8)
    np.testing.assert_array_equal(narrow(given, row.format), wanted)
    np.testing.assert_array_equal(to_elements(given, row.type).view(np.uint8), wanted)


@by_float
def test_an_f64_is_rounded_once(row: ElementType):
    wide = to_numbers(every(row).view(row.dtype), row.type).astype(np.float64)
    known = np.unique(wide[np.isfinite(wide) & (wide > 0)])
    middles = (known[1:] + known[:-1]) / 2
    for factor, towards in ((1 - 2.0**-45, known[:-1]), (1 + 2.0**-45, known[1:])):
        found = to_numbers(to_elements(middles * factor, row.type), row.type)
        np.testing.assert_array_equal(found, towards)


@pytest.mark.parametrize("row", INTEGERS, ids=lambda row: str(row.type))
def test_integers_keep_their_low_bits_and_floats_saturate(row: ElementType):
    whole = np.arange(-300, 300)
    kept = whole.astype(getattr(ml_dtypes, row.numpy)).view(np.uint8)
    np.testing.assert_array_equal(to_elements(whole, row.type).view(np.uint8), kept)
    found = to_numbers(to_elements(whole * 1.5, row.type), row.type)
    np.testing.assert_array_equal(found, np.clip(np.trunc(whole * 1.5), *row.limits))
