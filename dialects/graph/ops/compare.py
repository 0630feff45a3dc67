"""Comparisons of two numbers: `graph.eq`, `ne`, `lt`, `le`, `gt`, `ge`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import CompareOp


@irdl_op_definition
class EqOp(CompareOp):
    """Whether the elements are equal; NaN equals nothing."""

    name = "graph.eq"
    SPELLINGS: ClassVar = ("onnx.Equal", "aten.eq.Tensor")
    SCALAR: ClassVar = "eq"
    NUMPY: ClassVar = np.equal


@irdl_op_definition
class NeOp(CompareOp):
    """Whether the elements differ; NaN differs from everything."""

    name = "graph.ne"
    SPELLINGS: ClassVar = ("aten.ne.Tensor",)
    SCALAR: ClassVar = "ne"
    NUMPY: ClassVar = np.not_equal


@irdl_op_definition
class LtOp(CompareOp):
    """Whether the first is below the second."""

    name = "graph.lt"
    SPELLINGS: ClassVar = ("onnx.Less", "aten.lt.Tensor")
    SCALAR: ClassVar = "lt"
    NUMPY: ClassVar = np.less


@irdl_op_definition
class LeOp(CompareOp):
    """Whether the first is not above the second."""

    name = "graph.le"
    SPELLINGS: ClassVar = ("onnx.LessOrEqual", "aten.le.Tensor")
    SCALAR: ClassVar = "le"
    NUMPY: ClassVar = np.less_equal


@irdl_op_definition
class GtOp(CompareOp):
    """Whether the first is above the second."""

    name = "graph.gt"
    SPELLINGS: ClassVar = ("onnx.Greater", "aten.gt.Tensor")
    SCALAR: ClassVar = "gt"
    NUMPY: ClassVar = np.greater


@irdl_op_definition
class GeOp(CompareOp):
    """Whether the first is not below the second."""

    name = "graph.ge"
    SPELLINGS: ClassVar = ("onnx.GreaterOrEqual", "aten.ge.Tensor")
    SCALAR: ClassVar = "ge"
    NUMPY: ClassVar = np.greater_equal
