"""Sums that are kept in f32 between two kernels have the bits of those in one."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.compiler.passes.graph import split_sums
from static_runtime.dialects.loop import TargetAttr

Array: TypeAlias = np.ndarray[Any, Any]


def let_k_be(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Lets `most` k be one block, whatever first cache a machine has."""

    def most_k(target: TargetAttr) -> int:
        return most

    monkeypatch.setattr(split_sums, "_most_k", most_k)


PRODUCT = """
func.func @main(%x: tensor<?x1200xT, ["n"]>, %w: tensor<1200x70xT>,
    %y: tensor<?x70xT, ["n"]>) -> tensor<?x70xT, ["n"]> {
  %0 = graph.matmul %x, %w
    : tensor<?x1200xT, ["n"]>, tensor<1200x70xT> -> tensor<?x70xT, ["n"]>
  %1 = graph.add %0, %y
    : tensor<?x70xT, ["n"]>, tensor<?x70xT, ["n"]> -> tensor<?x70xT, ["n"]>
  %2 = graph.relu %1 : tensor<?x70xT, ["n"]> -> tensor<?x70xT, ["n"]>
  return %2 : tensor<?x70xT, ["n"]>
}
"""

CONVOLUTION = """
func.func @main(%x: tensor<?x130x9x9xT, ["n"]>, %w: tensor<24x130x3x3xT>,
    %y: tensor<1x24x1x1xT>) -> tensor<?x24x7x7xT, ["n"]> {
  %0 = graph.conv %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>,
    dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<?x130x9x9xT, ["n"]>, tensor<24x130x3x3xT> -> tensor<?x24x7x7xT, ["n"]>
  %1 = graph.mul %0, %y
    : tensor<?x24x7x7xT, ["n"]>, tensor<1x24x1x1xT> -> tensor<?x24x7x7xT, ["n"]>
  return %1 : tensor<?x24x7x7xT, ["n"]>
}
"""

MODELS = {"product": PRODUCT, "convolution": CONVOLUTION}


def shapes(name: str, n: int) -> list[tuple[int, ...]]:
    """The sizes of the inputs of a model, for a size of its results."""
    if name == "product":
        return [(n, 1200), (1200, 70), (n, 70)]
    return [(n, 130, 9, 9), (24, 130, 3, 3), (1, 24, 1, 1)]


def numbers(name: str, n: int, type: str) -> list[Array]:
    """Inputs of 16 bits, with sizes that depend on one number."""
    random = np.random.default_rng(n)
    found = (
        random.standard_normal(each).astype(np.float32) for each in shapes(name, n)
    )
    if type == "f16":
        return [each.astype(np.float16) for each in found]
    return [(each.view(np.uint32) >> 16).astype(np.uint16) for each in found]


@pytest.mark.sampled(every=8)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("precision", ["f32", "bf16"])
@pytest.mark.parametrize("type", ["f16", "bf16"])
@pytest.mark.parametrize("name", MODELS)
def test_bits_are_those_of_one_kernel(
    name: str, type: str, precision: str, monkeypatch: pytest.MonkeyPatch
):
    text = MODELS[name].replace("xT", f"x{type}")
    options = sr.Options(cache=False, threads=1, precision=precision)
    let_k_be(monkeypatch, 256)
    split = sr.compile(text, options=options)
    let_k_be(monkeypatch, 1 << 40)
    whole = sr.compile(text, options=options)
    for n in (1, 5, 40):
        inputs = numbers(name, n, type)
        one, other = (np.asarray(each(*inputs)) for each in (split, whole))
        np.testing.assert_array_equal(one.view(np.uint16), other.view(np.uint16))


def test_a_product_is_two_kernels(monkeypatch: pytest.MonkeyPatch):
    def kernels(most: int) -> int:
        let_k_be(monkeypatch, most)
        text = PRODUCT.replace("xT", "xbf16")
        return sr.compile(text, options=sr.Options(cache=False)).report.kernels

    assert (kernels(1199), kernels(1200)) == (2, 1)


def test_kernels_of_libraries_take_any_k(monkeypatch: pytest.MonkeyPatch):
    def kernels(most: int) -> list[str]:
        let_k_be(monkeypatch, most)
        model = make_data_model(PRODUCT.replace("xT", "xbf16"), sr.Options())
        return model.artifact.notes["kernels"]

    assert kernels(1199) == kernels(1200)
