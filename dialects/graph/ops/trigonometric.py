"""Ops on angles: `graph.sin`, `cos`, `tan`, `asin`, `acos`, `atan`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import MathOp


@irdl_op_definition
class SinOp(MathOp):
    """The sine of an angle in radians."""

    name = "graph.sin"
    SPELLINGS: ClassVar = ("onnx.Sin", "aten.sin.default")
    MATH: ClassVar = math.SinOp
    NUMPY: ClassVar = np.sin


@irdl_op_definition
class CosOp(MathOp):
    """The cosine of an angle in radians."""

    name = "graph.cos"
    SPELLINGS: ClassVar = ("onnx.Cos", "aten.cos.default")
    MATH: ClassVar = math.CosOp
    NUMPY: ClassVar = np.cos


@irdl_op_definition
class TanOp(MathOp):
    """The tangent of an angle in radians."""

    name = "graph.tan"
    SPELLINGS: ClassVar = ("onnx.Tan", "aten.tan.default")
    MATH: ClassVar = math.TanOp
    NUMPY: ClassVar = np.tan


@irdl_op_definition
class AsinOp(MathOp):
    """The angle in radians whose sine is the number."""

    name = "graph.asin"
    SPELLINGS: ClassVar = ("onnx.Asin", "aten.asin.default")
    MATH: ClassVar = math.AsinOp
    NUMPY: ClassVar = np.arcsin


@irdl_op_definition
class AcosOp(MathOp):
    """The angle in radians whose cosine is the number."""

    name = "graph.acos"
    SPELLINGS: ClassVar = ("onnx.Acos", "aten.acos.default")
    MATH: ClassVar = math.AcosOp
    NUMPY: ClassVar = np.arccos


@irdl_op_definition
class AtanOp(MathOp):
    """The angle in radians whose tangent is the number."""

    name = "graph.atan"
    SPELLINGS: ClassVar = ("onnx.Atan", "aten.atan.default")
    MATH: ClassVar = math.AtanOp
    NUMPY: ClassVar = np.arctan
