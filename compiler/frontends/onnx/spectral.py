"""
ONNX ops on frequencies: `DFT`, `STFT`, `MelWeightMatrix`.

A transform is a product with a table of cosines and sines, a constant where the length
is known. Complex numbers are pairs along the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Dim, Polynomial, floordiv, lesser, product
from ....dialects.graph import ConvOp, DivOp, MatmulOp, MulOp, to_elements
from ....dialects.graph.compose import matrices, number_like, part, permuted, reshaped
from .. import fourier
from ..known import Known
from ..unsupported import Unsupported, Varies
from .element import element
from .node import Handler, Node, Result


def _table(
    node: Node, length: Dim, taken: Dim, parts: int, *, inverse: bool, onesided: bool
) -> SSAValue:
    """
    The factors of elements: rows for their real parts, then for their imaginary ones;
    columns for the real parts of results, then for the imaginary ones. A run computes
    those of a length that varies.
    """
    how = {"inverse": inverse, "onesided": onesided}
    kind = node.element(0)
    if isinstance(length, Polynomial):
        table = matrices.transform_table(length, taken, parts, kind, **how)
        return DivOp(table, number_like(length, table)).result if inverse else table
    most = taken if isinstance(taken, int) else fourier.most_taken(length, **how)
    if fourier.is_long(length, most, parts, **how):
        raise Unsupported(f"a transform of {length} elements, which is long")
    found = fourier.table(length, most, parts, **how) / (length if inverse else 1)
    planes = found.transpose(1, 0, 3, 2).reshape(parts, most, -1)
    known = node.tensor(Known.of(to_elements(planes, kind)))
    return reshaped(part(known, 1, 0, taken), [parts * taken, planes.shape[-1]])


def _parts(node: Node, shape: Sequence[Dim]) -> int:
    """How many parts an element has: 1 if it is real, 2 if it is complex."""
    if len(shape) < 2 or shape[-1] not in (1, 2):
        if len(shape) > 1 and not isinstance(shape[-1], int):
            what = "real numbers (1) or complex ones (2) by a last axis that varies"
            raise Varies(f"{what}: {shape[-1]}", shape[-1])
        raise node.error(f"expected real or complex numbers, got {node.type(0)}")
    return 2 if shape[-1] == 2 else 1


def _number(size: Dim, what: str) -> int:
    """A size that must be a number."""
    if not isinstance(size, int):
        raise Varies(f"{what} that varies: {size}", size)
    return size


def _transform(node: Node) -> Result:
    """The discrete Fourier transform along an axis, or its inverse."""
    shape = list(node.shape(0))
    rank, parts = len(shape), _parts(node, node.shape(0))
    if "axis" in node.signature.attributes:
        axis = node.integer("axis")
    else:
        axis = node.whole_number(2) if node.has(2) else -2
    axis = node.normalize(axis, rank)
    if axis == rank - 1:
        raise node.error(f"expected an axis before the last, got {axis}")
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    size = shape[axis]
    length = 2 * (size - 1) if inverse and onesided else size
    if node.has(1):
        length = node.dimension(1)
    wanted = "a length of 1 or more"
    is_short = isinstance(length, int) and length < 1
    if is_short or (onesided and not inverse and parts == 2):
        raise node.error(
            f"expected {wanted}, and real numbers for one side of the frequencies, got "
            f"{length} and {node.type(0)}"
        )
    node.require(length - 1, f"{wanted}, got {length} along axis {axis}")
    how = {"inverse": inverse, "onesided": onesided}
    taken = lesser(size, fourier.most_taken(length, **how))
    table = _table(node, length, taken, parts, **how)
    rest = [each for each in range(rank - 1) if each != axis]
    outer = [shape[each] for each in rest]
    rows = permuted(part(node.operand(0), axis, 0, taken), [*rest, rank - 1, axis])
    flat = reshaped(rows, [product(outer), parts * taken])
    count = floordiv(length, 2) + 1 if onesided and not inverse else length
    results = 1 if onesided and inverse else 2
    found = reshaped(MatmulOp(flat, table).result, [*outer, results, count])
    back = [*range(axis), rank - 1, *range(axis, rank - 2), rank - 2]
    return permuted(found, back)


def _short_time_transform(node: Node) -> Result:
    """The transforms of windows of a signal: a convolution with a table."""
    if node.rank(0) not in (2, 3):
        raise node.error(f"expected BxLx1 or BxLx2, got {node.type(0)}")
    shape = [*node.shape(0), *[1] * (3 - node.rank(0))]
    parts, step = _parts(node, shape), node.whole_number(1)
    if node.has(3):
        length = node.whole_number(3)
    else:
        size = node.shape(2)[0] if node.has(2) else shape[1]
        length = _number(size, "a length of frames")
    if step < 1 or length < 1:
        raise node.error(f"expected a step and a length, got {step} and {length}")
    onesided = node.flag("onesided")
    table = _table(node, length, length, parts, inverse=False, onesided=onesided)
    count = length // 2 + 1 if onesided else length
    # One filter for each part of a frequency, one channel for each part of a sample.
    weight = reshaped(permuted(table, [1, 0]), [2 * count, parts, length])
    if node.has(2):
        weight = MulOp(weight, _window(node, length)).result
    signal = permuted(reshaped(node.operand(0), shape), [0, 2, 1])
    found = ConvOp(
        signal, weight, strides=(step,), padding=(0, 0), dilation=(1,), groups=1
    ).result
    frames = floordiv(shape[1] - length, step) + 1
    apart = reshaped(found, [shape[0], 2, count, frames])
    return permuted(apart, [0, 3, 2, 1])


def _window(node: Node, length: Dim) -> SSAValue:
    """The factor of each sample of a frame."""
    what = f"expected a window of {length}, got {node.type(2)}"
    if node.rank(2) != 1:
        raise node.error(what)
    node.agreed(node.shape(2)[0], length, what)
    return reshaped(node.operand(2), [length])


def _mel_weights(node: Node) -> Result:
    """Triangles over the frequencies of a transform, equally wide on the mel scale."""
    bins, length, rate = (node.whole_number(place) for place in range(3))
    edges = np.array([node.require_known(place).array.item() for place in (3, 4)])
    if bins < 1 or length < 1 or rate < 1 or bins * length > fourier.MOST_NUMBERS:
        raise node.error(
            f"expected bins, a length and a rate, got {bins}, {length} and {rate}"
        )
    low, high = 2595 * np.log10(1 + edges.astype(np.float64) / 700)
    # ONNX divides by two more than there are triangles, so the last edge is not met.
    scale = low + np.arange(bins + 2) * ((high - low) / (bins + 2))
    hertz = 700 * (10 ** (scale / 2595) - 1)
    at = np.floor((length + 1) * hertz / rate)
    left, center, right = at[:-2], at[1:-1], at[2:]
    place = np.arange(length // 2 + 1)[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        rising = np.where(center > left, (place - left) / (center - left), 1.0)
        falling = (right - place) / (right - center)
    is_rising = (left <= place) & (place <= center)
    is_falling = (center < place) & (place < right)
    # The peak is on the falling side, where there is one.
    is_peak = (place == center) & (right > center)
    table = np.where(is_rising, rising, np.where(is_falling, falling, 0.0))
    table = np.where(is_peak, 1.0, table)
    return Known.of(to_elements(table, element(node.integer("output_datatype"))))


HANDLERS: dict[str, Handler] = {
    "DFT": _transform,
    "MelWeightMatrix": _mel_weights,
    "STFT": _short_time_transform,
}
