"""Which lanes that are apart are picked from vectors."""

from __future__ import annotations

import pytest

from static_runtime.dialects.dims import Dim, dim
from static_runtime.dialects.loop.strides import is_strided


@pytest.mark.parametrize(
    ("step", "lanes", "expected"),
    [
        *((2, 16, True), (8, 16, True), (9, 16, False), (9, 64, False)),
        *((4, 8, True), (5, 8, False), (2, 4, True), (2, 2, False)),
        *((-1, 2, True), (-1, 1, False), (-8, 16, True), (-9, 16, False)),
        # The same element, and successive ones, need no shuffles.
        *((0, 16, False), (1, 16, False)),
        (dim("n"), 16, False),
    ],
)
def test_a_few_apart(step: Dim, lanes: int, expected: bool):
    assert is_strided(step, lanes) == expected
