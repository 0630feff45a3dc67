"""Fourier transforms: products with tables of cosines and sines, axis by axis."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import DTYPES, normalize_axis, product
from ....dialects.graph import MatmulOp
from ....dialects.graph.compose import (
    joined,
    part,
    permuted,
    reshaped,
    shape_of,
)
from .. import fourier
from ..unsupported import Unsupported, Varies
from .call import Call, Pair, Reader, Result


def _scale(mode: int, length: int) -> float:
    """What results are multiplied by, by torch's number of the normalization."""
    return (1.0, 1 / sqrt(length), 1 / length)[mode]


def _along(
    call: Call,
    x: SSAValue | Pair,
    axis: int,
    mode: int,
    *,
    inverse: bool,
    length: int | None = None,
    onesided: bool = False,
) -> list[SSAValue]:
    """The parts of the transform along an axis; the length is that of real samples."""
    parts = [x.real, x.imaginary] if isinstance(x, Pair) else [x]
    shape = list(shape_of(parts[0]))
    place, rank = normalize_axis(axis, len(shape)), len(shape)
    size = shape[place]
    if not isinstance(size, int):
        raise Varies(f"a transform of {size} elements, a number that varies", size)
    count = size if length is None else length
    taken = min(size, count // 2 + 1) if length is not None else size
    how = {"inverse": inverse, "onesided": onesided}
    if fourier.is_long(count, taken, len(parts), **how):
        raise Unsupported(f"a transform of {count} elements, which is long")
    numbers = fourier.table(count, taken, len(parts), **how) * _scale(mode, count)
    # All real parts come before the imaginary ones.
    planes = numbers.transpose(1, 0, 3, 2)
    results, columns = planes.shape[2:]
    table = planes.reshape(len(parts) * taken, results * columns)
    rest = [each for each in range(rank) if each != place]
    outer = [shape[each] for each in rest]
    rows = [
        reshaped(
            permuted(part(each, place, 0, taken), [*rest, place]),
            [product(outer), taken],
        )
        for each in parts
    ]
    weight = call.constant(np.ascontiguousarray(table, DTYPES[call.element]))
    found = MatmulOp(joined(rows, 1), weight).result
    back = [*range(place), rank - 1, *range(place, rank - 1)]
    return [
        permuted(
            reshaped(part(found, 1, each * columns, columns), [*outer, columns]), back
        )
        for each in range(results)
    ]


def _complex(
    call: Call, x: Pair, axes: Sequence[int], mode: int, inverse: bool
) -> Pair:
    """The transforms of complex numbers along axes."""
    for axis in axes:
        x = Pair(*_along(call, x, axis, mode, inverse=inverse))
    return x


def _of_real(
    call: Call, x: SSAValue, axes: Sequence[int], mode: int, onesided: bool
) -> Result:
    """The transforms of real numbers, of the last axis maybe one side alone."""
    found = Pair(*_along(call, x, axes[-1], mode, inverse=False, onesided=onesided))
    return _complex(call, found, axes[:-1], mode, False)


def _of_complex(
    call: Call, x: Pair, axes: Sequence[int], mode: int, forward: bool
) -> Result:
    """The transforms of complex numbers, or their inverses."""
    return _complex(call, x, axes, mode, not forward)


def _to_real(
    call: Call, x: Pair, axes: Sequence[int], mode: int, length: int
) -> Result:
    """The inverses of transforms, one side of whose last axis is given."""
    x = _complex(call, x, axes[:-1], mode, True)
    (found,) = _along(
        call, x, axes[-1], mode, inverse=True, length=length, onesided=True
    )
    return found


READERS: dict[str, Reader] = {
    "aten._fft_r2c.default": _of_real,
    "aten._fft_c2c.default": _of_complex,
    "aten._fft_c2r.default": _to_real,
}
