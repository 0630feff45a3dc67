"""The bits of a narrow float's special values lie above its numbers."""

from __future__ import annotations

import pytest

from static_runtime.dialects.element_type import ELEMENT_TYPES
from static_runtime.dialects.float_format import FloatFormat

FORMATS = [row.format for row in ELEMENT_TYPES.values() if row.format is not None]


@pytest.mark.parametrize("format", FORMATS, ids=str)
def test_what_is_no_number_lies_above_the_greatest(format: FloatFormat):
    assert format.largest <= format.amount < 1 << format.bits
    if format.largest < format.amount:
        assert format.beyond == format.largest + 1
    assert format.infinity in (-1, format.beyond)


@pytest.mark.parametrize(
    ("format", "greatest"),
    [
        (FloatFormat(8, 3, 7, 0x7E, 0x7F, 0x7F), 448),
        (FloatFormat(8, 2, 15, 0x7B, 0x7C, 0x7E, infinity=0x7C), 57344),
        (FloatFormat(4, 1, 1, 0x7, 0x7, 0x8), 6),
        (FloatFormat(8, 0, 127, 0xFE, 0xFF, 0xFF, has_sign=False), 2.0**127),
    ],
)
def test_the_greatest_number(format: FloatFormat, greatest: float):
    assert format.greatest == greatest
