"""Points of a plane by their coordinates, and by their distances and angles."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...ops.binary import MulOp
from ...ops.polar import Atan2Op, HypotOp
from ...ops.trigonometric import CosOp, SinOp


def distance(x: SSAValue, y: SSAValue) -> SSAValue:
    """Builds the distances of points from the origin."""
    return HypotOp(x, y).result


def angle(x: SSAValue, y: SSAValue) -> SSAValue:
    """Builds the angles of points."""
    return Atan2Op(y, x).result


def point(distance: SSAValue, angle: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Builds both coordinates of points at distances and angles."""
    x, y = (MulOp(distance, each(angle)).result for each in (CosOp, SinOp))
    return x, y
