"""
Write what VPDPBUSD computes, byte by byte: slowly, on every machine, for tests.

Factors are moved and sums corrected as for the instruction (`avx512_vnni.py`).
"""

from __future__ import annotations

from ....dialects.loop import PORTABLE_VNNI
from .avx512_vnni import Avx512Vnni


class PortableVnni(Avx512Vnni):
    """Products of each byte, whatever the lanes."""

    isa = PORTABLE_VNNI

    LANES = ()
