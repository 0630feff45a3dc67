"""Floats of 8 bits and integers of 4 go into models and come out, and are converted."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from onnx import TensorProto, helper

import static_runtime as sr
from static_runtime.dialects.element_type import ELEMENT_TYPES, ElementType
from static_runtime.dialects.graph.element_array import to_elements, to_numbers
from static_runtime.runtime.abi import dtype_of

from ..as_host import skip_unless_runs

Array: TypeAlias = np.ndarray[Any, Any]

TARGETS = ("x86-64", "x86-64-v3", "host")
OPTIONS = sr.Options(cache=False, threads=1, fallback="error")
_EDGES = [np.nan, np.inf, -np.inf, 500.0]

STORED = [row for row in ELEMENT_TYPES.values() if row.is_stored]

by_type = pytest.mark.parametrize("row", STORED, ids=lambda row: str(row.type))


def every(row: ElementType) -> Array:
    """All elements of a type, more often than lanes are, and some more."""
    bytes = np.tile(np.arange(1 << row.bits, dtype=np.uint8), 40)[:-3]
    return bytes.view(dtype_of(row.numpy))


def numbers(row: ElementType) -> Array:
    """f32 at each element, about each middle of two, and at random."""
    wide = to_numbers(every(row).view(row.dtype), row.type).astype(np.float64)
    known = np.unique(np.abs(wide[np.isfinite(wide)]))
    known = np.append(known, 2 * known[-1])
    middles = np.concatenate([known, (known[1:] + known[:-1]) / 2]).astype(np.float32)
    random = np.random.default_rng(0)
    spread = np.ldexp(random.standard_normal(5000), random.integers(-30, 30, 5000))
    near = [np.nextafter(middles, np.float32(each)) for each in (0, np.inf)]
    found = np.concatenate([middles, *near, spread.astype(np.float32)])
    return np.concatenate([found, -found, np.array(_EDGES, np.float32)])


@pytest.mark.sampled(every=9)
@by_type
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_casts_have_the_bits_of_the_reference(row: ElementType, target: str):
    text = """
func.func @main(%x: tensor<?xf32, ["n"]>, %y: tensor<?xf64, ["n"]>,
        %h: tensor<?xTYPE, ["m"]>)
    -> (tensor<?xTYPE, ["n"]>, tensor<?xTYPE, ["n"]>, tensor<?xf32, ["m"]>) {
  %0 = graph.cast %x {to = TYPE} : tensor<?xf32, ["n"]> -> tensor<?xTYPE, ["n"]>
  %1 = graph.cast %y {to = TYPE} : tensor<?xf64, ["n"]> -> tensor<?xTYPE, ["n"]>
  %2 = graph.cast %h {to = f32} : tensor<?xTYPE, ["m"]> -> tensor<?xf32, ["m"]>
  return %0, %1, %2 : tensor<?xTYPE, ["n"]>, tensor<?xTYPE, ["n"]>,
      tensor<?xf32, ["m"]>
}
""".replace("TYPE", str(row.type))
    skip_unless_runs(target)
    module = sr.compile(text, target=target, options=OPTIONS)
    single = numbers(row)
    wide = single * (1 + 2.0**-45)
    narrow, once, back = module(single, wide, every(row))
    for found, given in ((narrow, single), (once, wide)):
        wanted = to_elements(given, row.type).view(np.uint8)
        np.testing.assert_array_equal(found.view(np.uint8), wanted)
    wanted = to_numbers(every(row).view(row.dtype), row.type)
    np.testing.assert_array_equal(back, wanted.astype(np.float32))
    if row.format is not None:
        np.testing.assert_array_equal(np.signbit(back), np.signbit(wanted))


def moved(row: ElementType) -> Any:
    """A model of ONNX that moves elements, and joins a constant to them."""
    constant = to_elements(np.arange(6).reshape(2, 3), row.type)
    packed = constant.view(np.uint8).ravel()
    if row.bits < 8:
        apart = np.resize(packed, 8).reshape(-1, 8 // row.bits)
        apart = apart[: -(-6 * row.bits // 8)].copy()
        apart.ravel()[6:] = 0
        packed = (apart << np.arange(0, 8, row.bits, dtype=np.uint8)).sum(1)
    tensor = TensorProto(name="c", data_type=row.onnx, dims=[2, 3])
    tensor.raw_data = packed.astype(np.uint8).tobytes()
    nodes = [
        helper.make_node("Transpose", ["x"], ["t"]),
        helper.make_node("Identity", ["c"], ["i"]),
        helper.make_node("Reshape", ["i", "shape"], ["r"]),
        helper.make_node("Cast", ["r"], ["f"], to=TensorProto.FLOAT),
    ]
    shape = helper.make_tensor("shape", TensorProto.INT64, [1], [6])
    results = [
        helper.make_tensor_value_info("t", row.onnx, [3, 2]),
        helper.make_tensor_value_info("r", row.onnx, [6]),
        helper.make_tensor_value_info("f", TensorProto.FLOAT, [6]),
    ]
    given = [helper.make_tensor_value_info("x", row.onnx, [2, 3])]
    graph = helper.make_graph(nodes, "moved", given, results, [tensor, shape])
    opset = helper.make_opsetid("", 25)
    return helper.make_model(graph, opset_imports=[opset], ir_version=11)


@by_type
def test_a_model_moves_them_and_reads_several_of_a_byte(row: ElementType):
    module = sr.compile(moved(row), options=OPTIONS)
    x = every(row)[:6].reshape(2, 3)
    turned, flat, wide = module(x)
    assert turned.dtype == flat.dtype == dtype_of(row.numpy)
    np.testing.assert_array_equal(turned.view(np.uint8), x.T.view(np.uint8))
    wanted = to_elements(np.arange(6), row.type)
    np.testing.assert_array_equal(flat.view(np.uint8), wanted.view(np.uint8))
    numbers = to_numbers(wanted, row.type).astype(np.float32)
    np.testing.assert_array_equal(wide, numbers)
    # Their bits are taken as well, as where ml_dtypes is not installed.
    np.testing.assert_array_equal(module(x.view(np.uint8))[0], turned)


@pytest.mark.sampled(every=5)
@by_type
def test_a_product_reads_a_weight_of_them(row: ElementType):
    weight = to_elements(np.arange(-30, 34).reshape(8, 8) / 4, row.type)
    nodes = [
        helper.make_node("Cast", ["q"], ["w"], to=TensorProto.FLOAT),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    given = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 8]),
        helper.make_tensor_value_info("q", row.onnx, [8, 8]),
    ]
    result = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 8])
    graph = helper.make_graph(nodes, "product", given, [result])
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=11
    )
    x = np.arange(40, dtype=np.float32).reshape(5, 8)
    wanted = x @ to_numbers(weight, row.type).astype(np.float32)
    given = weight.view(dtype_of(row.numpy))
    module = sr.compile(model, options=OPTIONS)
    np.testing.assert_allclose(module(x, given), wanted, rtol=1e-5)
    module = sr.compile(model, options=OPTIONS, constants={"q": given})
    np.testing.assert_allclose(module(x), wanted, rtol=1e-5)


def test_what_computes_with_them_says_to_convert_them():
    text = "func.func @main(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {\n"
    text += "  %0 = graph.relu %x : tensor<4xf8E5M2> -> tensor<4xf8E5M2>\n"
    text += "  return %0 : tensor<4xf8E5M2>\n}\n"
    with pytest.raises(sr.CompileError, match="elements that are computed with, got"):
        sr.compile(text, options=OPTIONS)
