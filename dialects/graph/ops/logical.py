"""Logic on two booleans: `graph.logical_and`, `logical_or`, `logical_xor`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from ..families.elementwise import BinaryOp


@irdl_op_definition
class LogicalAndOp(BinaryOp):
    """Whether both elements are true."""

    name = "graph.logical_and"
    SPELLINGS: ClassVar = ("onnx.And", "aten.logical_and.default")
    ACCEPTS: ClassVar = "bool"
    SCALAR: ClassVar = "and"
    NUMPY: ClassVar = np.logical_and


@irdl_op_definition
class LogicalOrOp(BinaryOp):
    """Whether one or both elements are true."""

    name = "graph.logical_or"
    SPELLINGS: ClassVar = ("onnx.Or", "aten.logical_or.default")
    ACCEPTS: ClassVar = "bool"
    SCALAR: ClassVar = "or"
    NUMPY: ClassVar = np.logical_or


@irdl_op_definition
class LogicalXorOp(BinaryOp):
    """Whether exactly one element is true."""

    name = "graph.logical_xor"
    SPELLINGS: ClassVar = ("onnx.Xor", "aten.logical_xor.default")
    ACCEPTS: ClassVar = "bool"
    SCALAR: ClassVar = "xor"
    NUMPY: ClassVar = np.logical_xor
