"""
Where a program in C finds the features that `TARGETS` name: bits of what CPUID says.

The words are those of `sr_processor` in `sr.h`: of leaf 1 ecx and edx, of leaf 7 ebx,
ecx and edx, eax of its second part, ecx of leaf 0x80000001, and the first word of XCR0,
which says what registers the system keeps. The bits are those of Intel's manual (Intel
64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID).
"""

from __future__ import annotations

from collections.abc import Iterable

_FEATURE_WORDS = 8
"""How many words there are."""

_BITS = {
    0: {
        **{"sse3": 0, "ssse3": 9, "fma": 12, "cx16": 13, "sse4.1": 19, "sse4.2": 20},
        **{"movbe": 22, "popcnt": 23, "avx": 28, "f16c": 29},
    },
    2: {
        **{"bmi": 3, "avx2": 5, "bmi2": 8, "avx512f": 16, "avx512dq": 17},
        **{"avx512ifma": 21, "avx512cd": 28, "avx512bw": 30, "avx512vl": 31},
    },
    3: {
        **{"avx512vbmi": 1, "avx512vbmi2": 6, "gfni": 8, "vaes": 9, "vpclmulqdq": 10},
        **{"avx512vnni": 11, "avx512bitalg": 12, "avx512vpopcntdq": 14},
    },
    4: {"avx512fp16": 23},
    5: {"avxvnni": 4, "avx512bf16": 5},
    6: {"lzcnt": 5},
}
"""The bit of each feature, by its word."""

_HAS_XCR0 = 27
"""The bit of the first word that says whether there is an XCR0 to read."""

_VECTORS, _WIDE_VECTORS = 0x6, 0xE6
"""What XCR0 says where the system keeps vectors of 256 bits, or of 512."""


def needed_words(features: Iterable[str]) -> list[int]:
    """
    The bits that a processor has with these features; `KeyError` for another, as those
    of AMX, which a process has only when it asked for them.
    """
    names = {*features}
    known = {
        name: (word, bit) for word, row in _BITS.items() for name, bit in row.items()
    }
    words = [0] * _FEATURE_WORDS
    for name in names:
        word, bit = known[name]
        words[word] |= 1 << bit
    if any(name.startswith(("avx", "fma", "f16c", "vaes", "vpcl")) for name in names):
        words[0] |= 1 << _HAS_XCR0
        words[-1] |= _VECTORS
    if any(name.startswith("avx512") for name in names):
        words[-1] |= _WIDE_VECTORS
    return words
