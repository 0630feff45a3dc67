"""Models in textual IR that the tests of the runtime call, each compiled once."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from copy import copy
from functools import cache
from unittest.mock import patch

import static_runtime as sr
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.argmax import ArgmaxOp
from static_runtime.dialects.graph.ops.cumulative import CumsumOp
from static_runtime.runtime.call.compiled import CompiledModule

AFFINE = """
func.func @affine(%x: tensor<?x3xf32, ["batch"]>, %w: tensor<3x5xf32>)
    -> tensor<?x5xf32, ["batch"]> {
  %0 = graph.matmul %x, %w : tensor<?x3xf32, ["batch"]>, tensor<3x5xf32>
    -> tensor<?x5xf32, ["batch"]>
  %1 = graph.relu %0 : tensor<?x5xf32, ["batch"]> -> tensor<?x5xf32, ["batch"]>
  return %1 : tensor<?x5xf32, ["batch"]>
}
"""
"""relu(x @ w) for batches of any size."""

DOUBLE = """
func.func @double(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = graph.add %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
"""
"""x + x of one size."""

PARTS = """
func.func @parts(%x: tensor<?x3xf32, ["batch"]>)
    -> (tensor<?x3xf32, ["batch"]>, tensor<?x3xf32, ["batch"]>) {
  %0 = graph.neg %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  %1 = graph.abs %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>
  return %0, %1 : tensor<?x3xf32, ["batch"]>, tensor<?x3xf32, ["batch"]>
}
"""
"""-x and |x|."""

ALIASES = """
func.func @aliases(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xf32>,
    tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>) {
  %0 = graph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = graph.reshape %x {shape = ["6"]} : tensor<2x3xf32> -> tensor<6xf32>
  %2 = graph.add %x, %x : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = graph.reshape %2 {shape = ["3", "2"]} : tensor<2x3xf32> -> tensor<3x2xf32>
  return %x, %0, %1, %2, %2, %3 : tensor<2x3xf32>, tensor<2xf32>,
    tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x2xf32>
}
"""
"""An input, a constant, a view of an input, a value twice, and a view of that."""

RUNNING = """
func.func @running(%x: tensor<?x3xf32, ["n"]>)
    -> (tensor<?x3xf32, ["n"]>, tensor<?xi64, ["n"]>) {
  %0 = graph.relu %x : tensor<?x3xf32, ["n"]> -> tensor<?x3xf32, ["n"]>
  %1 = graph.cumsum %0 {axis = 0 : i64} : tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]> loc("total")
  %2 = graph.mul %1, %x : tensor<?x3xf32, ["n"]>, tensor<?x3xf32, ["n"]>
    -> tensor<?x3xf32, ["n"]>
  %3 = graph.argmax %2 {axis = 1 : i64, keepdims = false} : tensor<?x3xf32, ["n"]>
    -> tensor<?xi64, ["n"]> loc("model.py":12:3)
  return %2, %3 : tensor<?x3xf32, ["n"]>, tensor<?xi64, ["n"]>
}
"""
"""cumsum(relu(x)) * x and where it is greatest; both run their references here."""

WORDS = """
func.func @words(%table: tensor<?x2xf32, ["rows"]>, %i: tensor<?xi64, ["n"]>)
    -> tensor<?x2xf32, ["n"]> {
  %0 = graph.embedding %table, %i : tensor<?x2xf32, ["rows"]>, tensor<?xi64, ["n"]>
    -> tensor<?x2xf32, ["n"]> loc("words")
  return %0 : tensor<?x2xf32, ["n"]>
}
"""
"""Rows of a table."""


@contextmanager
def without_kernels() -> Generator[None]:
    """Lets the ops that `RUNNING` calls be fallback ops, as those in its place are."""
    with ExitStack() as stack:
        for op in (CumsumOp, ArgmaxOp):
            for name in ("nests", "decompose"):
                stack.enter_context(patch.object(op, name, getattr(GraphOp, name)))
        yield


@cache
def compiled(text: str) -> CompiledModule:
    """The module of a text, which all tests in the process share."""
    return fresh(text)


@cache
def original(text: str) -> CompiledModule:
    """The module of a text, which nothing calls."""
    with without_kernels():
        return as_compiled(sr.compile(text, options=sr.Options(cache=False)))


def fresh(text: str) -> CompiledModule:
    """A module of its own, which nothing has called yet."""
    # A copy has the code of its original, and nothing else of it.
    return copy(original(text))


def as_compiled(module: sr.StaticModule) -> CompiledModule:
    """A module that runs machine code, as most are."""
    assert isinstance(module, CompiledModule)
    return module
