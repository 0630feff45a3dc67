"""
Write products of 8-bit integers with AVX-VNNI: VPDPBUSD on vectors of 256 bits.

It is the instruction of AVX512-VNNI (`avx512_vnni.py`) in a processor without AVX-512,
where it has an encoding of its own, which LLVM chooses.
"""

from __future__ import annotations

from ....dialects.loop import AVX_VNNI
from .avx512_vnni import Avx512Vnni


class AvxVnni(Avx512Vnni):
    """Instructions on vectors of up to 256 bits."""

    isa = AVX_VNNI

    LANES = (4, 8)
