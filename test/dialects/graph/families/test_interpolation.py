"""An axis that is resized to its own size stays as it is, if that is what is said."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from static_runtime.dialects import dim, evaluate
from static_runtime.dialects.graph.families.interpolation import (
    COORDINATES,
    ROUNDED,
    Interpolation,
)

COUNTS = (*range(1, 70), 1000, 4097, 65535)


def places(
    how: Interpolation, count: int
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """The elements that the points of an axis take, when it keeps its size."""
    return how.nearest(how.positions(count, count, np.dtype(np.float32)), count)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("mode", "coordinates", "multiplies", "scale"),
    [*product(ROUNDED, COORDINATES, (False, True), (None, 1.0))],
)
def test_every_point_takes_its_own_element(
    mode: str, coordinates: str, multiplies: bool, scale: float | None
):
    how = Interpolation(mode, coordinates, scale, multiplies)
    if how.keeps_equal:
        for count in COUNTS:
            assert np.array_equal(places(how, count), np.arange(count)), count


def test_a_centre_moves_where_the_size_changes():
    how = Interpolation("ceil", "tf_half_pixel_for_nn")
    assert how.keeps_equal
    assert how.positions(3, 3, np.dtype(np.float32)).tolist() == [0, 1, 2]
    assert how.positions(4, 2, np.dtype(np.float32)).tolist() == [1, 3]


def test_another_scale_or_a_crop_moves():
    assert not Interpolation("floor", "asymmetric", scale=0.5).keeps_equal
    assert not Interpolation("floor", "tf_crop_and_resize", end=0.5).keeps_equal


def test_a_weight_of_zero_makes_nan_of_an_infinity():
    how = Interpolation("linear", "half_pixel")
    assert not how.keeps_equal
    positions = how.positions(3, 3, np.dtype(np.float32))
    indices, weights = how.table(positions, 3)
    row = np.array([1, np.inf, 2], np.float32)
    with np.errstate(invalid="ignore"):
        result = (row[indices] * weights).sum(-1)
    assert np.isnan(result[0])


def test_a_kernel_is_widened_where_an_axis_shrinks():
    how = Interpolation("cubic", "half_pixel", antialias=True)
    sizes = (9, 3), (10, 3), (3, 9), (5, 0)
    assert [how.reach(*each) for each in sizes] == [6, 7, 2, 2]
    for size in (1, 3, 4, 9):
        reach = how.reach(4, dim("n"))
        assert evaluate(reach, {"n": size}) == how.reach(4, size)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_elements_out_of_reach_have_no_weight(mode: str):
    for count, size in product(range(1, 20), repeat=2):
        how = Interpolation(mode, "half_pixel", antialias=True, exclude_outside=True)
        positions = how.positions(count, size, np.dtype(np.float64))
        indices, weights = how.table(positions, count)
        row = np.zeros((size, count))
        np.put_along_axis(row, indices, 0, 1)
        for tap in range(indices.shape[1]):
            at = np.arange(size), indices[:, tap]
            np.add.at(row, at, weights[:, tap])
        shrink = min(size / count, 1)
        distance = np.abs(np.arange(count) - positions[:, None]) * shrink
        wanted = how.kernel(distance)
        wanted /= wanted.sum(1, keepdims=True)
        np.testing.assert_allclose(row, wanted, atol=1e-12)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize(
    ("mode", "coordinates", "multiplies", "scale"),
    [*product(ROUNDED, COORDINATES, (False, True), (None, 2.0, 3.0, 4.0, 2.5))],
)
def test_every_element_is_taken_as_often(
    mode: str, coordinates: str, multiplies: bool, scale: float | None
):
    how, n = Interpolation(mode, coordinates, scale, multiplies), dim("n")
    for times in (2, 3, 4, 5, 7, 8, 41, 64):
        found = how.repeats(n, n * times)
        assert found in (0, times)
        assert found == how.repeats(5, 5 * times)
        for count in (1, 2, 3, 7, 100, 65535) if found else ():
            positions = how.positions(count, times * count, np.dtype(np.float32))
            wanted = np.arange(count).repeat(times)
            assert np.array_equal(how.nearest(positions, count), wanted), count


def test_what_repeats():
    """Nearest upsampling as ONNX and PyTorch have it is told; other sizes are not."""
    n = dim("n")
    for how in (
        Interpolation("floor", "asymmetric", multiplies=True),
        Interpolation("floor", "tf_half_pixel_for_nn", multiplies=True),
        Interpolation("round_prefer_floor", "half_pixel", 2.0),
    ):
        assert how.repeats(n, n * 2) == 2
        assert not any(how.repeats(n, size) for size in (n, n * 2 + 1, dim("m"), 7))
    assert Interpolation("floor", "asymmetric").repeats(0, 0) == 0
    assert Interpolation("floor", "half_pixel").repeats(n, n * 2) == 0
