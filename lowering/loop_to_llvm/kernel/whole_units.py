"""Write where the whole units of a range of indices end."""

from __future__ import annotations

from ....dialects import Dim
from ..text.dimensions import is_multiple
from ..text.function import FunctionWriter
from ..text.index_arithmetic import is_number


def whole_units(w: FunctionWriter, start: str, stop: str, unit: int, size: Dim) -> str:
    """
    Where the whole units of a range end, which begins at the start of a unit.

    Threads share the indices below `size` in whole units: where it is a multiple of
    the unit, every range is.
    """
    if is_multiple(size, unit):
        return stop
    if is_number(stop):
        return str(int(stop) // unit * unit)
    if unit & (unit - 1):
        left = w.emit(f"urem i64 {stop}, {unit}")
        end = w.emit(f"sub nuw nsw i64 {stop}, {left}")
    else:
        end = w.emit(f"and i64 {stop}, {-unit}")
    if is_number(start):
        return end
    return w.emit(f"call i64 @llvm.smax.i64(i64 {start}, i64 {end})")
