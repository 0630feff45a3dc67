"""Functions of a model, and functions that ONNX defines its ops by."""

from __future__ import annotations

import numpy as np
from onnx import parser
from xdsl.dialects.builtin import NameLoc

from .cases import check_close
from .interpreter import model, read

TWICE = """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
g (float[n] x) => (float y, float z) {
  [first] y = own.leak<alpha=0.5>(x)
  [second] z = own.leak(x, y)
}
<domain: "own", opset_import: ["" : 13]>
leak <alpha: float = 0.25> (a, b) => (c) {
  [inner] c = LeakyRelu<alpha: float = @alpha>(a)
}"""


def test_a_function_is_its_nodes_with_the_attributes_of_each_call():
    graph = read(parser.parse_model(TWICE))
    found: list[tuple[str, float]] = []
    for op in graph.ops:
        assert isinstance(op.location, NameLoc)
        slope = op.properties["slope"]
        found.append((op.location.desc.data, getattr(slope, "value").data))
    assert found == [("first/inner", 0.5), ("second/inner", 0.25)]


def test_an_op_that_is_made_of_others_has_its_own_name_on_all_of_them():
    graph = read(
        model("g (float[n,4] x) => (float y) { [cut] y = Shrink<bias=1.0>(x) }")
    )
    places = {
        op.location.desc.data for op in graph.ops if isinstance(op.location, NameLoc)
    }
    assert "cut" in places
    x = np.array([[-2, -0.25, 0.25, 2]], np.float32)
    check_close(graph.run(x), [np.array([[-1, 0, 0, 1]], np.float32)])


def test_attention_is_made_of_ops_that_are_known():
    graph = read(
        model(
            """g (float[n,2,3,4] q, float[n,2,5,4] k, float[n,2,5,4] v) => (float y)
            { y = Attention(q, k, v) }""",
            23,
        )
    )
    random = np.random.default_rng(0)
    q, k, v = (
        random.standard_normal((2, 2, rows, 4)).astype(np.float32) for rows in (3, 5, 5)
    )
    raised = np.exp(q @ k.transpose(0, 1, 3, 2) / np.float32(2))
    check_close(graph.run(q, k, v), [raised / raised.sum(-1, keepdims=True) @ v])


def test_a_function_may_leave_inputs_and_results_out_and_call_another():
    graph = read(
        parser.parse_model(
            """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
            g (float[1,3] x, float top) => (float y, float z) {
              y, , z = own.outer<low=-1.0>(x, , top)
            }
            <domain: "own", opset_import: ["" : 12, "own" : 1]>
            outer <low: float = 0.0> (a, least, most) => (b, c, d) {
              b = own.inner<axis=0>(a)
              c = Neg(b)
              bottom = Constant<value_float: float = @low>()
              e = Clip(a, least, most)
              d = Max(e, bottom)
            }
            <domain: "own", opset_import: ["" : 12]>
            inner <axis: int> (a) => (b) {
              s = Squeeze<axes=[0]>(a)
              b = Softmax<axis: int = @axis>(s)
            }"""
        )
    )
    x = np.array([[-2, 1, 5]], np.float32)
    raised = np.exp(x[0] - 5)
    expected = [raised / raised.sum(), np.array([[-1, 1, 3]], np.float32)]
    check_close(graph.run(x, np.array(3, np.float32)), expected)


def test_functions_of_one_name_differ_by_their_overload():
    graph = read(
        parser.parse_model(
            """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
            g (float[2] x) => (float y, float z) { y = own.f:a(x) z = own.f:b(x) }
            <domain: "own", opset_import: ["" : 18], overload: "a">
            f (a) => (b) { b = Neg(a) }
            <domain: "own", opset_import: ["" : 18], overload: "b">
            f (a) => (b) { b = Abs(a) }"""
        )
    )
    x = np.array([-1, 2], np.float32)
    check_close(graph.run(x), [-x, np.abs(x)])
