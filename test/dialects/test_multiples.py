"""What divides a size is zero only where the size is."""

from __future__ import annotations

import pytest

from static_runtime.dialects.dims import Dim, dim
from static_runtime.dialects.multiples import divides, primitive


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("4 * n", "n"), ("-2 * n + 4", "n - 2"), ("n * m", "m * n"), ("6", "1")],
)
def test_primitive(text: str, wanted: str):
    assert primitive(dim(text)) == dim(wanted)


@pytest.mark.parametrize(
    ("a", "b", "holds"),
    [
        ("n", "3 * n * m", True),
        ("n", "-n", True),
        ("n - 1", "n * n - n", True),
        ("n", "n + 1", False),
        ("n * m", "n", False),
        ("2 * n", "n", False),
        ("n", 0, True),
        ("n", 4, False),
    ],
)
def test_divides(a: str, b: Dim | str, holds: bool):
    assert divides(dim(a), dim(str(b))) is holds
