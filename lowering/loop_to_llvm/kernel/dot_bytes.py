"""Write `scalar.dot_bytes` with the instructions of a target for products of bytes."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import si8, ui8
from ....dialects.loop import TargetAttr
from ....dialects.scalar import DotBytesOp
from ..isa import instructions_of
from ..text.function import FunctionWriter
from ..text.types import Value


def write_dot_bytes(
    w: FunctionWriter, target: TargetAttr, op: DotBytesOp, operands: Sequence[Value]
) -> Value:
    """Writes a sum plus the products of the bytes of two words, for each lane."""
    found, lanes = w.together(*operands)
    total, a, b = (w.splat(each, lanes) for each in found)
    set = instructions_of(target, ui8, si8, fits=op.fits > 0)
    for part in range(set.isa.parts):
        factors = set.take_a(w, a, part), set.take_b(w, b, part)
        total = set.multiply(w, *factors, total)
    return total
