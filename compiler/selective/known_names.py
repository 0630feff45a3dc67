"""The names of dtypes and of features that a selection may have."""

from __future__ import annotations

from ...runtime.machine import TARGETS

_WHOLE = ("Byte", "Char", "Short", "Int", "Long", "UInt16", "UInt32", "UInt64")
_REAL = ("Half", "Float", "Double", "BFloat16")
_COMPLEX = ("ComplexHalf", "ComplexFloat", "ComplexDouble")
_QUANTIZED = ("QInt8", "QUInt8", "QInt32", "QUInt4x2", "QUInt2x4")
_BITS = ("Bits1x8", "Bits2x4", "Bits4x2", "Bits8", "Bits16")
_NARROW_DTYPES = (
    *("Float8_e5m2", "Float8_e4m3fn", "Float8_e5m2fnuz", "Float8_e4m3fnuz"),
    *("Float8_e8m0fnu", "Float4_e2m1fn_x2"),
    *(f"{kind}{bits}" for kind in ("Int", "UInt") for bits in range(1, 8)),
)

DTYPES = ("Bool", *_WHOLE, *_REAL, *_COMPLEX, *_QUANTIZED, *_BITS, *_NARROW_DTYPES)
"""The names of PyTorch's `ScalarType`; its tools write those that kernels here lack."""

FEATURES = (
    *("dynamic_shapes", "fallback", "python_entry", "threads"),
    *(f"isa:{name}" for name in TARGETS),
)
"""What a run may need besides operators and kernels."""
