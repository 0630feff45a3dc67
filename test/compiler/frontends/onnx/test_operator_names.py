"""The operators that a model names: in graph, subgraphs and functions it calls."""

from __future__ import annotations

from onnx import helper, parser

from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.frontends.onnx.operator_names import operator_names
from static_runtime.compiler.ir.context import context

MODEL = """
<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
g (float[2] x, bool c) => (float[2] y) {
  a = own.twice (x)
  y = If (c) <
    then_branch = g1 () => (float[2] z) { z = Exp (a) },
    else_branch = g2 () => (float[2] z) { z = Neg (a) }
  >
}
<domain: "own", opset_import: ["" : 18]>
twice (x) => (y) { y = Add (x, x) }
<domain: "own", opset_import: ["" : 18]>
unused (x) => (y) { y = Sub (x, x) }
"""


def test_names_of_subgraphs_and_functions():
    names = {"onnx::If", "onnx::Exp", "onnx::Neg", "onnx::Add"}
    assert operator_names(parser.parse_model(MODEL)) == names


def test_names_of_other_domains_and_overloads():
    nodes = [
        helper.make_node("Gelu", ["x"], ["y"], domain="com.microsoft"),
        helper.make_node("Relu", ["x"], ["y"], domain="ai.onnx"),
        helper.make_node("F", ["x"], ["y"], domain="own", overload="v2"),
    ]
    graph = helper.make_graph(nodes, "g", [], [])
    expected = {"com.microsoft::Gelu", "onnx::Relu", "own::F.v2"}
    assert operator_names(helper.make_model(graph)) == expected


def test_only_who_asks_is_told():
    model = parser.parse_model(MODEL)
    ctx = context()
    read_onnx(model, ctx)
    assert ctx.operators is None
    asking = context()
    asking.operators = set()
    read_onnx(model, asking)
    assert asking.operators == operator_names(model)
