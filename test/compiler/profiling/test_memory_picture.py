"""A picture of memory has a rectangle for each slot, and none lies on another."""

from __future__ import annotations

from itertools import combinations
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.profiling import memory_picture
from static_runtime.compiler.profiling.placement import Placed, reused

from ...models.stored import STORED
from .models import CHAIN

pytestmark = pytest.mark.usefixtures("runs_host")

SVG = "{http://www.w3.org/2000/svg}"


def rectangles(module: sr.StaticModule, *arguments: Any) -> list[ElementTree.Element]:
    """The rectangles of a picture, which is the same each time."""
    text = memory_picture(module, arguments)
    assert memory_picture(module, arguments) == text
    return ElementTree.fromstring(text).findall(f"{SVG}rect")


def overlap(one: ElementTree.Element, other: ElementTree.Element) -> bool:
    """Whether two rectangles have more in common than an edge."""
    places = [
        [float(each.attrib[name]) for name in ("x", "y", "width", "height")]
        for each in (one, other)
    ]
    (x, y, width, height), (left, top, wide, high) = places
    # Numbers are rounded to a thousandth.
    across = min(x + width, left + wide) - max(x, left) > 0.01
    return across and min(y + height, top + high) - max(y, top) > 0.01


@pytest.mark.parametrize("rows", [1, 5, 300])
def test_a_slot_is_a_rectangle_with_its_name(rows: int):
    module, w = sr.compile(CHAIN), np.ones((8, 8), np.float32)
    found = rectangles(module, np.ones((rows, 8), np.float32), w)
    titles = [each.findtext(f"{SVG}title") or "" for each in found]
    assert len(found) == len(module.program.slots) == 2
    assert titles[0].startswith(f"matmul_relu_0: {32 * rows} bytes from ")
    assert not any(overlap(*pair) for pair in combinations(found, 2))


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("name", STORED)
def test_live_slots_are_apart(name: str):
    stored = STORED[name]
    module = sr.compile(stored.dynamic)
    found = rectangles(module, *stored.inputs)
    assert len(found) == len(module.program.slots)
    assert not any(overlap(*pair) for pair in combinations(found, 2))


def test_a_name_may_be_any_text():
    module = sr.compile(CHAIN.replace("@chain", '@"a<b&c"'))
    x, w = np.ones((5, 8), np.float32), np.ones((8, 8), np.float32)
    assert len(rectangles(module, x, w)) == 2


def test_a_slot_is_reused_that_lies_where_one_ended():
    first, second = Placed(0, "a", 0, 64, 0, 1), Placed(1, "b", 0, 32, 2, 3)
    above, alive = Placed(2, "c", 64, 64, 2, 3), Placed(3, "d", 128, 64, 0, 9)
    assert reused([first, second, above, alive]) == 1
