"""ONNX ops that interpolate images: `Resize`, `Upsample` and `GridSample`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from ....dialects import MOST_BYTES, Dim, is_float
from ....dialects.graph import COORDINATES, ROUNDED, GridSampleOp, ResizeOp
from ....dialects.graph.compose import at_index, convert, sampling
from ..scaled_size import scaled_size
from ..unsupported import Unsupported, Varies
from .float_results import numbers
from .node import Handler, Node, Result
from .run_time_sizes import run_time_sizes


@dataclass(frozen=True)
class _Axis:
    """The new size of an axis, and the scale unless it is the ratio of the sizes."""

    size: Dim
    scale: float | None = None


def _resize(node: Node) -> Result:
    """The input interpolated to other sizes."""
    if node.since == 10:
        return _simply_resized(node, _whole_row(node, 1))
    rank = node.rank(0)
    axes = list(range(rank))
    if "axes" in node.signature.attributes:
        given = node.integers("axes")
        axes = axes if given is None else [node.normalize(each, rank) for each in given]
    policy = "stretch"
    if "keep_aspect_ratio_policy" in node.signature.attributes:
        policy = node.text("keep_aspect_ratio_policy")
    if _is_given(node, 3):
        sizes = run_time_sizes(node, 3, "size")
        _check_count(node, len(sizes), axes, "sizes")
        wanted = _with_policy(node, axes, sizes, policy)
    else:
        scales = _whole_row(node, 2)
        _check_count(node, len(scales), axes, "scales")
        wanted = _scaled(node, axes, scales)
    how = _interpolation(node)
    crops = [0.0] * len(axes) + [1.0] * len(axes)
    if how["coordinates"] == "tf_crop_and_resize":
        how["outside"] = node.number("extrapolation_value")
        if _is_given(node, 1) and numbers(node, 1) is None:
            return _cropped(node, axes, wanted, how)
        crops = _whole_row(node, 1)
        _check_count(node, len(crops), [*axes, *axes], "roi")
    result = node.operand(0)
    for axis, start, end in reversed(
        list(zip(axes, crops, crops[len(axes) :], strict=False))
    ):
        parts = {} if (start, end) == (0, 1) else {"start": start, "end": end}
        result = _along(node, result, axis, wanted[axis], how | parts)
    return result


def _cropped(
    node: Node, axes: Sequence[int], wanted: dict[int, _Axis], how: dict[str, Any]
) -> SSAValue:
    """Builds the input resized between ends of the axes that the run computes."""
    if node.rank(1) != 1:
        raise node.error(f"expected a row of ends as roi, got {node.type(1)}")
    count = 2 * len(axes)
    node.agreed(node.shape(1)[0], count, f"expected {count} roi, got {node.type(1)}")
    result = node.operand(0)
    for place, axis in reversed(list(enumerate(axes))):
        message = f"elements along axis {axis} of {node.type(0)}"
        node.require(node.shape(0)[axis] - 1, message)
        start, end = (
            at_index(node.operand(1), 0, each) for each in (place, place + len(axes))
        )
        result = sampling.resized_crop(
            result, axis, wanted[axis].size, (start, end), how
        )
    return result


def _along(
    node: Node, x: SSAValue, axis: int, wanted: _Axis, how: dict[str, Any]
) -> SSAValue:
    """Builds `x` with one axis resized; `x` itself when nothing changes."""
    is_same = wanted.size == node.shape(0)[axis] and wanted.scale in (None, 1)
    if is_same and "start" not in how:
        return x
    scale = {} if wanted.scale is None else {"scale": wanted.scale}
    return ResizeOp(x, axis=axis, size=str(wanted.size), **how, **scale).result


def _interpolation(node: Node) -> dict[str, Any]:
    """The interpolation properties that all resized axes share."""
    mode, coordinates = node.text("mode"), node.text("coordinate_transformation_mode")
    if coordinates not in COORDINATES:
        raise node.error(f"expected one of {', '.join(COORDINATES)}, got {coordinates}")
    how: dict[str, Any] = {"coordinates": coordinates}
    if mode == "nearest":
        how["mode"] = node.text("nearest_mode")
        if how["mode"] not in ROUNDED:
            raise node.error(f"expected one of {', '.join(ROUNDED)}, got {how['mode']}")
        return how
    if mode not in ("linear", "cubic"):
        raise node.error(f"expected a mode nearest, linear or cubic, got {mode}")
    if not is_float(node.type(0)):
        raise Unsupported(f"the mode {mode} for elements of {node.element(0)}")
    how["mode"] = mode
    if mode == "cubic":
        how["cubic"] = node.number("cubic_coeff_a")
    if node.flag("exclude_outside"):
        how["exclude_outside"] = True
    if "antialias" in node.signature.attributes and node.flag("antialias"):
        how["antialias"] = True
    return how


def _is_given(node: Node, place: int) -> bool:
    """Whether an input is given and not empty."""
    return (
        place < len(node.signature.inputs)
        and node.has(place)
        and node.shape(place) != (0,)
    )


def _whole_row(node: Node, place: int) -> list[float]:
    """The numbers of a known input."""
    if not _is_given(node, place):
        name = node.signature.input(place).name
        raise node.error(f"expected {name} of one or more numbers, got none")
    found = numbers(node, place)
    if found is None:
        name = node.signature.input(place).name
        known = node.require_known(place)
        raise Varies(f"an input {name} that varies", *known.dims())
    return found


def _check_count(node: Node, count: int, axes: Sequence[int], what: str) -> None:
    """Raises `CompileError` unless there is one number for each axis."""
    if count != len(axes):
        raise node.error(f"expected {len(axes)} {what}, got {count}")


def _with_policy(
    node: Node, axes: Sequence[int], sizes: Sequence[Dim], policy: str
) -> dict[int, _Axis]:
    """The requested sizes, or sizes that keep the aspect ratio by `policy`."""
    if policy == "stretch":
        return {axis: _Axis(size) for axis, size in zip(axes, sizes, strict=True)}
    if policy not in ("not_larger", "not_smaller"):
        raise node.error(
            f"expected a policy stretch, not_larger or not_smaller, got {policy}"
        )
    pairs = [
        (node.shape(0)[axis], size) for axis, size in zip(axes, sizes, strict=True)
    ]
    known = [
        (old, new)
        for old, new in pairs
        if isinstance(old, int) and isinstance(new, int)
    ]
    if len(known) < len(pairs) or not all(old for old, _ in known):
        why = f"the policy {policy} for sizes that vary: {node.type(0)}"
        raise Varies(why, *node.shape(0), *sizes)
    choose = min if policy == "not_larger" else max
    scale = choose(Fraction(new, old) for old, new in known)
    return {
        axis: _Axis(floor(old * scale + Fraction(1, 2)), float(scale))
        for axis, (old, _) in zip(axes, known, strict=True)
    }


def _scaled(
    node: Node, axes: Sequence[int], scales: Sequence[float]
) -> dict[int, _Axis]:
    """The sizes of the input times `scales`, rounded down."""
    found: dict[int, _Axis] = {}
    for axis, scale in zip(axes, scales, strict=True):
        if not 0 < scale < float("inf"):
            raise node.error(f"expected scales above zero, got {scale}")
        size, exact = node.shape(0)[axis], Fraction(scale)
        if isinstance(size, int):
            # As ONNX's shape inference does: in floats.
            with np.errstate(over="ignore"):
                rounded = float(np.float32(size) * np.float32(scale))
            if rounded >= MOST_BYTES:
                raise node.error(f"expected a size below 2**62, got {size} * {scale}")
            wanted = floor(rounded)
        elif (product := scaled_size(size, exact)) is not None:
            wanted = product
        else:
            raise Varies(f"a scale of {scale} for a size that varies: {size}", size)
        found[axis] = _Axis(wanted, scale)
    return found


def _simply_resized(node: Node, scales: Sequence[float]) -> Result:
    """The input scaled with the coordinates of ONNX up to opset 10."""
    mode = node.text("mode")
    if mode not in ("nearest", "linear"):
        raise node.error(f"expected a mode nearest or linear, got {mode}")
    if mode == "linear" and not is_float(node.type(0)):
        raise Unsupported(f"the mode {mode} for elements of {node.element(0)}")
    axes = range(node.rank(0))
    _check_count(node, len(scales), axes, "scales")
    wanted = _scaled(node, axes, scales)
    result = node.operand(0)
    for axis in reversed(axes):
        # ONNX does not define the rounding in these opsets; this is ONNX Runtime's.
        rounding = "ceil" if scales[axis] < 1 else "floor"
        how = {"mode": rounding if mode == "nearest" else mode}
        how["coordinates"] = "asymmetric"
        result = _along(node, result, axis, wanted[axis], how)
    return result


def _upsample(node: Node) -> Result:
    """The input scaled by a factor for each axis."""
    if "scales" not in node.signature.attributes:
        return _simply_resized(node, _whole_row(node, 1))
    found = node.attribute("scales")
    assert found is not None, "the signature requires the scales"
    return _simply_resized(node, list(found.floats))


def _grid_sample(node: Node) -> Result:
    """The elements of an image at the points of a grid."""
    mode = node.text("mode").removeprefix("bi")
    return GridSampleOp(
        node.operand(0),
        convert(node.operand(1), node.element(0)),
        mode=mode,
        padding=node.text("padding_mode"),
        align_corners=node.flag("align_corners"),
    )


HANDLERS: dict[str, Handler] = {
    "GridSample": _grid_sample,
    "Resize": _resize,
    "Upsample": _upsample,
}
