"""Ops that round to whole numbers: `graph.ceil`, `floor`, `round`, `trunc`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import MathOp


@irdl_op_definition
class CeilOp(MathOp):
    """The least integer that is not below the element."""

    name = "graph.ceil"
    SPELLINGS: ClassVar = ("onnx.Ceil", "aten.ceil.default")
    MATH: ClassVar = math.CeilOp
    NUMPY: ClassVar = np.ceil


@irdl_op_definition
class FloorOp(MathOp):
    """The greatest integer that is not above the element."""

    name = "graph.floor"
    SPELLINGS: ClassVar = ("onnx.Floor", "aten.floor.default")
    MATH: ClassVar = math.FloorOp
    NUMPY: ClassVar = np.floor


@irdl_op_definition
class RoundOp(MathOp):
    """The nearest integer, ties to even."""

    name = "graph.round"
    SPELLINGS: ClassVar = ("onnx.Round", "aten.round.default")
    MATH: ClassVar = math.RoundEvenOp
    NUMPY: ClassVar = np.rint


@irdl_op_definition
class TruncOp(MathOp):
    """The integer part: rounded towards zero."""

    name = "graph.trunc"
    SPELLINGS: ClassVar = ("aten.trunc.default",)
    MATH: ClassVar = math.TruncOp
    NUMPY: ClassVar = np.trunc
