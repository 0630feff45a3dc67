"""Arithmetic: `graph.add`, `sub`, `mul`, `div`, `maximum`, `minimum`, `pow`."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from xdsl.irdl import irdl_op_definition

from ..elementwise import BinaryOp
from ..shape import Array


def divide(lhs: Array, rhs: Array) -> Array:
    """
    The quotient, of integers rounded towards zero, and zero of a division by zero.
    """
    with np.errstate(all="ignore"):
        if np.issubdtype(lhs.dtype, np.floating):
            return np.divide(lhs, rhs)
        down = np.floor_divide(lhs, rhs)
        inexact = (down * rhs != lhs) & ((lhs < 0) != (rhs < 0))
        return np.where(rhs == 0, 0, down + inexact).astype(lhs.dtype)


@irdl_op_definition
class AddOp(BinaryOp):
    """
    The sum; of booleans, whether one holds.

    ```mlir
    %2 = graph.add %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.add"
    SPELLINGS: ClassVar = ("onnx.Add", "aten.add.Tensor")
    SCALAR: ClassVar = "add"
    NUMPY: ClassVar = np.add


@irdl_op_definition
class SubOp(BinaryOp):
    """
    The difference.

    ```mlir
    %2 = graph.sub %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.sub"
    SPELLINGS: ClassVar = ("onnx.Sub", "aten.sub.Tensor")
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "sub"
    NUMPY: ClassVar = np.subtract


@irdl_op_definition
class MulOp(BinaryOp):
    """
    The product; of booleans, whether both hold.

    ```mlir
    %2 = graph.mul %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.mul"
    SPELLINGS: ClassVar = ("onnx.Mul", "aten.mul.Tensor")
    SCALAR: ClassVar = "mul"
    NUMPY: ClassVar = np.multiply


@irdl_op_definition
class DivOp(BinaryOp):
    """
    The quotient, of integers rounded towards zero; an integer divided by zero is zero.

    ```mlir
    %2 = graph.div %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.div"
    SPELLINGS: ClassVar = ("onnx.Div",)
    ACCEPTS: ClassVar = "number"
    SCALAR: ClassVar = "div"
    NUMPY: ClassVar = staticmethod(divide)


@irdl_op_definition
class MaximumOp(BinaryOp):
    """
    The greater number, or NaN when one is NaN.

    ```mlir
    %2 = graph.maximum %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.maximum"
    SPELLINGS: ClassVar = ("onnx.Max", "aten.maximum.default")
    SCALAR: ClassVar = "max"
    NUMPY: ClassVar = np.maximum


@irdl_op_definition
class MinimumOp(BinaryOp):
    """
    The lesser number, or NaN when one is NaN.

    ```mlir
    %2 = graph.minimum %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.minimum"
    SPELLINGS: ClassVar = ("onnx.Min", "aten.minimum.default")
    SCALAR: ClassVar = "min"
    NUMPY: ClassVar = np.minimum


@irdl_op_definition
class PowOp(BinaryOp):
    """
    The first to the power of the second, as C99 defines it.

    ```mlir
    %2 = graph.pow %0, %1 : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
    ```
    """

    name = "graph.pow"
    ACCEPTS: ClassVar = "float"
    SCALAR: ClassVar = "pow"
    NUMPY: ClassVar = np.power
