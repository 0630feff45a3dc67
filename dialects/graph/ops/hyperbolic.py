"""Hyperbolic functions: `graph.sinh`, `cosh`, `tanh`, `asinh`, `acosh`, `atanh`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import MathOp


@irdl_op_definition
class SinhOp(MathOp):
    """The hyperbolic sine."""

    name = "graph.sinh"
    SPELLINGS: ClassVar = ("onnx.Sinh", "aten.sinh.default")
    MATH: ClassVar = math.SinhOp
    NUMPY: ClassVar = np.sinh


@irdl_op_definition
class CoshOp(MathOp):
    """The hyperbolic cosine."""

    name = "graph.cosh"
    SPELLINGS: ClassVar = ("onnx.Cosh", "aten.cosh.default")
    MATH: ClassVar = math.CoshOp
    NUMPY: ClassVar = np.cosh


@irdl_op_definition
class TanhOp(MathOp):
    """The hyperbolic tangent."""

    name = "graph.tanh"
    SPELLINGS: ClassVar = ("onnx.Tanh", "aten.tanh.default")
    MATH: ClassVar = math.TanhOp
    NUMPY: ClassVar = np.tanh


@irdl_op_definition
class AsinhOp(MathOp):
    """The inverse of the hyperbolic sine."""

    name = "graph.asinh"
    SPELLINGS: ClassVar = ("onnx.Asinh", "aten.asinh.default")
    MATH: ClassVar = math.AsinhOp
    NUMPY: ClassVar = np.arcsinh


@irdl_op_definition
class AcoshOp(MathOp):
    """The inverse of the hyperbolic cosine; NaN below one."""

    name = "graph.acosh"
    SPELLINGS: ClassVar = ("onnx.Acosh", "aten.acosh.default")
    MATH: ClassVar = math.AcoshOp
    NUMPY: ClassVar = np.arccosh


@irdl_op_definition
class AtanhOp(MathOp):
    """The inverse of the hyperbolic tangent."""

    name = "graph.atanh"
    SPELLINGS: ClassVar = ("onnx.Atanh", "aten.atanh.default")
    MATH: ClassVar = math.AtanhOp
    NUMPY: ClassVar = np.arctanh
