"""Functions of one contraction each, of kinds that are computed in different ways."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import SrContext, context
from static_runtime.dialects.shape import Array

WINDOW = (
    "strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, "
    "dilation = array<i64: 1, 1>"
)


def product(rows: int | str, name: str = "main") -> str:
    """A product with weights, a sum and a clamp."""
    size, names = ("?", f', ["{rows}"]') if isinstance(rows, str) else (rows, "")
    x, out = f"tensor<{size}x150xf32{names}>", f"tensor<{size}x52xf32{names}>"
    return f"""func.func @{name}(%x: {x}, %row: tensor<52xf32>) -> {out} {{
      %w = graph.weight "w" : tensor<150x52xf32>
      %1 = graph.matmul %x, %w : {x}, tensor<150x52xf32> -> {out}
      %2 = graph.add %1, %row : {out}, tensor<52xf32> -> {out}
      %3 = graph.relu %2 : {out} -> {out}
      func.return %3 : {out}
    }}"""


def convolution(x: str, w: str, out: str, entries: str) -> str:
    """A convolution with weights."""
    return f"""func.func @main(%x: tensor<{x}xf32>) -> tensor<{out}xf32> {{
      %w = graph.weight "w" : tensor<{w}xf32>
      %1 = graph.conv %x, %w {{{WINDOW}, {entries}}}
        : tensor<{x}xf32>, tensor<{w}xf32> -> tensor<{out}xf32>
      func.return %1 : tensor<{out}xf32>
    }}"""


def of_two(x: str, y: str, out: str) -> str:
    """A product of two tensors that both change."""
    return f"""func.func @main(%x: tensor<{x}xf32>, %y: tensor<{y}xf32>)
        -> tensor<{out}xf32> {{
      %1 = graph.matmul %x, %y
        : tensor<{x}xf32>, tensor<{y}xf32> -> tensor<{out}xf32>
      func.return %1 : tensor<{out}xf32>
    }}"""


SUBJECTS = {
    "weights": product(61),
    "few rows": product(3).replace("150", "2048"),
    "both change": of_two("33x300", "300x70", "33x70"),
    "batch": of_two("4x33x64", "4x64x40", "4x33x40"),
    "one row": of_two("1x1024", "1024x512", "1x512"),
    "channels last": convolution(
        "1x12x12x32", "3x3x32x40", "1x10x10x40", "groups = 1 : i64, channels_last"
    ),
    "channels first": convolution(
        "1x32x12x12", "40x32x3x3", "1x40x10x10", "groups = 1 : i64"
    ),
    "depthwise": convolution(
        "1x22x22x136", "3x3x1x136", "1x20x20x136", "groups = 136 : i64, channels_last"
    ),
}


def weights(text: str) -> Array:
    """Weights of a subject, at random."""
    shape = text.partition('"w" : tensor<')[2].partition("xf32>")[0].split("x")
    return np.random.default_rng(1).standard_normal([*map(int, shape)], np.float32)


def read(text: str) -> tuple[ModuleOp, SrContext]:
    """The module of a subject, with its weights."""
    ctx = context()
    if "graph.weight" in text:
        ctx.weights.put("w", weights(text))
    return read_mlir(text, ctx), ctx
