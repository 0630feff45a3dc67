"""The leaves of what a model takes and returns are inputs and outputs with names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import read_torch  # noqa: E402
from static_runtime.compiler.ir.context import context  # noqa: E402

from ..interpret import interpret, names, ranges  # noqa: E402
from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch


class Nested(nn.Module):
    """Takes and returns trees."""

    def forward(
        self, input: Any, pair: Any, options: Any, scale: float, last: Any
    ) -> Any:
        left, right = pair
        rows = options["rows"] + options["more"][0]
        return {"sum": left + right, "parts": [input * scale, (rows, None, 7, True)]}


def test_trees_of_inputs_and_outputs_have_names():
    one, two, three, four, five = (floats(3), *(floats(2),) * 2, *(floats(4),) * 2)
    given = (one, [two, three], {"rows": four, "more": (five,)}, 1.5, None)
    ctx = context()
    graph = read_torch(Nested(), ctx, given)
    assert names(graph, "input") == [
        "input",
        "pair_0",
        "pair_1",
        "options_rows",
        "options_more_0",
    ]
    assert names(graph, "output") == [
        "sum",
        "parts_0",
        "parts_1_0",
    ]
    leaves = [one, two, three, four, five]
    actual = interpret(graph, ctx.weights, [each.numpy() for each in leaves])
    expected = Nested()(*given)
    np.testing.assert_allclose(actual[0], expected["sum"])
    np.testing.assert_allclose(actual[1], expected["parts"][0])
    np.testing.assert_allclose(actual[2], expected["parts"][1][0])
    assert len(actual) == 3, "what is the same in all runs is no output"


def one(x: Any) -> Any:
    """A tensor by itself."""
    return x + 1


def tuple_of_one(x: Any) -> Any:
    """A tensor in a tuple."""
    return (x + 1,)


def lists(x: Any) -> Any:
    """An input, a tensor and a size."""
    return [x, (x + 1, x.shape[0])]


def dictionaries(x: Any) -> Any:
    """Tensors by name."""
    return {"a": x, "b": {"c": [x + 1]}}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (one, ["output"]),
        (tuple_of_one, ["output_0"]),
        (lists, ["output_0", "output_1_0", "output_1_1"]),
        (dictionaries, ["a", "b_c_0"]),
    ],
)
def test_outputs_have_names(function: Any, expected: list[str]):
    ctx = context()
    graph = read_torch(Wrapped(function), ctx, (floats(4, 6),), (({0: Dim("n")},),))
    assert names(graph, "output") == expected
    x = floats(5, 6)
    actual = interpret(graph, ctx.weights, [x.numpy()])
    for mine, its in zip(actual, tree_leaves(function(x)), strict=True):
        np.testing.assert_allclose(mine, its)


def test_keywords_and_arrays_are_example_inputs():
    class Pair(nn.Module):
        def forward(self, x: Any, *, y: Any) -> Any:
            return x - y

    arrays = {"x": np.ones((2, 3), np.float32), "y": np.zeros(3, np.int64)}
    arrays["y"].flags.writeable = False
    graph = read_torch(Pair(), context(), arrays, {"x": {0: "n"}, "y": None})
    assert names(graph, "input") == ["x", "y"]
    assert ranges(graph) == {"n": (0, 2**63 - 1)}


class Halves(nn.Module):
    """Takes an image in blocks of sixteen rows, and gives it in blocks of eight."""

    def forward(self, x: Any) -> Any:
        """f32[16 * h, w] -> f32[2 * h, 8 * w]."""
        return x.reshape(x.shape[0] // 8, x.shape[1] * 8)


def test_a_symbol_of_which_only_a_multiple_is_a_size():
    sizes = ({0: 16 * Dim("h", min=1, max=4), 1: Dim("w")},)
    program = torch.export.export(Halves(), (floats(32, 5),), dynamic_shapes=sizes)
    module = sr.compile(program)
    for rows, columns in ((16, 3), (32, 5), (48, 2), (64, 7), (16, 9)):
        x = floats(rows, columns)
        np.testing.assert_array_equal(module(x), Halves()(x).numpy())
    with pytest.raises(ValueError, match=r"input x: expected a size 16 \* \w+ along"):
        module(floats(17, 3))
    with pytest.raises(ValueError, match="expected x_dim0 from 16 to 64, got 80"):
        module(floats(80, 3))
