"""Kernels of users' ops are told apart, and their functions take what they say."""

import ctypes
import re
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from xdsl.utils.exceptions import VerifyException

import static_runtime as sr
from static_runtime.compiler.ir.registry import forget_op
from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.custom import argument_type

from ....custom_ops import Unary, by_address, by_python, expected, loops, model, numbers


def made(name: str, *kernels: Any) -> type[Unary]:
    """A new op with these kernels, in place of that of the last test."""

    class Made(Unary):
        KERNELS: ClassVar = kernels

    Made.name = name
    forget_op(name)
    return sr.register_op(Made)


def test_arguments_have_the_types_of_c():
    given = [1, True, symbol("n") * 2, 1.0, np.float64(1), np.float32(1)]
    types = ["i64", "i64", "i64", "double", "double", "float"]
    assert [*map(argument_type, given)] == types
    for wrong in ("n", None, np.float16(1)):
        with pytest.raises(VerifyException, match="expected arguments that are"):
            argument_type(wrong)


def test_kernels_have_different_names():
    with pytest.raises(ValueError, match="got nest twice; give them a name="):
        made("test.same", sr.NestKernel(loops), sr.NestKernel(loops))
    with pytest.raises(ValueError, match="expected an identifier as the name of"):
        made("test.same", sr.NestKernel(loops, name="a.b"))
    with pytest.raises(ValueError, match=r"expected kernels of the kinds .*, got func"):
        made("test.same", loops)
    made("test.same", sr.NestKernel(loops), sr.NestKernel(loops, name="other"))


@pytest.mark.parametrize("given", ["pointer", "address", "object"])
def test_a_c_function_is_given_in_several_ways(given: str):
    address = ctypes.cast(by_address, ctypes.c_void_p).value

    class Compiled:
        """As numba's cfunc."""

        def __init__(self) -> None:
            self.address = address

    function = {"pointer": by_address, "address": address, "object": Compiled()}[given]
    made("test.given", sr.NativeKernel(function))
    x, options = numbers(3, 4), sr.Options(cache=False)
    compiled = sr.compile(model("test.given"), options=options)
    np.testing.assert_array_equal(compiled(x), expected(x))


def test_a_c_function_is_found_in_a_library():
    def bytes_of(op: Any) -> Any:
        return [op.operand_sizes()[0][0] * 16]

    # memcpy(from, to, bytes) copies the memory of the result; it must not do harm.
    made("test.found", sr.NativeKernel("labs", arguments=bytes_of))
    sr.compile(model("test.found"), options=sr.Options(cache=False))(numbers(3, 4))
    made("test.found", sr.NativeKernel("no_such_function"))
    with pytest.raises(
        sr.CompileError,
        match=r"test.found: expected a function no_such_function in this process, got",
    ):
        sr.compile(model("test.found"), options=sr.Options(cache=False))
    made("test.found", sr.NativeKernel("f", library="no_such_library.so"))
    with pytest.raises(sr.CompileError, match="expected a function f in no_such_lib"):
        sr.compile(model("test.found"), options=sr.Options(cache=False))


def test_a_function_that_needs_the_gil_is_refused():
    kind = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    message = "expected a function that needs no GIL, as of CFUNCTYPE, got one of PYFU"
    with pytest.raises(ValueError, match=message):
        made("test.gil", sr.NativeKernel(kind(print)))
    with pytest.raises(ValueError, match="expected a C function, got function"):
        made("test.gil", sr.NativeKernel(by_python))


@pytest.mark.parametrize(
    "types", [[ctypes.c_void_p], [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_float]]
)
def test_the_types_of_a_ctypes_function_must_fit(types: list[Any]):
    made("test.types", sr.NativeKernel(ctypes.CFUNCTYPE(None, *types)(print)))
    got = ", ".join(each.__name__ for each in types)
    message = (
        "test.types: expected a function of pointer, pointer, int64_t, got one of "
        f"{got}"
    )
    with pytest.raises(sr.CompileError, match=re.escape(message)):
        sr.compile(model("test.types"), options=sr.Options(cache=False))


def test_a_text_may_be_made_of_the_op():
    def text(op: Any) -> str:
        rank = len(op.operand_sizes()[0])
        return (
            Path(__file__).with_suffix("").name
            and f"""
        define void @f(ptr %x, ptr %y, i64 %n, double %a) {{
          %v = fptrunc double %a to float
          %w = fadd float %v, {float(rank)}
          store float %w, ptr %y
          ret void
        }}
        """
        )

    def arguments(op: Any) -> Any:
        return [1, 0.1]

    made("test.text", sr.LlvmKernel(text, "f", arguments))
    compiled = sr.compile(model("test.text", 1, 1), options=sr.Options(cache=False))
    y = compiled(np.ones((1, 1), np.float32))
    assert y == -(np.float32(0.1) + np.float32(2))


def test_a_text_that_llvm_refuses_is_an_error_of_the_op():
    made("test.broken", sr.LlvmKernel("define", "f"))
    with pytest.raises(sr.CompileError, match=r"test.broken: expected LLVM IR, got an"):
        sr.compile(model("test.broken"), options=sr.Options(cache=False))


def test_functions_of_one_name_in_two_texts_stay_apart():
    results: list[Any] = []
    for value in ("1.0", "2.0"):
        text = f"""
        define void @f(ptr %x, ptr %y, i64 %n) {{
          store float {value}, ptr %y
          ret void
        }}
        """
        made(f"test.value{value[0]}", sr.LlvmKernel(text, "f"))
    type = "tensor<1xf32>"
    text = f"""
func.func @main(%x: {type}) -> ({type}, {type}) {{
  %0 = test.value1 %x : {type} -> {type}
  %1 = test.value2 %x : {type} -> {type}
  return %0, %1 : {type}, {type}
}}
"""
    compiled = sr.compile(text, options=sr.Options(cache=False))
    results = [float(each[0]) for each in compiled(np.zeros(1, np.float32))]
    assert results == [1, 2]
