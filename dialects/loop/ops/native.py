"""`loop.native`: the call of a function that is not made of loops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, FloatAttr, MemRefType, StringAttr, f32, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    prop_def,
    var_operand_def,
)

from ...dims import Dim, dim
from ...op_class import OpClass
from ..subscript import DIM

Argument: TypeAlias = Dim | float | np.floating[Any]


@irdl_op_definition
class NativeOp(IRDLOperation, metaclass=OpClass):
    """
    Calls a function with buffers and arguments: operands first, results last.

    The function is defined by `text`, the text of an LLVM module; where there is none
    it is outside, and found by its name when the program is loaded. Arguments are
    sizes, as `int64_t`, and floats. `points` says about how long it takes.

    ```mlir
    loop.native(%x, %y) {arguments = ["s0", 2.0 : f32], function = "f", points = "s0",
        text = ""} : memref<?xf32>, memref<?xf32>
    ```
    """

    name = "loop.native"

    function = prop_def(StringAttr)
    text = prop_def(StringAttr)
    arguments = prop_def(ArrayAttr)
    points = prop_def(DIM)
    buffers = var_operand_def(MemRefType)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "`(` $buffers `)` attr-dict `:` type($buffers)"

    def __init__(
        self,
        function: str,
        text: str,
        buffers: Sequence[SSAValue],
        arguments: Sequence[Argument],
        points: Dim,
    ):
        """The call of `function`, defined in `text` or outside, on `buffers`."""
        super().__init__(
            operands=[buffers],
            properties={
                "function": StringAttr(function),
                "text": StringAttr(text),
                "arguments": ArrayAttr([_attribute(each) for each in arguments]),
                "points": StringAttr(str(points)),
            },
        )

    @property
    def size(self) -> Dim:
        """About how many points of loops the function takes."""
        return dim(self.points.data)


def _attribute(argument: Argument) -> Attribute:
    """The attribute that holds an argument: the text of a size, or a float."""
    if isinstance(argument, float):
        return FloatAttr(argument, f64)
    if isinstance(argument, np.floating):
        return FloatAttr(float(argument), f32)
    return StringAttr(str(argument))
