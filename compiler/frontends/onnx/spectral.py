"""
ONNX ops on frequencies: `DFT`, `STFT`, `MelWeightMatrix`.

A transform of a known length is a product with a table of cosines and sines. Complex
numbers are pairs along the last axis.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import Array, Dim, floordiv, product
from ....dialects.graph import ConvOp, MatmulOp, MulOp, to_elements
from ....dialects.graph.compose import part, permuted, reshaped
from .. import fourier
from ..known import Known
from ..unsupported import Unsupported, Varies
from .element import element
from .node import Handler, Node, Result


def _table(
    node: Node, length: int, taken: int, parts: int, *, inverse: bool, onesided: bool
) -> Array:
    """
    The numbers that the parts of `taken` elements are multiplied by, one row for each
    part: of each frequency, or of each sample of an inverse, the columns for its parts.
    """
    how = {"inverse": inverse, "onesided": onesided}
    if fourier.is_long(length, taken, parts, **how):
        raise Unsupported(f"a transform of {length} elements, which is long")
    found = fourier.table(length, taken, parts, **how)
    return to_elements(found / length if inverse else found, node.element(0))


def _parts(node: Node, shape: Sequence[Dim]) -> int:
    """How many parts an element has: 1 if it is real, 2 if it is complex."""
    if len(shape) < 2 or shape[-1] not in (1, 2):
        raise node.error(f"expected real or complex numbers, got {node.type(0)}")
    return 2 if shape[-1] == 2 else 1


def _number(size: Dim, what: str) -> int:
    """A size that must be a number."""
    if not isinstance(size, int):
        raise Varies(f"{what} that varies: {size}", size)
    return size


def _transform(node: Node) -> Result:
    """The discrete Fourier transform along an axis, or its inverse."""
    x, shape = node.operand(0), list(node.shape(0))
    rank, parts = len(shape), _parts(node, node.shape(0))
    if "axis" in node.signature.attributes:
        axis = node.integer("axis")
    else:
        axis = node.whole_number(2) if node.has(2) else -2
    axis = node.normalize(axis, rank)
    if axis == rank - 1:
        raise node.error(f"expected an axis before the last, got {axis}")
    inverse, onesided = node.flag("inverse"), node.flag("onesided")
    size = _number(shape[axis], "a length")
    length = 2 * (size - 1) if inverse and onesided else size
    if node.has(1):
        length = node.whole_number(1)
    if length < 1 or (onesided and not inverse and parts == 2):
        raise node.error(
            "expected a length of 1 or more, and real numbers for one side of the "
            f"frequencies, got {length} and {node.type(0)}"
        )
    most = length // 2 + 1 if inverse and onesided else length
    size = min(size, most)
    how = {"inverse": inverse, "onesided": onesided}
    table = _table(node, length, size, parts, **how)
    rest = [each for each in range(rank - 1) if each != axis]
    rows = permuted(part(x, axis, 0, size), [*rest, axis, rank - 1])
    outer = [shape[each] for each in rest]
    flat = reshaped(rows, [product(outer), size * parts])
    columns = node.tensor(Known.of(table.reshape(size * parts, -1)))
    found = reshaped(MatmulOp(flat, columns).result, [*outer, *table.shape[2:]])
    back = [*range(axis), rank - 2, *range(axis, rank - 2), rank - 1]
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
    how = {"inverse": False, "onesided": node.flag("onesided")}
    table = _table(node, length, length, parts, **how)
    count, results = table.shape[2:]
    # One filter for each part of a frequency, one channel for each part of a sample.
    filters = np.ascontiguousarray(table.transpose(2, 3, 1, 0))
    weight = node.tensor(Known.of(filters.reshape(count * results, parts, length)))
    if node.has(2):
        weight = MulOp(weight, _window(node, length)).result
    signal = permuted(reshaped(node.operand(0), shape), [0, 2, 1])
    found = ConvOp(
        signal, weight, strides=(step,), padding=(0, 0), dilation=(1,), groups=1
    ).result
    frames = floordiv(shape[1] - length, step) + 1
    apart = reshaped(found, [shape[0], count, results, frames])
    return permuted(apart, [0, 3, 1, 2])


def _window(node: Node, length: int) -> SSAValue:
    """The factor of each sample of a frame."""
    if node.shape(2) != (length,):
        raise node.error(f"expected a window of {length}, got {node.type(2)}")
    return node.operand(2)


def _mel(hertz: Array) -> Array:
    """A frequency on the mel scale."""
    return 2595 * np.log10(1 + hertz / 700)


def _mel_weights(node: Node) -> Result:
    """Triangles over the frequencies of a transform, equally wide on the mel scale."""
    bins, length, rate = (node.whole_number(place) for place in range(3))
    edges = np.array([node.require_known(place).array.item() for place in (3, 4)])
    if bins < 1 or length < 1 or rate < 1 or bins * length > fourier.MOST_NUMBERS:
        raise node.error(
            f"expected bins, a length and a rate, got {bins}, {length} and {rate}"
        )
    low, high = _mel(edges.astype(np.float64))
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
