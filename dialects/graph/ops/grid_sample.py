"""`graph.grid_sample`: an image interpolated at the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import Dim, maximum, product
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..element_array import to_elements
from ..families.elementwise import require
from ..families.grid import FARTHEST, MODES, PADDINGS, Grid
from ..literal import to_names
from ..op import Requirement, SingleResultOp
from .arithmetic import AbsOp
from .binary import AddOp, DivOp, MaximumOp, MinimumOp, MulOp, SubOp
from .cast import CastOp
from .clamp import ClampOp
from .compare import EqOp, GeOp, LeOp, NeOp
from .constant import ConstantOp
from .dim import DimOp
from .logical import LogicalAndOp
from .resample import ResampleOp, kernel_of
from .reshape import ReshapeOp
from .rounding import FloorOp, RoundOp
from .slice import SliceOp
from .where import WhereOp


@irdl_op_definition
class GridSampleOp(SingleResultOp):
    """
    The image NxCx... interpolated at the grid points NxPx...xA: NxCxPx...

    A point has a coordinate for each spatial axis, the last axis first, from -1 to 1:
    the centers of the end elements with `align_corners`, else the borders of the image.
    NaN counts as -1. `mode` is `nearest`, `linear` or `cubic`; beyond the image lie
    `zeros`, its `border`, or its `reflection`.

    ```mlir
    %2 = graph.grid_sample %0, %1 {mode = "linear", padding = "zeros", align_corners = false} : tensor<2x3x5x7xf32>, tensor<2x4x6x2xf32> -> tensor<2x3x4x6xf32>
    %3 = graph.grid_sample %0, %1 {mode = "cubic", padding = "reflection", align_corners = false} : tensor<2x3x5xf32>, tensor<2x4x1xf32> -> tensor<2x3x4xf32>
    ```
    """

    name = "graph.grid_sample"

    input = operand_def(TensorType)
    grid = operand_def(TensorType)
    mode = prop_def(StringAttr)
    padding = prop_def(StringAttr)
    align_corners = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls, input: Tensor, grid: Tensor, mode: str, padding: str, align_corners: bool
    ) -> Tensor:
        require(input, "float")
        for name, known in ((mode, MODES), (padding, PADDINGS)):
            if name not in known:
                raise VerifyException(f"expected one of {', '.join(known)}, got {name}")
        match sizes(input), sizes(grid):
            case (n, c, *spatial), (n2, *points, count) if (
                len(spatial) == len(points) > 0
                and 0 not in spatial
                and grid.element_type == input.element_type
                and agree(count, len(spatial))
                and agree(n, n2)
            ):
                return tensor(input.element_type, n, c, *points)
            case _:
                raise VerifyException(
                    f"expected NxCx... and NxPx...xA, got {input} and {grid}"
                )

    def requirements(self) -> Sequence[Requirement]:
        type = tensor_type(self.input)
        message = f"expected elements along the spatial axes of {type}"
        return [Requirement(size - 1, message) for size in sizes(type)[2:]]

    def reference(
        self, input: Array, grid: Array, mode: str, padding: str, align_corners: bool
    ) -> Array:
        how = Grid(mode, padding, align_corners)
        n, c, *spatial = input.shape
        points = grid.shape[1:-1]
        count, total = len(spatial), prod(points)
        rows = grid.reshape(n, total, count)
        tables = [
            how.table(rows[:, :, count - 1 - axis], size)
            for axis, size in enumerate(spatial)
        ]
        result = np.zeros((n, c, total), input.dtype)
        images: Array = np.indices((n, 1))[0]
        for taps in pairs(*(range(elements.shape[-1]) for elements, _ in tables)):
            at = tuple(
                elements[..., tap]
                for tap, (elements, _) in zip(taps, tables, strict=True)
            )
            weight = np.ones((n, total), input.dtype)
            for tap, (_, weights) in zip(taps, tables, strict=True):
                weight = weight * weights[..., tap]
            found = np.moveaxis(input, 1, -1)[(images, *at)]
            with np.errstate(all="ignore"):
                part = found * weight[..., None]
            result += np.moveaxis(np.where(weight[..., None] == 0, 0, part), -1, 1)
        return result.reshape(n, c, *points)

    def decompose(self) -> Sequence[SSAValue]:
        values = self.values()
        how = Grid(values["mode"], values["padding"], values["align_corners"])
        n, c, *spatial = sizes(tensor_type(self.input))
        count, total = len(spatial), product(self.shape[2:])
        points: SSAValue | None = None
        weights: SSAValue | None = None
        for axis, size in enumerate(spatial):
            elements, part = _Line(self, how, axis, size).table()
            taps = [1] * count
            taps[axis] = len(how.taps)
            shape = to_names([n, total, *taps])
            stride = DimOp(value=str(product(spatial[axis + 1 :])))
            step = MulOp(ReshapeOp(elements, shape=shape), stride).result
            part = ReshapeOp(part, shape=shape).result
            points = step if points is None else AddOp(points, step).result
            weights = part if weights is None else MulOp(weights, part).result
        assert points is not None, "an image has axes"
        assert weights is not None, "an image has axes"
        table = to_names([n, total, len(how.taps) ** count])
        result = ResampleOp(
            ReshapeOp(self.input, shape=to_names([n, c, product(spatial)])),
            ReshapeOp(points, shape=table),
            ReshapeOp(weights, shape=table),
            axis=2,
            skips=True,
        )
        return [ReshapeOp(result, shape=to_names(self.shape)).result]


class _Line:
    """`Grid` as ops, for one spatial axis."""

    def __init__(self, op: GridSampleOp, how: Grid, axis: int, size: Dim):
        """The axis of the image that `op` samples, which has `size` elements."""
        self.how, self.size = how, size
        self.kind = op.type.element_type
        outer = sizes(tensor_type(op.grid))[:-1]
        starts = [*(0 for _ in outer), len(outer) - 2 - axis]
        part = SliceOp(
            op.grid,
            starts=to_names(starts),
            sizes=to_names([*outer, 1]),
            steps=tuple(1 for _ in starts),
        )
        self.shape = (outer[0], product(outer[1:]))
        self.points = ReshapeOp(part, shape=to_names(self.shape)).result

    def number(self, value: Dim | float) -> SSAValue:
        """Builds a constant."""
        if isinstance(value, (int, float)):
            return ConstantOp(value=to_elements(value, self.kind)).result
        return CastOp(DimOp(value=str(value)), to=self.kind).result

    def table(self) -> tuple[SSAValue, SSAValue]:
        """Builds the elements that each point samples, and their weights, as rows."""
        how, number = self.how, self.number
        position = self.positions()
        if how.mode != "cubic":
            position = self.brought_inside(position)
        taps = ConstantOp(value=to_elements(how.taps, self.kind))
        column = to_names([*self.shape, 1])
        if how.mode == "nearest":
            elements = ReshapeOp(RoundOp(position), shape=column).result
            weights = AddOp(MulOp(elements, number(0)), number(1)).result
        else:
            before = FloorOp(position)
            rest = ReshapeOp(SubOp(position, before), shape=column)
            distance = AbsOp(SubOp(taps, rest)).result
            cubic = how.cubic if how.mode == "cubic" else None
            weights = kernel_of(distance, cubic, number)
            elements = AddOp(ReshapeOp(before, shape=column), taps).result
        if how.mode == "cubic":
            elements = self.brought_inside(elements)
        last = number(self.size - 1)
        is_inside = LogicalAndOp(GeOp(elements, number(0)), LeOp(elements, last))
        weights = WhereOp(is_inside, weights, number(0)).result
        inside = MinimumOp(MaximumOp(elements, number(0)), last)
        return CastOp(inside, to=i64).result, weights

    def positions(self) -> SSAValue:
        """Builds the positions of grid points, in units of elements."""
        number, points = self.number, self.points
        near = ClampOp(points, min=-FARTHEST, max=FARTHEST)
        known = WhereOp(NeOp(points, points), number(-1), near)
        above = AddOp(known, number(1))
        if self.how.align_corners:
            return MulOp(MulOp(above, number(0.5)), number(self.size - 1)).result
        wide = SubOp(MulOp(above, number(self.size)), number(1))
        return MulOp(wide, number(0.5)).result

    def brought_inside(self, position: SSAValue) -> SSAValue:
        """Builds positions moved into the image; unchanged for zero padding."""
        number, how = self.number, self.how
        if how.padding == "zeros":
            return position
        if how.padding == "reflection":
            least = 0.0 if how.align_corners else -0.5
            whole = maximum(self.size - 1, 1) if how.align_corners else self.size
            span = number(whole)
            from_least = AbsOp(SubOp(position, number(least)))
            turns = FloorOp(DivOp(from_least, span))
            rest = SubOp(from_least, MulOp(turns, span))
            half = FloorOp(MulOp(turns, number(0.5)))
            is_even = EqOp(MulOp(half, number(2)), turns)
            turned = WhereOp(is_even, rest, SubOp(span, rest))
            position = AddOp(turned, number(least)).result
        return MinimumOp(MaximumOp(position, number(0)), number(self.size - 1)).result
