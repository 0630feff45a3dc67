"""`graph.resize`: a tensor interpolated along an axis to another size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from xdsl.dialects.builtin import (
    Float64Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f32,
    i1,
    i64,
)
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, maximum, minimum
from ...shape import (
    Array,
    Element,
    Tensor,
    normalize_axis,
    sizes,
    tensor,
    tensor_type,
)
from ..element_array import to_elements
from ..families.elementwise import require
from ..families.interpolation import Interpolation
from ..literal import to_names
from ..op import Requirement, SingleResultOp
from .arithmetic import AbsOp
from .binary import AddOp, DivOp, MaximumOp, MinimumOp, MulOp, SubOp
from .cast import CastOp
from .compare import EqOp, GeOp, LeOp, LtOp
from .constant import ConstantOp
from .dim import DimOp
from .index_select import IndexSelectOp
from .iota import IotaOp
from .logical import LogicalAndOp
from .reduce import SumOp
from .resample import ResampleOp, kernel_of
from .reshape import ReshapeOp
from .rounding import CeilOp, FloorOp
from .where import WhereOp


@irdl_op_definition
class ResizeOp(SingleResultOp):
    """
    The tensor interpolated to `size` elements along `axis`.

    `mode` is `linear`, `cubic`, or the rounding of the position to the nearest element
    (`floor`, `ceil`, `round_prefer_floor`, `round_prefer_ceil`). `coordinates` has
    ONNX's names. The other properties are those of `Interpolation`.

    ```mlir
    %1 = graph.resize %0 {axis = 1 : i64, size = "10", mode = "floor", coordinates = "asymmetric"} : tensor<3x5x4xf32> -> tensor<3x10x4xf32>
    %2 = graph.resize %0 {axis = 1 : i64, size = "8", mode = "linear", coordinates = "half_pixel"} : tensor<3x5x4xf32> -> tensor<3x8x4xf32>
    %3 = graph.resize %0 {axis = -1 : i64, size = "6", mode = "cubic", coordinates = "align_corners", multiplies = true} : tensor<2x9xf32> -> tensor<2x6xf32>
    %4 = graph.resize %0 {axis = -1 : i64, size = "4", mode = "linear", coordinates = "half_pixel_symmetric", scale = 0.6 : f64} : tensor<2x7xf32> -> tensor<2x4xf32>
    %5 = graph.resize %0 {axis = -1 : i64, size = "6", mode = "cubic", coordinates = "pytorch_half_pixel", cubic = -0.5 : f64, exclude_outside = true} : tensor<2x9xf32> -> tensor<2x6xf32>
    %6 = graph.resize %0 {axis = 0 : i64, size = "4", mode = "linear", coordinates = "half_pixel", scale = 0.4 : f64, antialias = true} : tensor<9x2xf32> -> tensor<4x2xf32>
    %7 = graph.resize %0 {axis = 0 : i64, size = "4", mode = "round_prefer_ceil", coordinates = "tf_crop_and_resize", start = -0.2 : f64, end = 0.7 : f64, outside = 5.0 : f64} : tensor<9x2xf32> -> tensor<4x2xf32>
    ```
    """

    name = "graph.resize"
    DIM_PROPERTIES: ClassVar = ("size",)

    input = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(i64))
    size = prop_def(StringAttr)
    mode = prop_def(StringAttr)
    coordinates = prop_def(StringAttr)
    scale = opt_prop_def(FloatAttr[Float64Type])
    multiplies = opt_prop_def(IntegerAttr.constr(i1))
    cubic = opt_prop_def(FloatAttr[Float64Type])
    exclude_outside = opt_prop_def(IntegerAttr.constr(i1))
    antialias = opt_prop_def(IntegerAttr.constr(i1))
    start = opt_prop_def(FloatAttr[Float64Type])
    end = opt_prop_def(FloatAttr[Float64Type])
    outside = opt_prop_def(FloatAttr[Float64Type])

    @classmethod
    def infer(cls, input: Tensor, axis: int, size: str, **how: Any) -> Tensor:
        interpolation, shape = Interpolation(**how), list(sizes(input))
        require(input, "any" if interpolation.is_nearest else "float")
        along, points = normalize_axis(axis, len(shape)), dim(size)
        if shape[along] == 0 or (isinstance(points, int) and points < 0):
            raise VerifyException(
                f"expected elements along axis {axis} of {input}, and zero or more of "
                f"the result, got {size}"
            )
        if interpolation.coordinates == "tf_crop_and_resize":
            if not isinstance(points, int):
                raise VerifyException(f"expected a size that is a number, got {size}")
        interpolation.reach(shape[along], points)
        shape[along] = points
        return tensor(input.element_type, *shape)

    @property
    def interpolation(self) -> Interpolation:
        """How the axis is resized."""
        values = self.values()
        del values["axis"], values["size"]
        return Interpolation(**values)

    @property
    def along(self) -> int:
        """The axis, counted from the front."""
        return normalize_axis(self.axis.value.data, len(self.shape))

    def requirements(self) -> Sequence[Requirement]:
        type = tensor_type(self.input)
        message = f"expected elements along axis {self.along} of {type}"
        return [Requirement(sizes(type)[self.along] - 1, message)]

    def reference(
        self, input: Array, axis: int, size: str | tuple[int, ...], **how: Any
    ) -> Array:
        interpolation = Interpolation(**how)
        count = input.shape[axis]
        points = int(size if isinstance(size, str) else size[0])
        kind = np.dtype(np.float32) if interpolation.is_nearest else input.dtype
        positions = interpolation.positions(count, points, kind)
        if interpolation.is_nearest:
            result = np.take(input, interpolation.nearest(positions, count), axis)
        else:
            indices, weights = interpolation.table(positions, count)
            found = np.moveaxis(input, axis, -1)[..., indices]
            with np.errstate(all="ignore"):
                total = (found * weights).sum(-1, dtype=input.dtype)
            result = np.moveaxis(total, -1, axis)
        if interpolation.outside is None:
            return result
        beyond = (positions < 0) | (positions > count - 1)
        row = [1] * input.ndim
        row[axis] = -1
        value = input.dtype.type(interpolation.outside)
        return np.where(beyond.reshape(row), value, result)

    def decompose(self) -> Sequence[SSAValue]:
        how, count = self.interpolation, sizes(tensor_type(self.input))[self.along]
        if how.keeps_equal and self.shape[self.along] == count:
            return [self.input]
        return [resized(self.input, self.along, self.shape[self.along], how)]


def resized(
    x: SSAValue,
    axis: int,
    size: Dim,
    how: Interpolation,
    crop: tuple[SSAValue, SSAValue] | None = None,
) -> SSAValue:
    """
    Builds `x` interpolated along an axis; the ends of a `crop`, of rank 0 and of the
    type of positions, are used instead of those that `how` has.
    """
    type = tensor_type(x)
    count, rank = sizes(type)[axis], len(sizes(type))
    kind = position_type(type, how)
    row = _Row(how, count, size, kind)
    times = how.repeats(count, size) if how.is_nearest and crop is None else 0
    if times:
        chosen = DivOp(IotaOp(size=str(size)), row.number(times, i64)).result
        return IndexSelectOp(x, chosen, axis=axis, wraps=False).result
    positions = row.positions() if crop is None else row.cropped(*crop)
    if how.is_nearest:
        chosen = row.inside(row.rounded(positions))
        in_order = {"in_order": UnitAttr()} if how.keeps_equal else {}
        result = IndexSelectOp(x, chosen, axis=axis, wraps=False, **in_order).result
    else:
        indices, weights = row.table(positions)
        # An axis that is not cropped after all stays as it is, infinities included.
        skips = crop is not None
        result = ResampleOp(x, indices, weights, axis=axis, skips=skips).result
    if how.outside is None:
        return result
    is_inside = LogicalAndOp(
        GeOp(positions, row.number(0)), LeOp(positions, row.number(count - 1))
    )
    wide = [size if each == axis else 1 for each in range(rank)]
    value = ConstantOp(value=to_elements(how.outside, type.element_type))
    return WhereOp(ReshapeOp(is_inside, shape=to_names(wide)), result, value).result


def samples(
    count: Dim, size: Dim, how: Interpolation, kind: Element
) -> tuple[SSAValue, SSAValue]:
    """
    Builds the elements, of `count`, that each of `size` points is interpolated between,
    and their weights in a float type.
    """
    row = _Row(how, count, size, kind)
    return row.table(row.positions())


def position_type(type: Tensor, how: Interpolation) -> Element:
    """The type of the positions of points in a tensor."""
    return f32 if how.is_nearest else type.element_type


class _Row:
    """`Interpolation` as ops, for sizes that are known at run time."""

    def __init__(self, how: Interpolation, count: Dim, size: Dim, kind: Element):
        """A row of `size` points over `count` elements, computed in one float type."""
        self.how, self.count, self.size, self.kind = how, count, size, kind

    def number(self, value: Dim | float, kind: Element | None = None) -> SSAValue:
        """Builds a constant."""
        kind = kind or self.kind
        if isinstance(value, (int, float)):
            return ConstantOp(value=to_elements(value, kind)).result
        return CastOp(DimOp(value=str(value)), to=kind).result

    def column(self, row: Operation | SSAValue) -> SSAValue:
        """Builds a row as a column."""
        return ReshapeOp(row, shape=to_names([self.size, 1])).result

    def positions(self) -> SSAValue:
        """Builds the source position of each point."""
        how, number = self.how, self.number
        x = CastOp(IotaOp(size=str(self.size)), to=self.kind).result
        last, points = self.count - 1, maximum(self.size - 1, 1)
        if how.coordinates == "tf_crop_and_resize":
            if self.size == 1:
                middle = MulOp(number(0.5 * (how.start + how.end)), number(last))
                return AddOp(MulOp(x, number(0)), middle).result
            step = DivOp(
                MulOp(number(how.end - how.start), number(last)), number(points)
            )
            first = MulOp(number(how.start), number(last))
            return AddOp(first, MulOp(x, step)).result
        if how.coordinates == "align_corners":
            if how.multiplies:
                return MulOp(x, DivOp(number(last), number(points))).result
            return DivOp(MulOp(x, number(last)), number(points)).result
        if how.coordinates == "tf_half_pixel_for_nn" and how.scale in (None, 1.0):
            # An axis that keeps its size stays, which only the run may know.
            apart = maximum(self.size - self.count, self.count - self.size)
            x = AddOp(x, MulOp(number(0.5), number(minimum(apart, 1)))).result
        elif how.coordinates != "asymmetric":
            x = AddOp(x, number(0.5)).result
        x = self.scaled(x)
        if how.coordinates in ("asymmetric", "tf_half_pixel_for_nn"):
            return x
        x = SubOp(x, number(0.5)).result
        if how.coordinates == "pytorch_half_pixel":
            # A single point is at the beginning.
            return MulOp(x, number(minimum(self.size - 1, 1))).result
        if how.coordinates == "half_pixel_symmetric" and how.scale is not None:
            whole = DivOp(number(self.size), number(how.scale))
            return AddOp(x, MulOp(number(0.5), SubOp(number(self.count), whole))).result
        return x

    def cropped(self, start: SSAValue, end: SSAValue) -> SSAValue:
        """Builds the source position of each point of a crop."""
        x = CastOp(IotaOp(size=str(self.size)), to=self.kind).result
        number, last = self.number, self.number(self.count - 1)
        # A single point is in the middle.
        several = minimum(self.size - 1, 1)
        middle = MulOp(MulOp(AddOp(start, end), number(0.5)), number(1 - several))
        first = MulOp(AddOp(MulOp(start, number(several)), middle), last)
        width = MulOp(SubOp(end, start), last)
        step = DivOp(width, number(maximum(self.size - 1, 1)))
        return AddOp(first, MulOp(x, step)).result

    def scaled(self, x: SSAValue) -> SSAValue:
        """Builds points scaled to units of source elements."""
        number, scale = self.number, self.how.scale
        if self.how.multiplies:
            if scale is not None:
                return MulOp(x, number(1 / scale)).result
            return MulOp(x, DivOp(number(self.count), number(self.size))).result
        if scale is not None:
            return DivOp(x, number(scale)).result
        return DivOp(x, DivOp(number(self.size), number(self.count))).result

    def rounded(self, positions: SSAValue) -> SSAValue:
        """Builds the integer nearest to each position."""
        mode, half = self.how.mode, self.number(0.5)
        if mode == "round_prefer_floor":
            positions = SubOp(positions, half).result
        elif mode == "round_prefer_ceil":
            positions = AddOp(positions, half).result
        goes_up = mode in ("ceil", "round_prefer_floor")
        whole = CeilOp(positions) if goes_up else FloorOp(positions)
        return CastOp(whole, to=i64).result

    def inside(self, points: SSAValue) -> SSAValue:
        """Builds the indices of elements, clamped to the ends."""
        last = self.number(self.count - 1, i64)
        return MinimumOp(MaximumOp(points, self.number(0, i64)), last).result

    def taps(self, reach: Dim) -> SSAValue:
        """Builds the offsets of the taps from the element before a point."""
        if isinstance(reach, int):
            return ConstantOp(value=np.arange(1 - reach, 1 + reach)).result
        return AddOp(IotaOp(size=str(reach * 2)), self.number(1 - reach, i64)).result

    def shrink(self) -> SSAValue:
        """Builds the part of a distance that counts where the kernel is widened."""
        count, size, scale = self.count, self.size, self.how.scale
        if isinstance(count, int) and isinstance(size, int):
            scale = size / count if scale is None else scale
        if scale is not None:
            return self.number(min(scale, 1.0))
        ratio = DivOp(self.number(size), self.number(count))
        return MinimumOp(ratio, self.number(1)).result

    def table(self, positions: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Builds the elements that each position samples, and their weights."""
        how = self.how
        reach = how.reach(self.count, self.size)
        taps = self.taps(reach)
        before = FloorOp(positions)
        rest = self.column(SubOp(positions, before))
        distance = AbsOp(SubOp(CastOp(taps, to=self.kind), rest)).result
        if how.antialias:
            distance = MulOp(distance, self.shrink()).result
        cubic = how.cubic if how.mode == "cubic" else None
        weights = kernel_of(distance, cubic, self.number)
        first = self.column(CastOp(before, to=i64))
        points = AddOp(first, taps).result
        if how.exclude_outside:
            is_inside = LogicalAndOp(
                GeOp(points, self.number(0, i64)),
                LtOp(points, self.number(self.count, i64)),
            )
            weights = WhereOp(is_inside, weights, self.number(0)).result
        if how.exclude_outside or how.antialias:
            whole = SumOp(weights, axes=(1,), keepdims=True)
            is_none = EqOp(whole, self.number(0))
            weights = DivOp(weights, WhereOp(is_none, self.number(1), whole)).result
        return self.inside(points), weights
