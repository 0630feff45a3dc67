"""The kernels of users' ops compute what they say, by the first that accepts."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType
from xdsl.irdl import irdl_op_definition, opt_operand_def, result_def, var_operand_def

import static_runtime as sr
from static_runtime.compiler.ir.registry import forget_op
from static_runtime.dialects.shape import Tensor

from ....custom_ops import (
    KINDS,
    Unary,
    by_address,
    by_python,
    calls,
    expected,
    loops,
    model,
    numbers,
)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("rows", [0, 1, 3, 100])
def test_a_kernel_computes_an_op_of_known_sizes(kind: str, rows: int):
    x = numbers(rows, 4)
    np.testing.assert_array_equal(
        sr.compile(model(f"test.{kind}", rows))(x), expected(x)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_computes_an_op_of_open_sizes(kind: str):
    compiled = sr.compile(model(f"test.{kind}"))
    for rows in (1, 5, 0, 2, 5, 1000):
        x = numbers(rows, 4)
        np.testing.assert_array_equal(compiled(x), expected(x))


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_a_kernel_is_called_by_several_threads(kind: str):
    compiled = sr.compile(model(f"test.{kind}", columns=512))
    wrong: list[int] = []

    def run(rows: int) -> None:
        x = numbers(rows, 512)
        for _ in range(20):
            if not np.array_equal(compiled(x), expected(x)):
                wrong.append(rows)

    threads = [threading.Thread(target=run, args=(each,)) for each in (1, 7, 64, 300)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_an_output_goes_where_the_caller_says(kind: str):
    compiled = sr.compile(model(f"test.{kind}", 3))
    x, out = numbers(3, 4), np.empty((3, 4), np.float32)
    assert compiled(x, out=out) is out
    np.testing.assert_array_equal(out, expected(x))


def test_loops_of_users_fuse_with_ours():
    assert sr.compile(model("test.nest")).report.kernels == 1
    assert sr.compile(model("test.llvm")).report.kernels == 3


@pytest.mark.parametrize("kind", ["native", "python"])
def test_functions_are_called_once_a_run(kind: str):
    compiled = sr.compile(model(f"test.{kind}", 3))
    calls.clear()
    compiled(numbers(3, 4))
    assert calls == [12]


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_an_op_may_be_in_a_branch(kind: str):
    text = f"""
func.func @main(%c: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {{
  %0 = graph.if %c, %x : tensor<i1>, tensor<3xf32> -> tensor<3xf32> {{
  ^bb0(%a: tensor<3xf32>):
    %1 = test.{kind} %a : tensor<3xf32> -> tensor<3xf32>
    graph.yield %1 : tensor<3xf32>
  }} {{
  ^bb0(%a: tensor<3xf32>):
    graph.yield %a : tensor<3xf32>
  }}
  return %0 : tensor<3xf32>
}}
"""
    compiled, x = sr.compile(text), numbers(3)
    np.testing.assert_array_equal(compiled(True, x), x * 2 + 1)
    np.testing.assert_array_equal(compiled(False, x), x)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("kind", KINDS)
def test_an_op_on_constants_is_computed(kind: str):
    text = f"""
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = test.{kind} %0 : tensor<2xf32> -> tensor<2xf32>
  %2 = graph.add %x, %1 : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return %2 : tensor<2xf32>
}}
"""
    np.testing.assert_array_equal(sr.compile(text)(np.zeros(2, np.float32)), [3, 5])


def of_kernels(name: str, *kernels: Any) -> type[Unary]:
    """A new op, which is registered until its test ends."""

    class Made(Unary):
        KERNELS: ClassVar = kernels

    Made.name = name
    forget_op(name)
    return sr.register_op(Made)


def test_the_first_kernel_that_accepts_computes_the_op():
    def wide(op: Any) -> bool | str:
        return op.operand_sizes()[0][1] == 8 or "expected 8 columns"

    of_kernels(
        "test.ordered",
        sr.NativeKernel(by_address, accepts=wide),
        sr.NestKernel(loops, accepts=lambda op: len(op.operand_sizes()[0]) == 2),
        sr.PythonKernel(by_python),
    )
    calls.clear()
    for columns, count in ((4, 0), (8, 1)):
        x = numbers(3, columns)
        compiled = sr.compile(model("test.ordered", 3, columns))
        np.testing.assert_array_equal(compiled(x), expected(x))
        assert len(calls) == count


def test_the_reference_computes_what_no_kernel_accepts():
    class Made(Unary):
        name = "test.referenced"
        KERNELS: ClassVar = (sr.NestKernel(loops, accepts=lambda op: False),)

        def reference(self, x: Any) -> Any:
            return x * 2 + 1

    sr.register_op(Made)
    x = numbers(3, 4)
    compiled = sr.compile(model("test.referenced", 3))
    np.testing.assert_array_equal(compiled(x), expected(x))


def test_every_refusal_is_listed():
    of_kernels(
        "test.refused",
        sr.NativeKernel(by_address, name="wide", accepts=lambda op: "expected 8 rows"),
        sr.NestKernel(loops, accepts=lambda op: False),
    )
    with pytest.raises(sr.CompileError) as error:
        sr.compile(model("test.refused", 3))
    said = str(error.value)
    assert (
        "test.refused: expected a kernel that accepts the op, got wide: expected 8 "
        "rows; nest: it does not accept the op; no reference"
    ) in said


def _wide(x: Any) -> Any:
    return x.astype(np.float64)


def _short(x: Any) -> Any:
    return x[:1]


def _two(x: Any) -> Any:
    return x, x


@pytest.mark.parametrize(
    ("result", "message"),
    [
        (_wide, r"expected a result float32\[3, 4\], got float64\[3, 4\]"),
        (_short, r"expected a result float32\[3, 4\], got float32\[1, 4\]"),
        (_two, "expected 1 results, got 2"),
    ],
)
def test_a_python_kernel_must_return_what_was_inferred(result: Any, message: str):
    of_kernels("test.wrong", sr.PythonKernel(result))
    compiled = sr.compile(model("test.wrong", 3), options=sr.Options(cache=False))
    with pytest.raises((TypeError, ValueError), match=message):
        compiled(numbers(3, 4))


def test_an_error_of_a_python_kernel_is_the_error_of_the_call():
    def fails(x: Any) -> Any:
        raise RuntimeError("no more")

    of_kernels("test.fails", sr.PythonKernel(fails))
    compiled = sr.compile(model("test.fails", 3), options=sr.Options(cache=False))
    with pytest.raises(RuntimeError, match="no more") as error:
        compiled(numbers(3, 4))
    assert any("test.fails" in note for note in error.value.__notes__)


@sr.register_op
@irdl_op_definition
class SplitOp(sr.CustomOp):
    """Two results, of one function."""

    name = "test.minmax"
    x = var_operand_def(TensorType)
    low = result_def(TensorType)
    high = result_def(TensorType)
    KERNELS: ClassVar = (
        sr.LlvmKernel(
            """
            declare float @llvm.minnum.f32(float, float)
            declare float @llvm.maxnum.f32(float, float)
            define void @f(ptr %a, ptr %b, ptr %low, ptr %high, i64 %n) {
            entry:
              br label %loop
            loop:
              %i = phi i64 [0, %entry], [%next, %body]
              %more = icmp slt i64 %i, %n
              br i1 %more, label %body, label %end
            body:
              %pa = getelementptr float, ptr %a, i64 %i
              %pb = getelementptr float, ptr %b, i64 %i
              %pl = getelementptr float, ptr %low, i64 %i
              %ph = getelementptr float, ptr %high, i64 %i
              %va = load float, ptr %pa
              %vb = load float, ptr %pb
              %vl = call float @llvm.minnum.f32(float %va, float %vb)
              %vh = call float @llvm.maxnum.f32(float %va, float %vb)
              store float %vl, ptr %pl
              store float %vh, ptr %ph
              %next = add i64 %i, 1
              br label %loop
            end:
              ret void
            }
            """,
            "f",
            accepts=lambda op: len(op.operands) == 2,
        ),
        sr.PythonKernel(lambda *x: (np.minimum.reduce(x), np.maximum.reduce(x))),
    )

    @classmethod
    def infer(cls, *x: Tensor) -> tuple[Tensor, Tensor]:
        return x[0], x[0]


@pytest.mark.parametrize("count", [2, 3])
def test_an_op_may_have_several_operands_and_results(count: int):
    names = [f"%x{each}" for each in range(count)]
    type = 'tensor<?xf32, ["n"]>'
    taken = ", ".join([type] * count)
    text = f"""
func.func @main({", ".join(f"{each}: {type}" for each in names)}) -> ({type}, {type}) {{
  %0, %1 = test.minmax {", ".join(names)} : {taken} -> {type}, {type}
  %2 = graph.sub %1, %0 : {type}, {type} -> {type}
  return %1, %2 : {type}, {type}
}}
"""
    compiled = sr.compile(text)
    for length in (3, 17):
        given = [numbers(count, length)[each] for each in range(count)]
        high, span = compiled(*given)
        np.testing.assert_array_equal(high, np.max(given, 0))
        np.testing.assert_array_equal(span, np.max(given, 0) - np.min(given, 0))


def test_the_last_operand_may_be_omitted():
    def biased(x: Any, bias: Any = np.float32(0)) -> Any:
        return x + bias

    class Made(sr.CustomOp):
        name = "test.biased"
        x = Unary.x
        bias = opt_operand_def(TensorType)
        result = result_def(TensorType)
        KERNELS: ClassVar = (sr.PythonKernel(biased),)

        @classmethod
        def infer(cls, x: Tensor, bias: Tensor | None = None) -> Tensor:
            return x

    sr.register_op(Made)
    x = numbers(3)
    for operands, types, result in (
        ("%x", "tensor<3xf32>", x),
        ("%x, %x", "tensor<3xf32>, tensor<3xf32>", x + x),
    ):
        text = f"""
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {{
  %0 = test.biased {operands} : {types} -> tensor<3xf32>
  return %0 : tensor<3xf32>
}}
"""
        np.testing.assert_array_equal(sr.compile(text)(x), result)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_a_c_function_is_called_without_the_gil(tmp_path: Path):
    source, library = tmp_path / "wait.c", tmp_path / "libwait.so"
    source.write_text(
        "#include <unistd.h>\n"
        "volatile int go = 0;\n"
        "void wait_for_it(const float *x, float *y, long n) {\n"
        "  for (int i = 0; i < 10000 && !go; i++) usleep(1000);\n"
        "  for (long i = 0; i < n; i++) y[i] = go ? x[i] * 2 + 1 : 0;\n"
        "}\n"
    )
    command = ["cc", "-shared", "-fPIC", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    of_kernels("test.waits", sr.NativeKernel("wait_for_it", library=library))
    compiled = sr.compile(model("test.waits", 1), options=sr.Options(cache=False))
    x, found = numbers(1, 4), list[Any]()
    thread = threading.Thread(target=lambda: found.append(compiled(x)))
    thread.start()
    # With the GIL held, this would only run once the function gave up.
    ctypes.c_int.in_dll(ctypes.CDLL(str(library)), "go").value = 1
    thread.join()
    np.testing.assert_array_equal(found[0], expected(x))
