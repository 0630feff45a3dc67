"""A model in text is one function of graph ops, with weights of the types it names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.files.safetensors import write

MODEL = """
func.func @model(%x: tensor<?x3xf32, ["n"]>, %y: tensor<3xf32>)
    -> tensor<?x3xf32, ["n"]> {
  %0 = graph.add %x, %y : tensor<?x3xf32, ["n"]>, tensor<3xf32>
    -> tensor<?x3xf32, ["n"]>
  return %0 : tensor<?x3xf32, ["n"]>
}
"""

WEIGHTED = """
builtin.module attributes {graph.weights = "w.safetensors"} {
  func.func @weighted(%x: tensor<3xf32>) -> tensor<3xf32> {
    %0 = graph.weight "w" : tensor<3xf32>
    %1 = graph.add %x, %0 : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
    return %1 : tensor<3xf32>
  }
}
"""

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)
OFF = sr.Options(cache=False)


def with_attribute(text: str) -> str:
    """The model with an attribute of its function."""
    return MODEL.replace('["n"]> {', f'["n"]> attributes {{{text}}} {{')


def test_takes_names_and_ranges():
    module = sr.compile(
        with_attribute(
            'graph.input_names = ["a b", "self"], graph.output_names = ["c"], '
            "graph.symbols = {n = [1, 2], m = [0, 3]}"
        ),
        options=OFF,
    )
    assert module.input_names == ("a b", "self")
    assert module.output_names == ("c",)
    assert module.program.ranges == {"n": (1, 2)}
    np.testing.assert_array_equal(module(X, X[0]), X + X[0])


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ('graph.input_names = ["a"]', r"graph\.input_names to be 2 names, got \['a'\]"),
        ('graph.input_names = ["a", "a"]', r"to be 2 names, got \['a', 'a'\]"),
        ("graph.input_names = 3", r"graph\.input_names to be 2 names, got \[\]"),
        ("graph.input_names = [1, 2]", r"graph\.input_names to be 2 names, got \[\]"),
        ("graph.output_names = []", r"graph\.output_names to be 1 names, got \[\]"),
        ("graph.symbols = 3", r"graph\.symbols to be a dictionary, got 3"),
        ("graph.symbols = {n = 3}", r"range of n to be \[least, most\], got 3"),
        ("graph.symbols = {n = [3]}", r"range of n to be \[least, most\], got \[3"),
        ("graph.symbols = {n = [3, 1]}", r"range of n to be \[least, most\], got \[3"),
        ("graph.symbols = {n = [-1, 1]}", r"range of n to be \[least, most\], got"),
        ('graph.symbols = {n = ["a", 1]}', r"range of n to be \[least, most\], got"),
    ],
)
def test_refuses_other_names_and_ranges(attribute: str, message: str):
    with pytest.raises(sr.CompileError, match=rf"^<text>: expected .*{message}"):
        sr.compile(with_attribute(attribute), options=OFF)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("func.func @f(tensor<2xf32>) -> tensor<2xf32>\n", "of one block, got 0"),
        ("func.func private @f(tensor<2xf32>)\n", "of one block, got 0"),
        (MODEL + "builtin.module {}", r"1 functions and builtin\.module"),
        (MODEL + "graph.constant dense<1.0> : tensor<f32>", "and graph.constant"),
        (
            "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = arith.addf %x, %x : tensor<2xf32>\n"
            "  return %0 : tensor<2xf32>\n}",
            r"expected ops of the graph dialect, got arith\.addf",
        ),
        (
            "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = func.call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  return %0 : tensor<2xf32>\n}",
            r"expected ops of the graph dialect, got func\.call",
        ),
    ],
)
def test_refuses_what_would_not_be_computed(model: str, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(model, options=OFF)


def test_a_symbol_that_no_input_has_is_refused():
    text = """
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = graph.expand %x {shape = ["n", "2"]} : tensor<2xf32>
        -> tensor<?x2xf32, ["n"]>
      %1 = graph.sum %0 {axes = array<i64: 0>, keepdims = false}
        : tensor<?x2xf32, ["n"]> -> tensor<2xf32>
      return %1 : tensor<2xf32>
    }
    """
    with pytest.raises(sr.CompileError, match="got n, which does not; give the"):
        sr.compile(text, options=OFF)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({"v": np.zeros(3, np.float32)}, "expected weights with 'w', got v$"),
        ({}, "expected weights with 'w', got none"),
        ({"w": np.zeros(4, np.float32)}, r"'w' to be tensor<3xf32>, got float32 .*4,"),
        ({"w": np.zeros(2, np.float32)}, r"'w' to be tensor<3xf32>, got float32 .*2,"),
        ({"w": np.zeros((3, 1), np.float32)}, r"got float32 of shape \(3, 1\)"),
        ({"w": np.zeros(3)}, "'w' to be tensor<3xf32>, got float64 of shape"),
        ({"w": np.zeros(3, np.int32)}, "'w' to be tensor<3xf32>, got int32 of shape"),
    ],
)
@pytest.mark.parametrize("op", ["weight", "get_attr"])
def test_weights_have_the_types_that_the_model_names(
    tmp_path: Path, weights: Any, message: str, op: str
):
    path = tmp_path / "model.mlir"
    path.write_text(WEIGHTED.replace('graph.weight "', f'graph.{op} "'))
    write(tmp_path / "w.safetensors", weights)
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(path, options=OFF)
    write(tmp_path / "w.safetensors", {"w": X[1], "more": X})
    np.testing.assert_array_equal(sr.compile(path, options=OFF)(X[0]), X[0] + X[1])


def test_text_has_no_file_beside_it():
    with pytest.raises(sr.CompileError, match="got none; name their file, and pass"):
        sr.compile(WEIGHTED, options=OFF)


FOREIGN = """
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = graph.foreign %x {framework = "torch", op = "load", node = "{}",
    requires = ["of_nobody"], shapes = ["2"], ranks = array<i64: 1>,
    elements = [f32], numbers = []} : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
"""


@pytest.mark.parametrize("references", [False, True])
def test_code_of_others_is_run_only_where_that_is_asked_for(
    tmp_path: Path, references: bool
):
    options = sr.Options(
        cache=False, enable_out_variant=not references, optimize_memory=not references
    )
    path = tmp_path / "model.mlir"
    path.write_text(FOREIGN)
    for model in (FOREIGN, path):
        with pytest.raises(sr.CompileError, match=r"no graph\.foreign.*load of torch"):
            sr.compile(model, options=options)
    with pytest.raises(sr.CompileError, match=r"no graph\.foreign"):
        sr.build(path, tmp_path / "out")
    with pytest.raises(sr.CompileError, match=r"no graph\.foreign"):
        sr.trace(path, options=options)
    assert sr.compile(FOREIGN, options=replace(options, fallback="foreign"))


def test_a_framework_that_nobody_knows_is_refused():
    text = FOREIGN.replace('"torch"', '"os"')
    with pytest.raises(sr.CompileError, match=r"framework of onnx.*torch, got os"):
        sr.compile(text, options=sr.Options(cache=False, fallback="foreign"))
