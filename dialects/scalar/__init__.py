"""The scalar dialect: what xDSL's arith and math lack, for bodies of loops."""

from __future__ import annotations

from xdsl.ir import Dialect

from .ops.dot_bytes import BYTE_BITS, DotBytesOp, words_that_fit
from .ops.remainder import RemainderOp
from .ops.scale_difference import ScaleDifferenceOp
from .rounding import rounds

__all__ = [
    "BYTE_BITS",
    "DotBytesOp",
    "RemainderOp",
    "Scalar",
    "ScaleDifferenceOp",
    "rounds",
    "words_that_fit",
]


Scalar = Dialect("scalar", [DotBytesOp, RemainderOp, ScaleDifferenceOp])
