"""The models that are stored in the repository, read and run by reference."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import NameLoc

from ....models.difference import difference
from ....models.stored import DIGITS, FOLDER, STORED
from .interpreter import read


@pytest.mark.parametrize("name", STORED)
def test_computes_what_torch_did_for_every_size(name: str):
    stored = STORED[name]
    graph = read(stored.dynamic)
    for batch, expected in stored.outputs.items():
        (actual,) = graph.run(*stored.rows(batch))
        assert difference(actual, expected) <= 1e-5


@pytest.mark.parametrize("name", [name for name in STORED if STORED[name].fixed])
def test_computes_what_torch_did_for_one_size(name: str):
    stored = STORED[name]
    assert stored.fixed is not None
    graph = read(stored.fixed)
    assert graph.ranges == {}
    (actual,) = graph.run(*stored.rows(stored.batch))
    assert difference(actual, stored.outputs[stored.batch]) <= 1e-5


@pytest.mark.parametrize("name", STORED)
def test_keeps_names_and_symbols(name: str):
    stored = STORED[name]
    graph = read(stored.dynamic)
    assert tuple(graph.names("input")) == stored.names
    assert graph.names("output") == ["logits" if name == "digits" else "out0"]
    assert graph.ranges == {"batch": (0, 2**63 - 1)}


def test_an_output_has_the_shape_that_follows_not_the_one_it_is_given():
    assert read(FOLDER / "sr_example_dynamic.onnx").shapes() == [("2 * batch", "32")]
    assert read(FOLDER / "deep_wide_dynamic.onnx").shapes() == [("batch", "1")]


DEEP_WIDE = [
    ("graph.get_attr", "mu"),
    ("graph.add", "/Add"),
    ("graph.get_attr", "sigma"),
    ("graph.mul", "/Mul"),
    ("graph.clamp", "/Clip"),
    ("graph.permute", "/Transpose"),
    ("graph.matmul", "/MatMul"),
    ("graph.reshape", "/Flatten"),
    ("graph.concat", "/Concat"),
    ("graph.get_attr", "fc.weight"),
    ("graph.linear", "/fc/Gemm"),
    ("graph.get_attr", "fc.bias"),
    ("graph.add", "/fc/Gemm"),
    ("graph.sigmoid", "/Sigmoid"),
]
"""Its bounds of `Clip` are computed by casts, which fold."""


@pytest.mark.parametrize("kind", ["", "_dynamic"])
def test_every_op_knows_the_node_that_it_comes_from(kind: str):
    graph = read(FOLDER / f"deep_wide{kind}.onnx")
    found: list[tuple[str, str]] = []
    for op in graph.ops:
        assert isinstance(op.location, NameLoc)
        found.append((op.name, op.location.desc.data))
    assert found == DEEP_WIDE


def test_weights_have_the_names_that_the_model_gives_them():
    graph = read(DIGITS / "digits.onnx")
    assert graph.ctx.weights["features.0.weight"].shape == (16, 1, 3, 3)
    assert len(graph.ctx.weights) == 14
