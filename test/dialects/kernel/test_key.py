"""Ops with equal keys have equal kernels; a model is the same without the keys."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from bench.depth import model
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.fusion import FusionOp
from static_runtime.dialects.kernel.key import structure
from static_runtime.dialects.kernel.known_groups import group_of
from static_runtime.dialects.loop.preference import PREFERENCE, PreferenceAttr
from static_runtime.lowering.graph_to_loop import program
from static_runtime.lowering.graph_to_loop.kernel import build_kernel

POST = Path(__file__).parents[2] / "models" / "static_runtime_post.mlir"

V = "tensor<4xf32>"
PAIR = f"{V}, {V} -> {V}"
EQUAL = f"graph.add %x, %y : {PAIR}"
DIFFERENT = (
    EQUAL,
    f"graph.sub %x, %y : {PAIR}",
    f"graph.add %x, %x : {PAIR}",
    f"graph.add %x, %zero : {V}, tensor<f32> -> {V}",
    f"graph.add %x, %minus : {V}, tensor<f32> -> {V}",
    f"graph.add %x, %one : {V}, tensor<f32> -> {V}",
    f"graph.add %x, %w : {PAIR}",
    "graph.add %s, %t : tensor<?xf32, [n]>, tensor<?xf32, [n]> -> tensor<?xf32, [n]>",
    f"graph.clamp %x {{min = 0.0 : f64, max = 1.0 : f64}} : {V} -> {V}",
    f"graph.clamp %x {{min = -0.0 : f64, max = 1.0 : f64}} : {V} -> {V}",
    f"graph.clamp %x {{min = 0.0 : f64, max = 2.0 : f64}} : {V} -> {V}",
)


def last_op(line: str) -> GraphOp:
    """The op of a line, in a function with values of several kinds."""
    line = line.replace("[n]", '["n"]')
    result = line.split(" -> ")[-1]
    unknown = 'tensor<?xf32, ["n"]>'
    text = f"""
func.func @f(%x: {V}, %y: {V}, %s: {unknown}, %t: {unknown}) -> {result} {{
  %zero = graph.constant dense<0.0> : tensor<f32>
  %minus = graph.constant dense<-0.0> : tensor<f32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : {V}
  %r = {line}
  return %r : {result}
}}"""
    (op,) = (
        each
        for each in read_mlir(text, context()).walk()
        if isinstance(each, GraphOp) and each.operands
    )
    # It must live as long as its op is looked at.
    MODULES.append(op.parent_op())
    return op


MODULES: list[object] = []


def kernel_text(op: GraphOp) -> str:
    """The text of the kernel of an op."""
    group = group_of(op)
    assert group is not None
    return str(build_kernel(group, "kernel").op)


def test_ops_that_differ_in_names_only_have_one_key():
    first, second = last_op(EQUAL), last_op(EQUAL.replace("%x, %y", "%y, %x"))
    assert structure(first) == structure(second)
    assert hash(structure(first)) == hash(structure(second))
    assert kernel_text(first) == kernel_text(second)


def test_ops_that_differ_in_anything_else_have_different_keys():
    keys = [structure(last_op(line)) for line in DIFFERENT]
    assert len(set(keys)) == len(DIFFERENT)


def test_what_is_preferred_of_a_fusion_is_a_part_of_its_key():
    fusion = f"""func.func @f(%x: {V}, %y: {V}) -> {V} {{
      %1 = graph.fusion %x, %y : {PAIR} {{
      ^bb0(%a: {V}, %b: {V}):
        %2 = graph.add %a, %b : {PAIR}
        graph.yield %2 : {V}
      }}
      return %1 : {V}
    }}"""
    module = read_mlir(fusion, context())
    (op,) = (each for each in module.walk() if isinstance(each, FusionOp))
    key = structure(op)
    assert structure(op) == key
    op.attributes[PREFERENCE] = PreferenceAttr.of(nr=8)
    assert structure(op) != key


def lowered(text: str | Path) -> str:
    """What the pipeline makes of a model."""
    ctx = context()
    module = read_mlir(text, ctx)
    Driver(ctx, Options(), "x86-64-v3", None).run_passes(module)
    return str(module)


@pytest.mark.parametrize("text", [model("linear", 5), model("residual", 5), POST])
def test_a_model_is_the_same_without_keys(
    text: str | Path, monkeypatch: pytest.MonkeyPatch
):
    expected = lowered(text)
    numbers = count()

    def another(_: GraphOp) -> int:
        return next(numbers)

    monkeypatch.setattr(program, "structure", another)
    assert lowered(text) == expected
