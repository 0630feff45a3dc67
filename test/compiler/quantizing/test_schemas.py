"""The steps of ranges, worked out by hand, and what is true of those of any range."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.quantizing import SCHEMAS

STEPS: dict[str, dict[tuple[float, float], tuple[float, int, bool]]] = {
    "asymmetric": {
        (-1.0, 1.55): (0.01, 100, False),
        (0.0, 5.1): (0.02, 0, False),
        (-5.1, 0.0): (0.02, 255, False),
        # Zero is among the steps, whatever was seen.
        (2.0, 5.1): (0.02, 0, False),
        (-5.1, -2.0): (0.02, 255, False),
        (0.0, 0.0): (1.0, 0, False),
    },
    "symmetric": {
        (-1.27, 0.5): (0.01, 0, True),
        (0.0, 2.54): (0.02, 0, True),
        (0.0, 0.0): (1.0, 0, True),
    },
    "symmetric_with_uint8": {
        (-1.27, 0.5): (0.01, 0, True),
        (0.0, 2.55): (0.01, 0, False),
        (1.0, 2.55): (0.01, 0, False),
        (0.0, 0.0): (1.0, 0, False),
    },
    "symmetric_with_power2_scale": {
        (-1.27, 0.5): (2.0**-6, 0, True),
        # A power of two is its own scale.
        (-127.0, 0.0): (1.0, 0, True),
        (0.0, 127.5): (2.0, 0, True),
        (0.0, 0.0): (1.0, 0, True),
    },
}

CASES = [(schema, *each) for schema, steps in STEPS.items() for each in steps.items()]


def test_every_schema_is_tried():
    assert STEPS.keys() == SCHEMAS.keys()


@pytest.mark.parametrize(("schema", "limits", "expected"), CASES)
def test_the_steps_of_a_range(
    schema: str, limits: tuple[float, float], expected: tuple[float, int, bool]
):
    found = SCHEMAS[schema](*limits)
    assert found.scale.dtype == np.float32
    assert float(found.scale) == pytest.approx(expected[0], rel=1e-6)
    assert (found.zero_point, found.signed) == expected[1:]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_nothing_inside_of_a_range_is_off_by_more_than_a_scale(schema: str):
    random = np.random.default_rng(1)
    for _ in range(200):
        least, greatest = sorted(random.normal(0, 10.0 ** random.integers(-6, 6), 2))
        steps = SCHEMAS[schema](least, greatest)
        limits = (-128, 127) if steps.signed else (0, 255)
        numbers = np.linspace(float(least), float(greatest), 100)
        scale = float(steps.scale)
        found = np.clip(np.rint(numbers / scale) + steps.zero_point, *limits)
        # The zero point is rounded, and may shift the ends by half a step.
        error = np.abs((found - steps.zero_point) * scale - numbers).max()
        assert error <= scale * (1 if schema == "asymmetric" else 0.5) * (1 + 1e-5)
        assert limits[0] <= steps.zero_point <= limits[1]
