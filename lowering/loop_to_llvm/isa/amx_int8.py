"""
Write products of 8-bit integers with AMX: TDPBSSD, TDPBSUD, TDPBUSD and TDPBUUD.

The tiles are those of products of bf16 (`amx.py`), with 64 k in a row of A, and words
of four k in a row of B. An instruction adds 64 k to 16 x 16 accumulators, which wrap.
There is one for each way in which the bytes of A and of B are signed: first A, then B
(Intel's manual, volume 2, "TDPBSSD").
"""

from __future__ import annotations

from ....dialects.loop import AMX_INT8
from ..text.function import FunctionWriter
from .amx import Tiles
from .avx512_vnni import Avx512Vnni
from .instructions import TileRegisters
from .portable_int8 import is_signed


class AmxInt8(Avx512Vnni):
    """
    The instructions of a processor with AMX-INT8.

    What no tile registers are used for is multiplied by AVX512-VNNI.
    """

    isa = AMX_INT8

    def tiles(self, w: FunctionWriter) -> TileRegisters:
        """The tiles, which nothing has configured yet."""
        signs = "".join("s" if is_signed(each) else "u" for each in (self.a, self.b))
        return Tiles(w, f"tdpb{signs}d")
