"""Exponentials and logarithms: `graph.exp`, `expm1`, `exp2`, `log`, `log1p`, `log2`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.dialects import math
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import MathOp


@irdl_op_definition
class ExpOp(MathOp):
    """e to the power of the number."""

    name = "graph.exp"
    SPELLINGS: ClassVar = ("onnx.Exp", "aten.exp.default")
    MATH: ClassVar = math.ExpOp
    NUMPY: ClassVar = np.exp


@irdl_op_definition
class Expm1Op(MathOp):
    """e to the power of the number, minus one, precise near zero."""

    name = "graph.expm1"
    SPELLINGS: ClassVar = ("aten.expm1.default",)
    MATH: ClassVar = math.ExpM1Op
    NUMPY: ClassVar = np.expm1


@irdl_op_definition
class Exp2Op(MathOp):
    """2 to the power of the number."""

    name = "graph.exp2"
    SPELLINGS: ClassVar = ("aten.exp2.default",)
    MATH: ClassVar = math.Exp2Op
    NUMPY: ClassVar = np.exp2


@irdl_op_definition
class LogOp(MathOp):
    """The natural logarithm; NaN for a negative number."""

    name = "graph.log"
    SPELLINGS: ClassVar = ("onnx.Log", "aten.log.default")
    MATH: ClassVar = math.LogOp
    NUMPY: ClassVar = np.log


@irdl_op_definition
class Log1pOp(MathOp):
    """The natural logarithm of one plus the number, precise near zero."""

    name = "graph.log1p"
    SPELLINGS: ClassVar = ("aten.log1p.default",)
    MATH: ClassVar = math.Log1pOp
    NUMPY: ClassVar = np.log1p


@irdl_op_definition
class Log2Op(MathOp):
    """The logarithm to base 2; NaN for a negative number."""

    name = "graph.log2"
    SPELLINGS: ClassVar = ("aten.log2.default",)
    MATH: ClassVar = math.Log2Op
    NUMPY: ClassVar = np.log2


@irdl_op_definition
class Log10Op(MathOp):
    """The logarithm to base 10; NaN for a negative number."""

    name = "graph.log10"
    SPELLINGS: ClassVar = ("aten.log10.default",)
    MATH: ClassVar = math.Log10Op
    NUMPY: ClassVar = np.log10
