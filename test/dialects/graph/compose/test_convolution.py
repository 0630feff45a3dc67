"""Convolutions of open numbers of groups and filters compute what others compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

from static_runtime.dialects.dims import Dim, dim, evaluate
from static_runtime.dialects.graph.compose.convolution import convolved, convolved_back
from static_runtime.dialects.graph.compose.pooling import Window
from static_runtime.dialects.graph.ops.fusion import YieldOp
from static_runtime.dialects.graph.region import run_block
from static_runtime.dialects.shape import tensor

from .run import Array

Build = Callable[[SSAValue, SSAValue, Dim, Window], SSAValue]

WINDOWS = {
    "row": Window((3,), (2,), (1,), (1,), (0,), (0,)),
    "point": Window((1, 1), (1, 1), (1, 1), (0, 0), (0, 0), (0, 0)),
    "image": Window((3, 2), (2, 3), (1, 2), (1, 0), (2, 1), (0, 0)),
}


def back(more: int) -> Build:
    """What builds a transposed convolution with this output padding."""
    return lambda x, weight, groups, window: convolved_back(
        x, weight, groups, window, (more,) * len(window.kernel)
    )


BUILDS = {
    "convolved": (convolved, ("3 * g", "4 * g", "3")),
    "back": (back(0), ("4 * g", "4 * g", "3")),
    "back and more": (back(1), ("4 * g", "4 * g", "3")),
}
"""
How a convolution is built, and for a number of groups the channels of the image and the
first sizes of the weights.
"""


def computed(
    build: Build,
    groups: Dim,
    sizes: Sequence[Dim],
    window: Window,
    symbols: Mapping[str, int],
) -> Array:
    """What a convolution of these sizes computes where the symbols are numbers."""
    rank = len(window.kernel)
    shapes = ((2, sizes[0], *(8, 9)[:rank]), (*sizes[1:], *window.kernel))
    block = Block(arg_types=[tensor(f32, *each) for each in shapes])
    with ImplicitBuilder(block):
        YieldOp(build(block.args[0], block.args[1], groups, window))
    block.verify()
    random = np.random.default_rng(0)
    known = [[int(str(evaluate(e, symbols))) for e in each] for each in shapes]
    arrays = [random.standard_normal(each, np.float32) for each in known]
    (result,) = run_block(block, arrays, symbols)
    return result


@pytest.mark.sampled
@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("kind", BUILDS)
def test_open_numbers_compute_what_known_ones_compute(kind: str, window: str):
    (build, texts), under = BUILDS[kind], WINDOWS[window]
    folded = [dim(each) for each in texts]
    apart = [dim(name) for name in ("a", "b", "c")]
    for groups in (1, 3):
        sizes = [int(str(evaluate(each, {"g": groups}))) for each in folded]
        symbols = {"g": groups, **dict(zip("abc", sizes, strict=True))}
        wanted = computed(build, groups, sizes, under, {})
        for number, several in (
            (dim("g"), folded),
            (dim("g"), sizes),
            (dim("g"), apart),
            (groups, apart),
            (groups, [sizes[0], *apart[1:]]),
        ):
            got = computed(build, number, several, under, symbols)
            np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)
    assert computed(build, dim("g"), folded, under, {"g": 0}).size == 0
