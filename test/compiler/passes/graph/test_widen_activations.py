"""What is f32 in memory in the place of 16 bits has their bits."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.dialects.builtin import bf16, f16
from xdsl.ir import Block, SSAValue

import static_runtime as sr
from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.compiler.passes.graph import widen_activations
from static_runtime.dialects.graph.element_array import to_elements, to_numbers

Array: TypeAlias = np.ndarray[Any, Any]

IMAGES = """
func.func @main(%x: tensor<?x3x12x12xT, ["n"]>, %u: tensor<8x3x3x3xT>,
    %v: tensor<8x8x3x3xT>, %w: tensor<16x16x1x1xT>) -> tensor<?x16x6x6xT, ["n"]> {
  %0 = graph.conv %x, %u {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x3x12x12xT, ["n"]>, tensor<8x3x3x3xT> -> tensor<?x8x12x12xT, ["n"]>
  %1 = graph.relu %0 : tensor<?x8x12x12xT, ["n"]> -> tensor<?x8x12x12xT, ["n"]>
  %2 = graph.conv %1, %v {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x8x12x12xT, ["n"]>, tensor<8x8x3x3xT> -> tensor<?x8x12x12xT, ["n"]>
  %3 = graph.add %2, %1 : tensor<?x8x12x12xT, ["n"]>, tensor<?x8x12x12xT, ["n"]>
    -> tensor<?x8x12x12xT, ["n"]>
  %4 = graph.concat %1, %3 {axis = 1 : i64}
    : tensor<?x8x12x12xT, ["n"]>, tensor<?x8x12x12xT, ["n"]>
    -> tensor<?x16x12x12xT, ["n"]>
  %5 = graph.max_pool %4 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>,
    padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>}
    : tensor<?x16x12x12xT, ["n"]> -> tensor<?x16x6x6xT, ["n"]>
  %6 = graph.conv %5, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x16x6x6xT, ["n"]>, tensor<16x16x1x1xT> -> tensor<?x16x6x6xT, ["n"]>
  return %6 : tensor<?x16x6x6xT, ["n"]>
}
"""

ROWS = """
func.func @main(%x: tensor<?x40x48xT, ["n"]>, %u: tensor<48x48xT>, %v: tensor<48xT>,
    %w: tensor<48x48xT>) -> tensor<?x40x48xT, ["n"]> {
  %0 = graph.matmul %x, %u
    : tensor<?x40x48xT, ["n"]>, tensor<48x48xT> -> tensor<?x40x48xT, ["n"]>
  %1 = graph.add %0, %v
    : tensor<?x40x48xT, ["n"]>, tensor<48xT> -> tensor<?x40x48xT, ["n"]>
  %2 = graph.permute %1 {order = array<i64: 0, 2, 1>}
    : tensor<?x40x48xT, ["n"]> -> tensor<?x48x40xT, ["n"]>
  %3 = graph.matmul %1, %2 : tensor<?x40x48xT, ["n"]>, tensor<?x48x40xT, ["n"]>
    -> tensor<?x40x40xT, ["n"]>
  %4 = graph.softmax %3 {axis = 2 : i64}
    : tensor<?x40x40xT, ["n"]> -> tensor<?x40x40xT, ["n"]>
  %5 = graph.matmul %4, %1 : tensor<?x40x40xT, ["n"]>, tensor<?x40x48xT, ["n"]>
    -> tensor<?x40x48xT, ["n"]>
  %6 = graph.tanh %5 : tensor<?x40x48xT, ["n"]> -> tensor<?x40x48xT, ["n"]>
  %7 = graph.matmul %6, %w
    : tensor<?x40x48xT, ["n"]>, tensor<48x48xT> -> tensor<?x40x48xT, ["n"]>
  %8 = graph.add %7, %1 : tensor<?x40x48xT, ["n"]>, tensor<?x40x48xT, ["n"]>
    -> tensor<?x40x48xT, ["n"]>
  return %8 : tensor<?x40x48xT, ["n"]>
}
"""

MODELS = {
    "images": (IMAGES, ((3, 12, 12), (8, 3, 3, 3), (8, 8, 3, 3), (16, 16, 1, 1))),
    "rows": (ROWS, ((40, 48), (48, 48), (48,), (48, 48))),
}

TYPES = {"f16": (f16, np.float16), "bf16": (bf16, np.uint16)}
"""The element types, and what numpy has of their bits."""


def text_of(name: str, type: str) -> str:
    """A model with floats of a type."""
    return MODELS[name][0].replace("xT", f"x{type}")


def numbers(name: str, n: int, type: str) -> list[Array]:
    """Inputs for a batch of n, among them a subnormal number, NaN and an infinity."""
    random = np.random.default_rng(n)
    first, *others = MODELS[name][1]
    found = [random.standard_normal(each) for each in ((n, *first), *others)]
    found[0].flat[:3] = 1e-39, np.nan, np.inf
    element, dtype = TYPES[type]
    return [to_elements(each, element).view(dtype) for each in found]


def without(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets no value be f32 in memory."""

    def chosen(block: Block, many: int) -> set[SSAValue]:
        return set()

    monkeypatch.setattr(widen_activations, "_chosen", chosen)


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("target", ["host", "x86-64"])
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("name", MODELS)
def test_bits_are_those_of_16_bits_in_memory(
    name: str, type: str, target: str, monkeypatch: pytest.MonkeyPatch
):
    options = sr.Options(cache=False, threads=2)
    text = text_of(name, type)
    wide = sr.compile(text, target=target, options=options)
    without(monkeypatch)
    narrow = sr.compile(text, target=target, options=options)
    for n in (1, 3):
        inputs = numbers(name, n, type)
        one, other = (np.asarray(each(*inputs)) for each in (wide, narrow))
        # Which NaN a sum of two has is not said.
        is_nan = np.isnan(to_numbers(one, TYPES[type][0]))
        assert is_nan.any()
        np.testing.assert_array_equal(
            one.view(np.uint16)[~is_nan], other.view(np.uint16)[~is_nan]
        )
        assert np.isnan(to_numbers(other, TYPES[type][0])[is_nan]).all()
        assert wide.plan.size > narrow.plan.size


def test_kernels_of_libraries_are_found_by_their_loops(
    monkeypatch: pytest.MonkeyPatch,
):
    def kernels() -> list[str]:
        model = make_data_model(text_of("rows", "bf16"), sr.Options())
        return model.artifact.notes["kernels"]

    found = kernels()
    without(monkeypatch)
    assert kernels() == found
