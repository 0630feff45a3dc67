"""`graph.logical_not`: true where a boolean is false."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition

from .. import scalar
from ..families.elementwise import UnaryOp


@irdl_op_definition
class LogicalNotOp(UnaryOp):
    """True where the element is false."""

    name = "graph.logical_not"
    SPELLINGS: ClassVar = ("onnx.Not", "aten.logical_not.default")
    ACCEPTS: ClassVar = "bool"
    NUMPY: ClassVar = np.logical_not

    def scalar(self, x: SSAValue) -> SSAValue:
        return scalar.binary("xor")(x, scalar.constant(1, x.type))
