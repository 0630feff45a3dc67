"""How large the groups of `fuse` become, and that the lowering can build them."""

import numpy as np
import pytest
from xdsl.parser import Parser

import static_runtime as sr
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.graph.fuse import LIMIT, Fuse
from static_runtime.dialects.graph.ops.fusion import FusionOp


def test_no_group_is_larger_than_a_kernel_should_be():
    count, type = 3 * LIMIT + 5, "tensor<4xf32>"
    lines = [f"%{n + 1} = graph.neg %{n} : {type} -> {type}" for n in range(count)]
    text = f"func.func @f(%0: {type}) -> {type} {{\n"
    text += "\n".join([*lines, f"func.return %{count} : {type}", "}"])
    ctx = context()
    module = Parser(ctx, text).parse_module()
    Fuse().apply(ctx, module)
    module.verify()
    sizes = [len(list(op.ops)) for op in module.walk() if isinstance(op, FusionOp)]
    assert sizes == [LIMIT, LIMIT, LIMIT, 5]


@pytest.mark.parametrize("keeps", [(True, False), (False, True), (True, True)], ids=str)
@pytest.mark.parametrize("swapped", [False, True])
def test_reductions_of_other_shapes_are_computed(
    keeps: tuple[bool, bool], swapped: bool
):
    whole = "tensor<3x6xf32>"
    types = ["tensor<1x1xf32>" if each else "tensor<f32>" for each in keeps]
    result = "tensor<1x1xf32>"
    sums = [
        f"%{name} = graph.sum %{of} {{axes = array<i64: 0, 1>, "
        f"keepdims = {str(kept).lower()}}} : {whole} -> {type}"
        for name, of, kept, type in zip("st", "pb", keeps, types, strict=True)
    ]
    lines = [
        f"%p = graph.mul %a, %b : {whole}, {whole} -> {whole}",
        *(reversed(sums) if swapped else sums),
        f"%q = graph.div %s, %t : {types[0]}, {types[1]} -> {result}",
    ]
    body = "\n".join(lines)
    text = f"func.func @f(%a: {whole}, %b: {whole}) -> {result} {{\n{body}\n"
    module = sr.compile(
        f"{text}return %q : {result}\n}}", options=sr.Options(cache=False)
    )
    a, b = np.random.default_rng(0).random((2, 3, 6), np.float32)
    np.testing.assert_allclose(module(a, b), [[(a * b).sum() / b.sum()]], rtol=1e-5)
