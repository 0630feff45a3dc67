"""
Fourier transforms: products with tables of cosines and sines, axis by axis.

The table of a known length is a constant; that of another one is computed by each call.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import (
    DTYPES,
    Dim,
    Polynomial,
    floordiv,
    minimum,
    normalize_axis,
    product,
)
from ....dialects.graph import DivOp, MatmulOp, SqrtOp
from ....dialects.graph.compose import (
    joined,
    matrices,
    number_like,
    part,
    permuted,
    reshaped,
    shape_of,
)
from .. import fourier
from ..unsupported import Unsupported, Varies
from .call import Call, Pair, Reader, Result


def _scaled(table: SSAValue, mode: int, length: Polynomial) -> SSAValue:
    """Builds a table with the factor of torch's number of the normalization."""
    if mode == 0:
        return table
    count = number_like(length, table)
    return DivOp(table, SqrtOp(count).result if mode == 1 else count).result


def _table(
    call: Call, length: Dim, taken: Dim, parts: int, mode: int, **how: bool
) -> SSAValue:
    """
    The factors of elements: rows for their real parts, then for their imaginary ones;
    columns for the real parts of results, then for the imaginary ones.
    """
    if isinstance(length, Polynomial):
        table = matrices.transform_table(length, taken, parts, call.element, **how)
        return _scaled(table, mode, length)
    assert isinstance(taken, int), "of a known length known elements are taken"
    if fourier.is_long(length, taken, parts, **how):
        raise Unsupported(f"a transform of {length} elements, which is long")
    scale = (1.0, 1 / sqrt(length), 1 / length)[mode]
    planes = (fourier.table(length, taken, parts, **how) * scale).transpose(1, 0, 3, 2)
    rows = planes.reshape(parts * taken, -1)
    return call.constant(np.ascontiguousarray(rows, DTYPES[call.element]))


def _along(
    call: Call,
    x: SSAValue | Pair,
    axis: int,
    mode: int,
    *,
    inverse: bool,
    length: Dim | None = None,
    onesided: bool = False,
) -> list[SSAValue]:
    """The parts of the transform along an axis; the length is that of real samples."""
    parts = [x.real, x.imaginary] if isinstance(x, Pair) else [x]
    shape = list(shape_of(parts[0]))
    place, rank = normalize_axis(axis, len(shape)), len(shape)
    size = shape[place]
    count = size if length is None else length
    taken = size if length is None else minimum(size, floordiv(length, 2) + 1)
    if isinstance(count, int) and isinstance(taken, Polynomial):
        raise Varies(f"a transform of {size} elements, a number that varies", size)
    table = _table(
        call, count, taken, len(parts), mode, inverse=inverse, onesided=onesided
    )
    columns = floordiv(count, 2) + 1 if onesided and not inverse else count
    results = 1 if onesided and inverse else 2
    rest = [each for each in range(rank) if each != place]
    outer = [shape[each] for each in rest]
    rows = [
        reshaped(
            permuted(part(each, place, 0, taken), [*rest, place]),
            [product(outer), taken],
        )
        for each in parts
    ]
    found = MatmulOp(joined(rows, 1), table).result
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
    call: Call, x: Pair, axes: Sequence[int], mode: int, length: Dim
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
