"""Images that are interpolated at computed places."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import Window, sampling

from .run import FLOATS, Array, run

WINDOW = Window((2, 2), (1, 1), (1, 1), (0, 0), (0, 0), (0, 0))


def taps(image: Array, filters: Array, row: float, column: float) -> Array:
    """The products of a window 2x2 over 4x5 points, with zeros around the image."""
    wide = np.pad(image, ((0, 0), (0, 0), (50, 50), (50, 50)))
    found = np.zeros((*image.shape[:1], filters.shape[0], 4, 5))
    for i in range(2):
        for j in range(2):
            top, left = 50 + i + int(row), 50 + j + int(column)
            moved = wide[:, :, top : top + 4, left : left + 5]
            found += np.einsum("nchw,oc->nohw", moved, filters[:, :, i, j])
    return found


@pytest.mark.parametrize("kind", FLOATS)
@pytest.mark.parametrize("move", [(0, 0), (1, -2), (-3, 0), (40, 0)])
def test_taps_are_moved_by_offsets(kind: type[Any], move: tuple[int, int]):
    random = np.random.default_rng(0)
    image: Array = random.standard_normal((2, 3, 5, 6)).astype(kind)
    filters: Array = random.standard_normal((4, 3, 2, 2)).astype(kind)
    offsets: Array = np.zeros((2, 4, 2, 4, 5), kind)
    offsets[:, :, 0], offsets[:, :, 1] = move
    got = run(
        lambda x, f, o: sampling.deformed(x, f, o, None, WINDOW, 1, 1),
        *(image, filters, offsets.reshape(2, 8, 4, 5)),
    )
    wanted = taps(image, filters, *move)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("is_moved", [False, True])
@pytest.mark.parametrize("ratio", [1, 3])
def test_regions_of_a_plane_are_its_values_in_the_middle(is_moved: bool, ratio: int):
    rows, columns = np.mgrid[:20, :30].astype(np.float32)
    image: Array = np.stack([3 * rows + columns, rows - columns])[None]
    boxes: Array = np.array([[8, 4, 32, 28], [2, 2, 6, 14]], np.float32)
    regions = sampling.Regions((4, 3), (ratio, ratio), 0.5, is_moved)
    got = run(
        lambda x, b, n: sampling.aligned(x, b, n, regions, most=False),
        *(image, boxes, np.zeros(2, np.int64)),
    )
    for box, region in zip(boxes / 2 - 0.5 * is_moved, got, strict=True):
        at_x = box[0] + (np.arange(3) + 0.5) / 3 * (box[2] - box[0])
        at_y = box[1] + (np.arange(4) + 0.5) / 4 * (box[3] - box[1])
        wanted = np.stack([3 * at_y[:, None] + at_x, at_y[:, None] - at_x])
        np.testing.assert_allclose(region, wanted, rtol=1e-5, atol=1e-4)


def test_a_sample_at_the_edge_is_where_frameworks_have_it():
    # 1.5 + 2 * (2 / 3) + 0.5 * (2 / 3) / 2 is 3 + 2**-22 in f32: behind the image.
    image: Array = np.ones((1, 1, 16, 3), np.float32)
    boxes: Array = np.array([[3, 11, 7, 28]], np.float32)
    regions = sampling.Regions((7, 3), (2, 2), 0.5, False)
    got = run(
        lambda x, b, n: sampling.aligned(x, b, n, regions, most=False),
        *(image, boxes, np.zeros(1, np.int64)),
    )
    np.testing.assert_array_equal(got[0, 0, 0], [1, 1, 0])
