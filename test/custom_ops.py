"""
Ops of a domain of its own, one for each kind of kernel, and models that use them.

Each computes `x * 2 + 1` of floats.
"""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, operand_def, result_def

import static_runtime as sr
from static_runtime.dialects.graph import Nest, scalar
from static_runtime.dialects.graph.nest import elementwise
from static_runtime.dialects.shape import Tensor

TEXT = """
define void @twice_and_one(ptr %x, ptr %y, i64 %n) {
entry:
  %some = icmp sgt i64 %n, 0
  br i1 %some, label %loop, label %end
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %from = getelementptr float, ptr %x, i64 %i
  %to = getelementptr float, ptr %y, i64 %i
  %v = load float, ptr %from
  %twice = fmul float %v, 2.0
  %more = fadd float %twice, 1.0
  store float %more, ptr %to
  %next = add i64 %i, 1
  %left = icmp slt i64 %next, %n
  br i1 %left, label %loop, label %end
end:
  ret void
}
"""

FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)

calls: list[int] = []
"""The number of elements in each call of the native and of the Python kernel."""


def _pointed(address: int, count: int) -> npt.NDArray[np.float32]:
    memory = ctypes.cast(address, ctypes.POINTER(ctypes.c_float))
    return np.ctypeslib.as_array(memory, (count,))


@FUNCTION
def by_address(x: int, y: int, count: int) -> None:
    calls.append(count)
    if count:
        _pointed(y, count)[:] = _pointed(x, count) * 2 + 1


def by_python(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    calls.append(x.size)
    return x * 2 + 1


class Unary(sr.CustomOp):
    """An op on floats, with a result of the same type."""

    x = operand_def(TensorType)
    result = result_def(TensorType)

    @classmethod
    def infer(cls, x: Tensor) -> Tensor:
        return x


def loops(op: Any) -> list[Nest]:
    def body(x: Any) -> Any:
        one, two = (scalar.constant(each, x.type) for each in (1.0, 2.0))
        return scalar.add(scalar.mul(x, two), one)

    return [elementwise(op.operand_sizes()[0], op.operand_sizes(), body)]


@sr.register_op(package="test-ops", version="1")
@irdl_op_definition
class NestOp(Unary):
    """Loops."""

    name = "test.nest"
    SPELLINGS: ClassVar = ("onnx.test.Nest",)
    KERNELS: ClassVar = (sr.NestKernel(loops),)


@sr.register_op(package="test-ops", version="1")
@irdl_op_definition
class LlvmOp(Unary):
    """A function in a text."""

    name = "test.llvm"
    SPELLINGS: ClassVar = ("onnx.test.Llvm",)
    KERNELS: ClassVar = (sr.LlvmKernel(TEXT, "twice_and_one"),)


@sr.register_op(package="test-ops", version="1")
@irdl_op_definition
class NativeOp(Unary):
    """A C function."""

    name = "test.native"
    SPELLINGS: ClassVar = ("onnx.test.Native",)
    KERNELS: ClassVar = (sr.NativeKernel(by_address),)


@sr.register_op(package="test-ops", version="1")
@irdl_op_definition
class PythonOp(Unary):
    """A function on arrays."""

    name = "test.python"
    SPELLINGS: ClassVar = ("onnx.test.Python",)
    KERNELS: ClassVar = (sr.PythonKernel(by_python),)


KINDS = ("nest", "llvm", "native", "python")


def model(op: str, rows: int | str = "n", columns: int = 4) -> str:
    """A model that computes `-op(relu(x))`; with a name of rows, these are open."""
    if isinstance(rows, str):
        type = f'tensor<?x{columns}xf32, ["{rows}"]>'
    else:
        type = f"tensor<{rows}x{columns}xf32>"
    return f"""
func.func @main(%x: {type}) -> {type} {{
  %0 = graph.relu %x : {type} -> {type}
  %1 = {op} %0 : {type} -> {type}
  %2 = graph.neg %1 : {type} -> {type}
  return %2 : {type}
}}
"""


def expected(x: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """What `model` computes."""
    return -(np.maximum(x, 0) * np.float32(2) + np.float32(1))


def numbers(*shape: int) -> npt.NDArray[np.float32]:
    """Some floats, negative ones among them."""
    random = np.random.default_rng(0)
    return random.standard_normal(shape).astype(np.float32)
