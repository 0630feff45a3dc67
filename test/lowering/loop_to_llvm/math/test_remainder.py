"""The remainder of floats is exact: it has the bits of numpy for all numbers."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.lowering.loop_to_llvm.math import Element, declarations, define

from .accuracy import DTYPES, ELEMENTS, MACHINES, Array, Compiled, over_arrays
from .test_special_values import special_values

LANES = {"f32": 8, "f64": 4}
SOME = 200_000
INTEGERS = {"f32": np.uint32, "f64": np.uint64}


def remainder(element: Element, machine: str, x: Array, y: Array) -> Array:
    """The remainders that the function finds, most of them in vectors."""
    lanes = LANES[element]
    parts = [define("remainder", element, each, fma=False) for each in (1, lanes)]
    text = "\n".join([*parts, over_arrays("remainder", 2, element, lanes)])
    text += declarations(text)
    made = Compiled(text, ["remainder"], element, MACHINES[machine])
    return made("remainder", x, y)


def check(element: Element, machine: str, x: Array, y: Array) -> None:
    """Compares bits with numpy's; any NaN is as good as another."""
    x, y = (np.ascontiguousarray(each, DTYPES[element]) for each in (x, y))
    with np.errstate(all="ignore"):
        wanted = np.fmod(x, y)
    found = remainder(element, machine, x, y)
    kind = INTEGERS[element]
    same = found.view(kind) == wanted.view(kind)
    bad = np.flatnonzero(~(same | (np.isnan(found) & np.isnan(wanted))))
    assert not bad.size, (x[bad[0]], y[bad[0]], found[bad[0]], wanted[bad[0]])


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("element", ELEMENTS)
def test_special_numbers(element: Element, machine: str):
    special = special_values(element)
    check(
        element,
        machine,
        np.repeat(special, special.size),
        np.tile(special, special.size),
    )


@pytest.mark.parametrize("element", ELEMENTS)
def test_numbers_of_any_bits(element: Element):
    random = np.random.default_rng(0)
    kind = INTEGERS[element]
    whole = np.iinfo(kind).max
    bits = random.integers(0, whole, (2, SOME), kind, endpoint=True)
    x, y = bits.view(DTYPES[element])
    check(element, [*MACHINES][-1], x, y)


@pytest.mark.parametrize("element", ELEMENTS)
@pytest.mark.parametrize("gap", [0, 1, 10, 11, 12, 39, 40, 41, 80])
def test_dividends_that_are_so_many_times_the_divisor(element: Element, gap: int):
    random = np.random.default_rng(gap)
    x, y = random.standard_normal((2, 4096))
    for scale in (1.0, np.finfo(DTYPES[element]).tiny):
        check(element, [*MACHINES][-1], x * 2.0**gap * scale, y * scale)
        # Whole multiples have no rest, which keeps the sign of the dividend.
        few: Array = np.rint(y * 64) * scale
        check(element, [*MACHINES][-1], few * 2.0 ** (gap % 40), few)


@pytest.mark.parametrize("element", ELEMENTS)
def test_numbers_below_the_least_normal_one(element: Element):
    random = np.random.default_rng(1)
    limits = np.finfo(DTYPES[element])
    kind = INTEGERS[element]
    bits = random.integers(0, 1 << limits.nmant + 1, (2, SOME), kind)
    x, y = bits.view(DTYPES[element])
    check(element, [*MACHINES][-1], x, y)
