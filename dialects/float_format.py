"""
Floats of 8 bits and fewer: how each is written, and which numbers it has.

Of the bits that are not the sign, the upper ones are the exponent and the lower ones
the fraction; an exponent of zero counts the least number (Micikevicius et al., "FP8
Formats for Deep Learning"; OCP's "Microscaling Formats").
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class FloatFormat:
    """What the bits of a narrow float mean, where they are no sign."""

    bits: int
    """How many bits it has."""

    fraction: int
    """How many of them are the fraction."""

    bias: int
    """What the exponent of 1 is."""

    largest: int
    """The bits of the greatest finite number."""

    beyond: int
    """The bits of what rounds to more than that, infinity included."""

    nan: int
    """
    The bits that NaN becomes. Those above `largest` that are not infinity are NaN too.
    """

    infinity: int = -1
    """The bits of infinity, if there are any."""

    has_sign: bool = True
    """Whether the first bit is the sign; without one, what is not above zero is NaN."""

    has_negative_zero: bool = True
    """Whether zero has a sign; without one, its bits are NaN."""

    @property
    def sign(self) -> int:
        """The bit of the sign."""
        return 1 << (self.bits - 1)

    @property
    def amount(self) -> int:
        """The bits that are no sign."""
        return (1 << (self.bits - self.has_sign)) - 1

    @property
    def greatest(self) -> float:
        """The greatest finite number."""
        exponent, rest = divmod(self.largest, 1 << self.fraction)
        return (1 + rest / (1 << self.fraction)) * 2.0 ** (exponent - self.bias)


E4M3FN = FloatFormat(8, 3, 7, 0x7E, 0x7F, 0x7F)
E4M3FNUZ = FloatFormat(8, 3, 8, 0x7F, 0x80, 0x80, has_negative_zero=False)
E5M2 = FloatFormat(8, 2, 15, 0x7B, 0x7C, 0x7E, infinity=0x7C)
E5M2FNUZ = FloatFormat(8, 2, 16, 0x7F, 0x80, 0x80, has_negative_zero=False)
E8M0 = FloatFormat(8, 0, 127, 0xFE, 0xFF, 0xFF, has_sign=False)
E2M1 = FloatFormat(4, 1, 1, 0x7, 0x7, 0x8)
