"""
Mutants: what a file becomes when something in it is changed, removed, or put in twice.

Each mutator takes a source of random numbers, so that a seed gives the same mutant
again. Bytes know no format; `mutate_onnx` changes fields, `mutate_mlir` tokens.
"""

from __future__ import annotations

from random import Random

NUMBERS = (
    *(0, 1, 2, 3, 5, 8, 64, -1, -2, -3, 255, 256, 1000, 4097),
    *(2**15, 2**16, 10**6, 2**31 - 1, 2**31, -(2**31), 2**32, 2**32 + 1, 10**10),
    *(2**40, 2**53 + 1, 2**61, 2**62 - 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1),
)
"""Numbers at the edges of what types and sizes can be."""

REALS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e-7, 1e10, 3.4e38, -3.4e38),
    *(float("inf"), float("-inf"), float("nan")),
)

NAMES = (
    *("", "ghost", "0", "1", "-1", "18446744073709551620", "9223372036854775807"),
    *("n", "batch", "x", "y", "main", "2 * n", "n + n", "floordiv(n, 0)", "min"),
    *("a" * 300, "a\nb", "a\0b", "\u2028", '"', "'", "%", "../x", "/dev/zero"),
    *("If", "Loop", "Scan", "Einsum", "Resize", "NONE", "linear", "SAME_UPPER"),
)
"""Names that are hard to handle, and some that mean something."""


LARGEST = 200_000
"""Bytes of a file that mutants are made of, and of a mutant."""


def number_near(random: Random, value: int) -> int:
    """Another number: near the one that was there, small, or at an edge."""
    match random.randrange(4):
        case 0:
            return value + random.choice((-2, -1, 1, 2))
        case 1:
            return random.randrange(-4, 9)
        case 2:
            return -value
        case _:
            return random.choice(NUMBERS)


def mutate_bytes(random: Random, data: bytes, other: bytes) -> bytes:
    """`data` with bits flipped, cut, filled, moved, or with a part of `other`."""
    result = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 8))):
        if not result:
            return bytes(result)
        at = random.randrange(len(result))
        end = min(len(result), at + random.choice((1, 2, 4, 16, 200)))
        match random.randrange(8):
            case 0 | 1:
                result[at] ^= 1 << random.randrange(8)
            case 2:
                result[at] = random.choice((0, 1, 0x7F, 0x80, 0xFF, ord('"')))
            case 3:
                del result[at:end]
            case 4:
                result[at:at] = result[at:end] * random.choice((1, 2, 30))
            case 5:
                result[at:end] = random.randbytes(end - at)
            case 6:
                del result[at:]
            case _:
                start = random.randrange(len(other) + 1)
                result[at:end] = other[start : start + random.choice((1, 8, 100, 4000))]
    return bytes(result)
