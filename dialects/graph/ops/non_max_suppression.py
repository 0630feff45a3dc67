"""`graph.non_max_suppression`: the boxes of each class that overlap no better one."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import ClassVar

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, f64, i1, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import agree
from ...dims import dim
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from .. import scalar
from ..choice import Choice, result_capacity
from ..families.elementwise import require
from ..nest import Linear, Read, axes, axis
from ..op import SingleResultOp


@irdl_op_definition
class NonMaxSuppressionOp(SingleResultOp):
    """
    The boxes BxNx4 of each class that overlap no chosen box of a higher score, by their
    scores BxCxN.

    In each class of each image, boxes are taken by falling score, of equal scores the
    first one first. A box is chosen unless its intersection with a chosen one, over
    their union, is above `overlap`; at most `limit` of a class are. Its score must be
    above `threshold`, which NaN never is; or, where not `strict`, at least that, and NaN
    is the greatest score.

    A box is two opposite corners y, x, y, x, or a `center` x, y with a width and a
    height.

    The result is how many boxes are chosen, then the number of each,
    `(image * C + class) * N + box`, by image, class and falling score, then -1. It has
    room for `most` boxes of each class, and for N elements more.

    ```mlir
    %5 = graph.non_max_suppression %0, %1, %2, %3, %4 {most = "3", center = false, strict = true} : tensor<2x5x4xf32>, tensor<2x3x5xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<24xi64>
    %6 = graph.non_max_suppression %0, %1, %2, %3, %4 {most = "7", center = true, strict = false} : tensor<1x7x4xf32>, tensor<1x2x7xf32>, tensor<i64>, tensor<f32>, tensor<f32> -> tensor<22xi64>
    ```
    """

    name = "graph.non_max_suppression"

    DIM_PROPERTIES: ClassVar = ("most",)

    boxes = operand_def(TensorType)
    scores = operand_def(TensorType)
    limit = operand_def(TensorType)
    overlap = operand_def(TensorType)
    threshold = operand_def(TensorType)
    most = prop_def(StringAttr)
    center = prop_def(IntegerAttr.constr(i1))
    strict = prop_def(IntegerAttr.constr(i1))

    @classmethod
    def infer(
        cls,
        boxes: Tensor,
        scores: Tensor,
        limit: Tensor,
        overlap: Tensor,
        threshold: Tensor,
        most: str,
        center: bool,
        strict: bool,
    ) -> Tensor:
        require(boxes, "float")
        number = tensor(boxes.element_type)
        if (limit, overlap, threshold) != (tensor(i64), number, number):
            raise VerifyException(
                f"expected a limit {tensor(i64)} and thresholds {number}, got {limit}, "
                f"{overlap} and {threshold}"
            )
        match sizes(boxes), sizes(scores):
            case (b, n, corners), (b2, c, n2) if (
                scores.element_type == boxes.element_type
                and agree(corners, 4)
                and agree(b, b2)
                and agree(n, n2)
            ):
                return tensor(i64, result_capacity(b * c, n, dim(most)))
            case _:
                raise VerifyException(
                    f"expected boxes BxNx4 and scores BxCxN, got {boxes} and {scores}"
                )

    def reference(
        self,
        boxes: Array,
        scores: Array,
        limit: Array,
        overlap: Array,
        threshold: Array,
        most: tuple[int, ...],
        center: bool,
        strict: bool,
    ) -> Array:
        b, c, n = scores.shape
        found: list[int] = []
        for row in range(b * c):
            own = scores.reshape(b * c, n)[row]
            is_nan = np.isnan(own) & (not strict)
            admitted = own > threshold if strict else (own >= threshold) | is_nan
            places = np.flatnonzero(admitted)
            order = places[np.lexsort((-own[places], ~is_nan[places]))]
            chosen: list[int] = []
            corners = _corners(boxes[row // c], center)
            for at in order:
                if len(chosen) >= min(limit, most[0]):
                    break
                if not np.any(_overlaps(corners, chosen, at) > overlap):
                    chosen.append(at)
            found += [row * n + int(at) for at in chosen]
        size = result_capacity(b * c, n, most[0])
        assert isinstance(size, int), "arrays have sizes that are numbers"
        result = np.full(size, -1, np.int64)
        result[: 1 + len(found)] = [len(found), *found]
        return result

    def choice(self) -> Choice:
        """Of boxes those that overlap no chosen one, by falling score."""
        values = self.values()
        b, c, n = sizes(tensor_type(self.scores))
        one, other = (
            tuple(Read(0, (axis(0), axis(box), Linear(offset=at))) for at in range(4))
            for box in (2, 3)
        )

        def score(own: SSAValue, threshold: SSAValue) -> tuple[SSAValue, SSAValue]:
            if values["strict"]:
                return own, scalar.compare("gt", own, threshold)
            raised = _nan_as_infinity(own)
            is_admitted = scalar.compare("ge", raised, threshold)
            return _before_infinity(own, raised), is_admitted

        def conflict(overlap: SSAValue, *coordinates: SSAValue) -> list[SSAValue]:
            corners = _corners_of_center if values["center"] else _corners_of_two
            return _overlap(
                corners(*coordinates[:4]), corners(*coordinates[4:]), overlap
            )

        return Choice(
            bounds=(b, c),
            candidates=n,
            most=dim(values["most"]),
            limit=Read(2, ()),
            scores=(Read(1, axes(3)), Read(4, ())),
            score=score,
            sources=(Read(3, ()), *one, *other),
            conflict=conflict,
        )


def _corners(boxes: Array, center: bool) -> Array:
    """The least and the greatest coordinates of boxes, a row for each."""
    with np.errstate(all="ignore"):
        if center:
            middle, half = boxes[:, :2], boxes[:, 2:] / boxes.dtype.type(2)
            return np.concatenate([middle - half, middle + half], 1)
        a, b = boxes[:, :2], boxes[:, 2:]
        return np.concatenate([np.minimum(a, b), np.maximum(a, b)], 1)


def _overlaps(corners: Array, chosen: Sequence[int], at: int) -> Array:
    """
    The intersection of chosen boxes with another, over their union; NaN where there is
    none.
    """
    with np.errstate(all="ignore"):
        one, other = corners[list(chosen)], corners[at]
        low = np.maximum(one[:, :2], other[:2])
        high = np.minimum(one[:, 2:], other[2:])
        sides = high - low
        shared = sides[:, 0] * sides[:, 1]
        areas = [np.prod(each[..., 2:] - each[..., :2], -1) for each in (one, other)]
        union = areas[0] + areas[1] - shared
        is_some = (high > low).all(1) & (shared > 0) & (areas[0] > 0)
        is_some &= (areas[1] > 0) & (union > 0)
        return np.where(is_some, shared / union, np.nan)


def _nan_as_infinity(score: SSAValue) -> SSAValue:
    """Builds a score, or infinity in place of NaN."""
    infinity = scalar.constant(inf, score.type)
    return scalar.select(scalar.compare("eq", score, score), score, infinity)


def _before_infinity(score: SSAValue, raised: SSAValue) -> SSAValue:
    """
    Builds `raised`, but the greatest finite number where the score is infinite: NaN
    alone is infinity then.
    """
    infinity = scalar.constant(inf, score.type)
    kind = np.float64 if score.type == f64 else np.float32
    greatest = scalar.constant(float(np.finfo(kind).max), score.type)
    return scalar.select(scalar.compare("eq", score, infinity), greatest, raised)


_Corners = tuple[SSAValue, SSAValue, SSAValue, SSAValue]
"""The least coordinate of two axes, and the greatest."""


def _corners_of_two(y1: SSAValue, x1: SSAValue, y2: SSAValue, x2: SSAValue) -> _Corners:
    """Builds the corners of a box that is given by two, whichever."""
    return _lesser(y1, y2), _lesser(x1, x2), _greater(y1, y2), _greater(x1, x2)


def _corners_of_center(
    x: SSAValue, y: SSAValue, width: SSAValue, height: SSAValue
) -> _Corners:
    """Builds the corners of a box that is given by its center."""
    half = scalar.constant(0.5, x.type)
    dx, dy = scalar.mul(width, half), scalar.mul(height, half)
    low, high = (scalar.sub, scalar.add)
    return low(x, dx), low(y, dy), high(x, dx), high(y, dy)


def _overlap(one: _Corners, other: _Corners, least: SSAValue) -> list[SSAValue]:
    """
    Builds the conditions for the intersection of two boxes over their union to be above
    `least`: most boxes do not meet, and then neither is computed.
    """
    zero = scalar.constant(0, least.type)
    low = [_greater(a, b) for a, b in zip(one[:2], other[:2], strict=True)]
    high = [_lesser(a, b) for a, b in zip(one[2:], other[2:], strict=True)]
    meets = [scalar.compare("lt", a, b) for a, b in zip(low, high, strict=True)]
    shared = scalar.mul(*(scalar.sub(b, a) for a, b in zip(low, high, strict=True)))
    areas = [
        scalar.mul(scalar.sub(y2, y1), scalar.sub(x2, x1))
        for y1, x1, y2, x2 in (one, other)
    ]
    union = scalar.sub(scalar.add(*areas), shared)
    holds = scalar.compare("gt", scalar.div(shared, union), least)
    for amount in (shared, *areas, union):
        holds = scalar.mul(scalar.compare("gt", amount, zero), holds)
    return [*meets, holds]


def _lesser(a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the lesser of two floats; which one beside NaN, no caller can tell."""
    return scalar.select(scalar.compare("lt", a, b), a, b)


def _greater(a: SSAValue, b: SSAValue) -> SSAValue:
    """Builds the greater of two floats; which one beside NaN, no caller can tell."""
    return scalar.select(scalar.compare("gt", a, b), a, b)
