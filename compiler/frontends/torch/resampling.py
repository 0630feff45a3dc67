"""Operators that resize images, or sample them at points of a grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from ....dialects import (
    Dim,
    greater,
    is_float,
    is_nonnegative,
    tensor_type,
    ui8,
)
from ....dialects.graph import GridSampleOp, Requirement, RequireOp, ResizeOp
from ....dialects.graph.compose import resized_bytes, shape_of
from ..unsupported import Unsupported
from .call import Call, Reader, Result


@dataclass(frozen=True)
class Kind:
    """How an axis is resized."""

    how: Mapping[str, Any]
    """The properties of the op."""

    ratios: Sequence[int]
    """The ratios of sizes in which torch ignores the scale."""

    is_of_bytes: bool = False
    """Whether it interpolates between bytes."""

    def along(self, x: SSAValue, axis: int, size: Dim, scale: float | None) -> SSAValue:
        """Builds a tensor resized along an axis, by a scale if it has one."""
        old = shape_of(x)[axis]
        if any(size == old * ratio for ratio in self.ratios):
            scale = None
        if size == old and scale in (None, 1):
            return x
        if scale is not None:
            _require_other_ratios(old, size, scale, self.ratios)
        given = {} if scale is None else {"scale": float(scale)}
        how = {"multiplies": True, **self.how, **given}
        if self.is_of_bytes:
            return resized_bytes(x, axis, size, **how)
        return ResizeOp(x, axis=axis, size=str(size), **how).result


def _resized(
    call: Call, x: SSAValue, scales: Sequence[float | None], kind: Kind
) -> SSAValue:
    """The last axes, one for each scale, resized to the sizes of the result."""
    rank, count = len(shape_of(x)), len(scales)
    for axis in reversed(range(rank - count, rank)):
        x = kind.along(x, axis, call.shape[axis], scales[axis - rank])
    return x


def _require_other_ratios(
    old: Dim, size: Dim, scale: float, ratios: Sequence[int]
) -> None:
    """Builds the checks that a scale is not ignored that the ratio differs from."""
    for ratio in ratios:
        off = size - old * ratio
        # Of one element there is only one choice.
        amount = greater(greater(off, off * -1) - 1, 1 - old)
        if ratio != scale and not is_nonnegative(amount, {}):
            text = f"expected a size {size} other than {ratio} * {old}, as torch"
            why = Requirement(amount, f"{text} ignores the scale {scale} there")
            RequireOp.of(why, "interpolate")


def scales_of(scales: Sequence[Any], count: int) -> list[float | None]:
    """The scale of each axis, where given: as one list, or as separate arguments."""
    several = scales
    if len(scales) == 1 and (scales[0] is None or isa(scales[0], Sequence[Any])):
        several = scales[0] or [None] * count
    for each in several:
        if each is not None and not isinstance(each, (int, float)):
            raise Unsupported(f"a scale that varies, {each}")
    return list(several)


def kind_of_nearest(coordinates: str) -> Kind:
    """Each point as the nearest element."""
    ratios = (1, 2) if coordinates == "asymmetric" else ()
    return Kind({"mode": "floor", "coordinates": coordinates}, ratios)


def nearest(count: int, coordinates: str) -> Reader:
    """The reader of nearest-neighbour resizing over `count` axes."""
    kind = kind_of_nearest(coordinates)

    def read(
        call: Call, x: SSAValue, size: Sequence[Dim] | None, *scales: Any
    ) -> Result:
        return _resized(call, x, scales_of(scales, count), kind)

    return read


def kind_between(how: Mapping[str, Any], align_corners: bool) -> Kind:
    """Each point between elements; raises `Unsupported`."""
    coordinates = "align_corners" if align_corners else "half_pixel"
    if how.get("antialias") and align_corners:
        raise Unsupported("antialias with align_corners")
    is_cubic = how["mode"] == "cubic" and not how.get("antialias")
    return Kind({**how, "coordinates": coordinates}, () if is_cubic else (1,))


def _interpolated(count: int, how: Mapping[str, Any]) -> Reader:
    """The reader of interpolated resizing over `count` axes."""

    def read(
        call: Call,
        x: SSAValue,
        size: Sequence[Dim] | None,
        align_corners: bool,
        *scales: Any,
    ) -> Result:
        type = tensor_type(x)
        if not is_float(type) and type.element_type != ui8:
            raise Unsupported("integers between which it interpolates, not bytes")
        kind = kind_between(how, align_corners)
        if type.element_type == ui8:
            kind = replace(kind, is_of_bytes=True, ratios=(1,))
        return _resized(call, x, scales_of(scales, count), kind)

    return read


def _grid_sample(
    call: Call,
    x: SSAValue,
    grid: SSAValue,
    mode: int,
    padding: int,
    align_corners: bool,
) -> Result:
    """The elements of an image at the points of a grid."""
    return GridSampleOp(
        x,
        grid,
        mode=("linear", "nearest", "cubic")[mode],
        padding=("zeros", "border", "reflection")[padding],
        align_corners=align_corners,
    ).result


_SMOOTH: dict[str, Any] = {"antialias": True, "exclude_outside": True}
"""The properties of torch's antialiasing, which ignores elements beyond the image."""

NEAREST = {
    f"{name}{count}d": (count, coordinates)
    for name, coordinates in (
        ("upsample_nearest", "asymmetric"),
        ("_upsample_nearest_exact", "tf_half_pixel_for_nn"),
    )
    for count in (1, 2, 3)
}
"""Operators that take the nearest elements: how many axes, and their coordinates."""

BETWEEN: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "upsample_linear1d": (1, {"mode": "linear"}),
    "upsample_bilinear2d": (2, {"mode": "linear"}),
    "upsample_trilinear3d": (3, {"mode": "linear"}),
    "upsample_bicubic2d": (2, {"mode": "cubic"}),
    "_upsample_bilinear2d_aa": (2, {"mode": "linear", **_SMOOTH}),
    "_upsample_bicubic2d_aa": (2, {"mode": "cubic", "cubic": -0.5, **_SMOOTH}),
}
"""Operators that interpolate: over how many axes, and properties of the op."""

_KINDS: dict[str, Reader] = {
    **{name: nearest(*how) for name, how in NEAREST.items()},
    **{name: _interpolated(*how) for name, how in BETWEEN.items()},
}

_DECOMPOSED = ("upsample_bilinear2d.default", "upsample_bicubic2d.default")
"""Operators that torch always decomposes."""

READERS: dict[str, Reader] = {
    **{
        f"aten.{name}.{form}": reader
        for name, reader in _KINDS.items()
        for form in ("vec", "default")
        if f"{name}.{form}" not in _DECOMPOSED
    },
    "aten.grid_sampler_2d.default": _grid_sample,
    "aten.grid_sampler_3d.default": _grid_sample,
}
