"""Sizes of one symbol; and what divides a size is zero only where the size is."""

from __future__ import annotations

import pytest

from static_runtime.dialects.dims import Dim, dim
from static_runtime.dialects.multiples import affine, divides, primitive


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("n", ("n", 1, 0)),
        ("-2 * n + 4", ("n", -2, 4)),
        ("n * m", None),
        ("n + m", None),
        ("n * n + 1", None),
        ("floordiv(n, 2)", None),
        ("6", None),
    ],
)
def test_affine(text: str, wanted: tuple[str, int, int] | None):
    assert affine(dim(text)) == wanted


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
