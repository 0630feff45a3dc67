"""Nodes in any order are read as if they were in the order of their values."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, ModelProto, parser

from static_runtime.compiler.session.errors import CompileError

from .interpreter import model, read

MIXED = """<ir_version: 10, opset_import: ["" : 18, "own" : 1]>
g (bool c, float[3, 4] x, float[4] s) => (float[3, 4] y, float[4] last, float[3, 4] z) {
  w = Exp (x)
  v = own.halved (w)
  y = If (c) <
    then_branch = t () => (float[3, 4] a) {
      k = Relu (v)
      a = If (c) <
        then_branch = tt () => (float[3, 4] b) { l = Neg (k) b = Add (l, late) },
        else_branch = te () => (float[3, 4] b2) { b2 = Sub (k, x) }
      >
    },
    else_branch = f () => (float[3, 4] d) { d = Identity (v) }
  >
  late = Sqrt (w)
  last, z = Scan <num_scan_inputs = 1,
    body = r (float[4] a1, float[4] e) => (float[4] a2, float[4] o) {
      half = own.halved (e)
      a2 = Add (a1, half)
      o = Mul (a2, bias)
    }
  > (s, late)
  limit = Constant<value = int64 {3}>()
  yes = Constant<value = bool {1}>()
  bias = Loop (limit, yes, s) <
    body = b (int64 i, bool g, float[4] p) => (bool on, float[4] q) {
      on = Identity (g)
      twice = Add (p, p)
      q = Sub (twice, s)
    }
  >
}
<domain: "own", opset_import: ["" : 18]>
halved (a) => (c) { two = Constant<value = float {2}>() b = Abs (a) c = Div (b, two) }
"""


def shuffle(nodes: Any, order: random.Random) -> None:
    """Puts nodes and the nodes of their graphs into another order."""
    mixed = list(nodes)
    order.shuffle(mixed)
    for node in mixed:
        for attribute in node.attribute:
            if attribute.type == AttributeProto.GRAPH:
                shuffle(attribute.g.node, order)
    del nodes[:]
    nodes.extend(mixed)


def shuffled(source: ModelProto, seed: int) -> ModelProto:
    """The model with the nodes of all graphs and functions in another order."""
    result = ModelProto()
    result.CopyFrom(source)
    order = random.Random(seed)
    for each in (result.graph, *result.functions):
        shuffle(each.node, order)
    return result


@pytest.mark.parametrize("condition", [True, False])
def test_nodes_of_graphs_and_functions_in_any_order(condition: bool):
    source = parser.parse_model(MIXED)
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    inputs = [np.array(condition), x, x[0]]
    wanted = read(shuffled(source, 0)).run(*inputs)
    for seed in range(1, 9):
        for one, two in zip(read(shuffled(source, seed)).run(*inputs), wanted):
            np.testing.assert_array_equal(one, two)
    w = np.exp(x)
    expected = -np.maximum(w / 2, 0) + np.sqrt(w) if condition else w / 2
    np.testing.assert_allclose(wanted[0], expected, rtol=1e-6)


def test_what_is_in_order_stays_so():
    source = model(
        "g (float[2] x) => (float[2] b) { a = Exp (x) z = Neg (x) b = Add (z, a) }"
    )
    assert [op.name for op in read(source).ops] == [
        "graph.exp",
        "graph.neg",
        "graph.add",
    ]


CYCLES: dict[str, tuple[str, str]] = {
    "two": (
        "{ [one] a = Add(x, b) [two] b = Relu(a) y = Neg(b) }",
        "cycle of onnx nodes 'one' <- 'two' <- 'one'",
    ),
    "itself": ("{ y = Add(x, y) }", "cycle of onnx nodes 'y' <- 'y'"),
    "a branch": (
        """{ y = If (c) <then_branch = t () => (float[2] a) { a = Neg (z) },
        else_branch = e () => (float[2] d) { d = Neg (x) }> [late] z = Exp (y) }""",
        "cycle of onnx nodes 'y' <- 'late' <- 'y'",
    ),
    "in a branch": (
        """{ y = If (c) <then_branch = t () => (float[2] a) { a = Neg (b) b = Exp (a) },
        else_branch = e () => (float[2] d) { d = Neg (x) }> }""",
        "cycle of onnx nodes 'a' <- 'b' <- 'a'",
    ),
}


@pytest.mark.parametrize("name", CYCLES)
def test_nodes_that_wait_for_each_other_are_named(name: str):
    nodes, message = CYCLES[name]
    with pytest.raises(CompileError, match=message):
        read(model(f"g (bool c, float[2] x) => (float[2] y) {nodes}"))


def test_a_long_chain_in_reverse():
    names = [f"v{each}" for each in range(2000)]
    nodes = "\n".join(f"{b} = Neg({a})" for a, b in pairwise(names))
    source = model(f"g (float[2] v0) => (float[2] v1999) {{ {nodes} }}")
    backwards = list(source.graph.node)[::-1]
    del source.graph.node[:]
    source.graph.node.extend(backwards)
    assert len(read(source).ops) == 1999
