"""What one factor makes of steps is what the model does, for every step."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.graph.fold_requantization import FoldRequantization

BYTES = np.arange(256, dtype=np.uint8)
PAIRS = np.repeat(BYTES, 256), np.tile(BYTES, 256)


def chain(
    scales: list[float],
    to: float,
    bias: float | None,
    has_relu: bool,
    kind: str = "ui8",
) -> str:
    """The sum of some tensors of steps, and a bias, in steps of a scale."""
    names = [f"%x{k}" for k in range(len(scales))]
    lines, found = list[str](), ""
    for k, (name, scale) in enumerate(zip(names, scales, strict=True)):
        lines += [
            f"%s{k} = graph.constant dense<{scale:.9e}> : tensor<f32>",
            f"%z{k} = graph.constant dense<128> : tensor<{kind}>",
            f"%d{k} = graph.dequantize {name}, %s{k}, %z{k} : tensor<65536x{kind}>, "
            f"tensor<f32>, tensor<{kind}> -> tensor<65536xf32>",
        ]
        lines += [_sum(f"%a{k}", found, f"%d{k}")] if found else []
        found = f"%a{k}" if found else f"%d{k}"
    if bias is not None:
        lines.append(f"%b = graph.constant dense<{bias:.9e}> : tensor<65536xf32>")
        lines.append(_sum("%with", found, "%b"))
        found = "%with"
    if has_relu:
        lines.append(
            f"%r = graph.relu {found} : tensor<65536xf32> -> tensor<65536xf32>"
        )
        found = "%r"
    inputs = ", ".join(f"{name} : tensor<65536x{kind}>" for name in names)
    body = "\n  ".join(lines)
    return f"""
func.func @main({inputs}) -> tensor<65536xui8> {{
  %z = graph.constant dense<128> : tensor<ui8>
  {body}
  %t = graph.constant dense<{to:.9e}> : tensor<f32>
  %q = graph.quantize {found}, %t, %z : tensor<65536xf32>, tensor<f32>, tensor<ui8>
    -> tensor<65536xui8>
  return %q : tensor<65536xui8>
}}
"""


def _sum(name: str, a: str, b: str) -> str:
    type = "tensor<65536xf32>"
    return f"{name} = graph.add {a}, {b} : {type}, {type} -> {type}"


def is_folded(text: str) -> bool:
    """Whether what is quantised then has a scale of one."""
    ctx = context()
    module = read_mlir(text, ctx)
    FoldRequantization().apply(ctx, module)
    return "dense<1.000000e+00>" in str(module)


@pytest.mark.parametrize(
    ("scales", "to", "bias", "has_relu", "folds"),
    [
        ([0.05], 0.02, None, False, False),  # a tie goes one way, and the next another
        ([0.05], 0.02, None, True, False),
        ([0.0413], 0.0207, None, False, True),
        ([0.0413], 0.0207, 0.31, False, True),
        ([0.5], 0.25, 0.125, False, True),  # ties, all exact
        ([0.05, 0.03], 0.02, None, False, False),
        ([0.0413, 0.0319], 0.0207, None, True, True),
        ([0.0413, 0.0319], 0.0207, 0.31, False, True),
    ],
)
def test_each_step_is_that_of_the_model(
    scales: list[float], to: float, bias: float | None, has_relu: bool, folds: bool
):
    text = chain(scales, to, bias, has_relu)
    steps = PAIRS[: len(scales)]
    total = np.float32(0)
    for each, scale in zip(steps, scales, strict=True):
        numbers = (each.astype(np.float32) - 128) * np.float32(scale)
        total = numbers + total
    if bias is not None:
        total = total + np.float32(bias)
    if has_relu:
        total = np.maximum(total, 0)
    want = np.clip(np.rint(total / np.float32(to)) + 128, 0, 255)
    found = sr.compile(text, options=sr.Options(threads=1))(*steps)
    np.testing.assert_array_equal(found, want.astype(np.uint8))
    assert is_folded(text) == folds


def test_what_cannot_be_tried_stays():
    assert is_folded(chain([0.5, 0.25], 0.125, None, False))
    assert not is_folded(chain([0.5, 0.25, 0.125], 0.5, None, False))
    assert not is_folded(chain([0.5, 0.25], 0.5, None, False, "si16"))
    assert is_folded(chain([0.5], 0.125, None, False, "si16"))


@pytest.mark.parametrize("kind", ["ui32", "i32", "i64"])
def test_integers_of_many_bits_are_not_tried(kind: str):
    assert is_folded(chain([0.05], 0.02, None, False, kind))


def test_a_bias_that_overflows_is_no_error():
    assert is_folded(chain([0.5], 1e-20, 1e30, False))
