"""An axis that is resized to its own size stays as it is, if that is what is said."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

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


def test_what_is_rounded_up_from_the_middle_moves():
    for mode in ("ceil", "round_prefer_ceil"):
        how = Interpolation(mode, "tf_half_pixel_for_nn")
        assert not how.keeps_equal
        assert places(how, 3).tolist() == [1, 2, 2]


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
