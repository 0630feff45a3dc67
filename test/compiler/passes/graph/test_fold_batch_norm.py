"""A layer with other weights computes what the layer and its normalisation did."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import SSAValue
from xdsl.parser import Parser

from static_runtime.compiler.ir.context import SrContext, context
from static_runtime.compiler.passes.graph.fold_batch_norm import FoldBatchNorm
from static_runtime.compiler.passes.graph.fold_constants import FoldConstants
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.storage.stored import StoredOp
from static_runtime.dialects.shape import Array

PLAIN = "strides = array<i64: 1, 2>, dilation = array<i64: 1, 1>"


@dataclass(frozen=True)
class Case:
    """A chain of ops on `%x` and on weights at random."""

    shape: str

    lines: tuple[str, ...]
    """An op each: its name, its weights by shape, its properties, its shape."""

    left: str
    """The ops that compute something, once all is folded."""


def conv(weight: str, shape: str, padding: str = "0, 0, 0, 0", groups: int = 1) -> str:
    """A convolution."""
    properties = f"{PLAIN}, padding = array<i64: {padding}>, groups = {groups} : i64"
    return f"conv | {weight} | {properties} | {shape}"


def conv_transpose(weight: str, shape: str, groups: int) -> str:
    """A transposed convolution."""
    properties = (
        f"{PLAIN}, padding = array<i64: 0, 1, 0, 0>, "
        f"output_padding = array<i64: 0, 1>, groups = {groups} : i64"
    )
    return f"conv_transpose | {weight} | {properties} | {shape}"


def batch_norm(channels: int, shape: str) -> str:
    """A normalisation."""
    statistics = " ".join([str(channels)] * 4)
    return f"batch_norm | {statistics} | epsilon = 1.0e-05 : f64 | {shape}"


IMAGE, SMALLER = "2x4x6x5", "2x8x4x2"

CASES = {
    "convolution": Case(
        IMAGE, (conv("8x4x3x3", SMALLER), batch_norm(8, SMALLER)), "conv add"
    ),
    "convolution, bias": Case(
        IMAGE,
        (
            conv("8x4x3x3", SMALLER),
            f"add | 8x1x1 | | {SMALLER}",
            batch_norm(8, SMALLER),
            f"relu | | | {SMALLER}",
        ),
        "conv add relu",
    ),
    "groups": Case(
        IMAGE,
        (conv("8x2x3x3", SMALLER, groups=2), batch_norm(8, SMALLER)),
        "conv add",
    ),
    "padding does not matter after a convolution": Case(
        IMAGE,
        (conv("8x4x3x3", "2x8x8x3", "1, 1, 3, 1"), batch_norm(8, "2x8x8x3")),
        "conv add",
    ),
    "transposed convolution": Case(
        IMAGE,
        (conv_transpose("4x3x3x3", "2x3x8x11", 1), batch_norm(3, "2x3x8x11")),
        "conv_transpose add",
    ),
    "transposed convolution, groups": Case(
        IMAGE,
        (conv_transpose("4x3x3x3", "2x6x8x11", 2), batch_norm(6, "2x6x8x11")),
        "conv_transpose add",
    ),
    "fully connected": Case(
        "5x3",
        ("linear | 4x3 | | 5x4", "add | 4 | | 5x4", batch_norm(4, "5x4")),
        "linear add",
    ),
    "matrix": Case(
        "5x3",
        ("matmul | 3x4 | | 5x4", "add | 1x4 | | 5x4", batch_norm(4, "5x4")),
        "matmul add",
    ),
    "products and sums": Case(
        IMAGE,
        (
            conv("8x4x3x3", SMALLER),
            f"mul | 8x1x1 | | {SMALLER}",
            f"add | 1x8x1x1 | | {SMALLER}",
            f"div | 8x1x1 | | {SMALLER}",
            f"sub | 8x1x1 | | {SMALLER}",
        ),
        "conv add",
    ),
    "a normalisation, then what another one is made of": Case(
        IMAGE,
        (
            conv("8x4x3x3", SMALLER),
            batch_norm(8, SMALLER),
            f"mul | 8x1x1 | | {SMALLER}",
            f"add | 8x1x1 | | {SMALLER}",
        ),
        "conv add",
    ),
    "numbers for all channels": Case(
        "2x5x3",
        ("linear | 4x3 | | 2x5x4", "sub | 1 | | 2x5x4", "mul | 1x1 | | 2x5x4"),
        "linear add",
    ),
    "transposed convolution, numbers": Case(
        IMAGE,
        (conv_transpose("4x3x3x3", "2x6x8x11", 2), "mul | 6x1x1 | | 2x6x8x11"),
        "conv_transpose",
    ),
    "before a convolution": Case(
        IMAGE, (batch_norm(4, IMAGE), conv("8x4x3x3", SMALLER)), "conv add"
    ),
    "before a convolution, groups": Case(
        IMAGE,
        (batch_norm(4, IMAGE), conv("8x2x3x3", SMALLER, groups=2)),
        "conv add",
    ),
    "before each channel on its own, and after": Case(
        IMAGE,
        (
            batch_norm(4, IMAGE),
            conv("4x1x3x3", "2x4x4x2", groups=4),
            batch_norm(4, "2x4x4x2"),
        ),
        "conv add",
    ),
    "before a fully connected layer": Case(
        "5x3",
        (batch_norm(3, "5x3"), "linear | 4x3 | | 5x4", "add | 4 | | 5x4"),
        "linear add",
    ),
    "before a matrix": Case(
        "5x3", (batch_norm(3, "5x3"), "matmul | 3x4 | | 5x4"), "matmul add"
    ),
    "before a convolution that pads": Case(
        IMAGE,
        (batch_norm(4, IMAGE), conv("8x4x3x3", "2x8x8x3", "1, 1, 3, 1")),
        "batch_norm conv",
    ),
    "before a relu": Case(
        IMAGE,
        (batch_norm(4, IMAGE), f"relu | | | {IMAGE}", conv("8x4x3x3", SMALLER)),
        "batch_norm relu conv",
    ),
    "after a relu": Case(
        IMAGE,
        (conv("8x4x3x3", SMALLER), f"relu | | | {SMALLER}", batch_norm(8, SMALLER)),
        "conv relu batch_norm",
    ),
    "channels that are not what rows are multiplied with": Case(
        "2x3x3",
        (batch_norm(3, "2x3x3"), "linear | 4x3 | | 2x3x4"),
        "batch_norm linear",
    ),
    "factors for each place": Case(
        IMAGE,
        (conv("8x4x3x3", SMALLER), f"mul | 4x2 | | {SMALLER}"),
        "conv mul",
    ),
    "factors for another axis": Case(
        "2x4x3", ("linear | 4x3 | | 2x4x4", "mul | 4x1 | | 2x4x4"), "linear mul"
    ),
    "sums for each place": Case(
        IMAGE,
        (
            conv("8x4x3x3", SMALLER),
            f"add | 8x1x1 | | {SMALLER}",
            f"add | 8x1x2 | | {SMALLER}",
        ),
        "conv add add",
    ),
}


def parse(case: Case) -> tuple[ModuleOp, SrContext]:
    """The function of a case, with its weights in the store of the context."""
    random, ctx = np.random.default_rng(0), context()
    body: list[str] = []
    before, shape = "%x", case.shape
    for number, line in enumerate(case.lines):
        name, weights, properties, result = (each.strip() for each in line.split("|"))
        operands, types = [before], [f"tensor<{shape}xf32>"]
        for size in weights.split():
            key = f"w{len(ctx.weights)}"
            # Above zero, as variances and divisors are.
            array = random.uniform(0.5, 1.5, [int(each) for each in size.split("x")])
            ctx.weights.put(key, array.astype(np.float32))
            body.append(f'%{key} = graph.weight "{key}" : tensor<{size}xf32>')
            operands.append(f"%{key}")
            types.append(f"tensor<{size}xf32>")
        before, shape = f"%v{number}", result
        given = f"{{{properties}}} " if properties else ""
        body.append(
            f"{before} = graph.{name} {', '.join(operands)} {given}: "
            f"{', '.join(types)} -> tensor<{shape}xf32>"
        )
    text = "\n".join([*body, f"func.return {before} : tensor<{shape}xf32>"])
    source = f"func.func @main(%x: tensor<{case.shape}xf32>) -> tensor<{shape}xf32> {{"
    module = Parser(ctx, f"{source}\n{text}\n}}").parse_module()
    module.verify()
    return module, ctx


def run(module: ModuleOp, ctx: SrContext, x: Array) -> Array:
    """What the function computes of `x`, in numpy."""
    (function,) = module.ops
    block = function.regions[0].block
    known: dict[SSAValue, Any] = {block.args[0]: x}
    for op in block.ops:
        if isinstance(op, StoredOp):
            known[op.result] = ctx.weights[op.key.data]
        elif isinstance(op, GraphOp):
            results = op.run_reference([known[each] for each in op.operands], {})
            known.update(zip(op.results, results, strict=True))
        else:
            assert isinstance(op, ReturnOp)
            return known[op.arguments[0]]
    raise AssertionError("a function ends with what it returns")


def left(module: ModuleOp) -> str:
    """The ops that compute something."""
    ops = [each for each in module.walk() if isinstance(each, GraphOp)]
    return " ".join(
        each.name.removeprefix("graph.")
        for each in ops
        if not isinstance(each, ConstantOp)
    )


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("name", CASES)
def test_computes_what_the_layer_and_its_normalisation_did(name: str):
    case = CASES[name]
    module, ctx = parse(case)
    shape = [int(each) for each in re.findall(r"\d+", case.shape)]
    x = np.random.default_rng(1).standard_normal(shape).astype(np.float32)
    expected = run(module, ctx, x)
    FoldBatchNorm().apply(ctx, module)
    module.verify()
    FoldConstants().apply(ctx, module)
    module.verify()
    assert left(module) == case.left
    actual = run(module, ctx, x)
    np.testing.assert_allclose(actual, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    ("op", "number"), [("mul", np.inf), ("div", 0), ("mul", np.nan)]
)
def test_a_factor_that_is_not_finite_stays(op: str, number: float):
    case = Case("5x3", ("linear | 4x3 | | 5x4", f"{op} | 4 | | 5x4"), f"linear {op}")
    module, ctx = parse(case)
    array = np.array([1, 2, number, 3], np.float32)
    ctx.weights.arrays["w1"] = array
    FoldBatchNorm().apply(ctx, module)
    assert left(module) == case.left
