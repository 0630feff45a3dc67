"""What is computed of rows that registers hold has the bits of other rows."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

KINDS = {
    "softmax": "%r = graph.softmax %x {axis = 1 : i64} : TYPE -> TYPE",
    "log_softmax": "%r = graph.log_softmax %x {axis = 1 : i64} : TYPE -> TYPE",
    "in place": """%a = graph.exp %x : TYPE -> TYPE
      %m = graph.reduce_max %a {axes = array<i64: 1>, keepdims = true} : TYPE -> ROW
      %r = graph.div %a, %m : TYPE -> TYPE""",
    "centred": """
      %m = graph.sum %x {axes = array<i64: 1>, keepdims = true} : TYPE -> ROW
      %d = graph.sub %x, %m : TYPE, ROW -> TYPE
      %s = graph.mul %d, %d : TYPE, TYPE -> TYPE
      %v = graph.sum %s {axes = array<i64: 1>, keepdims = true} : TYPE -> ROW
      %r = graph.div %d, %v : TYPE, ROW -> TYPE""",
}


def compiled(kind: str, columns: int, element: str) -> sr.StaticModule:
    """A model of an open number of rows."""
    type = f'tensor<?x{columns}x{element}, ["n"]>'
    row = f'tensor<?x1x{element}, ["n"]>'
    body = KINDS[kind].replace("%a, %m : TYPE", "%a, %m : TYPE, ROW")
    body = body.replace("TYPE", type).replace("ROW", row)
    return sr.compile(
        f"func.func @main(%x: {type}) -> {type} {{\n{body}\nreturn %r : {type}\n}}"
    )


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("columns", [2, 3, 4, 5, 7, 8, 9])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_what_each_is_alone(kind: str, columns: int, element: str):
    """Lanes beside others compute what the last rows do, which are no lanes."""
    model = compiled(kind, columns, element)
    draw = np.random.default_rng(columns)
    x = draw.standard_normal((67, columns)).astype(element.replace("f", "float"))
    x[3, 1], x[40, 0], x[41, -1] = np.inf, np.nan, -np.inf
    whole = np.asarray(model(x))
    for row in range(len(x)):
        np.testing.assert_array_equal(whole[row : row + 1], model(x[row : row + 1]))
    for rows in (0, 16, 33):
        np.testing.assert_array_equal(whole[:rows], model(x[:rows]))


def test_softmax_of_few_classes():
    x = np.random.default_rng(0).standard_normal((100, 5)).astype(np.float32)
    wide = np.exp(x.astype(np.float64))
    wanted = wide / wide.sum(1, keepdims=True)
    np.testing.assert_allclose(compiled("softmax", 5, "f32")(x), wanted, rtol=1e-6)
