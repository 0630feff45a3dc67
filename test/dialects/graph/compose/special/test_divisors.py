"""Divisors and multiples are numpy's, of zeros and of both signs."""

from typing import Any

import numpy as np
import pytest

from static_runtime.dialects.graph.compose import special

from ..run import run

A = [0, 0, 12, -12, 18, 7, 1, 120, -100]
B = [0, 5, 18, 18, -12, 0, 1, 45, -75]


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64])
def test_of_integers(kind: Any):
    a, b = np.array(A, kind), np.array(B, kind)
    np.testing.assert_array_equal(run(special.common_divisor, a, b), np.gcd(a, b))
    np.testing.assert_array_equal(run(special.common_multiple, a, b), np.lcm(a, b))


def test_of_bytes():
    a, b = np.array([200, 0, 255], np.uint8), np.array([150, 9, 85], np.uint8)
    np.testing.assert_array_equal(run(special.common_divisor, a, b), [50, 9, 85])
