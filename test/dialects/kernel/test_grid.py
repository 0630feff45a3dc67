"""Fusions as text may have them: what is rearranged is computed right, or refused."""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr

APART = (
    '{sizes = ["2", "4", "16"], reads = [array<i64: 1>, array<i64: 0, 2>], '
    "writes = [array<i64: 0, 1>, array<i64: 2>]}"
)
BACK = (
    '{sizes = ["4", "2", "16"], reads = [array<i64: 1, 0>, array<i64: 2>], '
    "writes = [array<i64: 0>, array<i64: 1, 2>]}"
)
X, Y, Z = "tensor<4x32xf32>", "tensor<8x16xf32>", "tensor<8x16x5xf32>"
MOVED = f"%m = graph.rearrange %a {APART} : {X} -> {Y}"
AXES = "{axes = array<i64: 2>, keepdims = false}"

REFUSED = {
    "a product reads it": (
        "tensor<16x32xf32>",
        "tensor<8x32xf32>",
        [
            MOVED,
            f"%r = graph.matmul %m, %b : {Y}, tensor<16x32xf32> -> tensor<8x32xf32>",
        ],
    ),
    "a sum reads it": (
        "tensor<1xf32>",
        "tensor<8xf32>",
        [
            MOVED,
            f"%r = graph.sum %m {{axes = array<i64: 1>, keepdims = false}} : {Y} -> "
            "tensor<8xf32>",
        ],
    ),
    "it is moved again": (
        "tensor<1xf32>",
        X,
        [MOVED, f"%r = graph.rearrange %m {BACK} : {Y} -> {X}"],
    ),
    "it is permuted": (
        "tensor<1xf32>",
        "tensor<16x8xf32>",
        [
            MOVED,
            f"%r = graph.permute %m {{order = array<i64: 1, 0>}} : {Y} -> "
            "tensor<16x8xf32>",
        ],
    ),
    "it is repeated": (
        "tensor<3x8x16xf32>",
        "tensor<3x8x16xf32>",
        [
            MOVED,
            f"%r = graph.add %m, %b : {Y}, tensor<3x8x16xf32> -> tensor<3x8x16xf32>",
        ],
    ),
    "a reduction beside": (
        Z,
        Y,
        [
            MOVED,
            f"%n = graph.reduce_max %b {AXES} : {Z} -> {Y}",
            f"%r = graph.add %m, %n : {Y}, {Y} -> {Y}",
        ],
    ),
    "sums so far": (
        "tensor<1xf32>",
        Y,
        [
            f"%n = graph.cumsum %a {{axis = 1 : i64}} : {X} -> {X}",
            f"%r = graph.rearrange %n {APART} : {X} -> {Y}",
        ],
    ),
    "rows of a softmax": (
        "tensor<1xf32>",
        Y,
        [
            f"%n = graph.softmax %a {{axis = 1 : i64}} : {X} -> {X}",
            f"%r = graph.rearrange %n {APART} : {X} -> {Y}",
        ],
    ),
    "a product of a product": (
        "tensor<32x32xf32>",
        X,
        [
            f"%n = graph.matmul %a, %b : {X}, tensor<32x32xf32> -> {X}",
            f"%r = graph.matmul %n, %b : {X}, tensor<32x32xf32> -> {X}",
        ],
    ),
    "a constant": (
        "tensor<1xf32>",
        X,
        [
            "%n = graph.constant dense<2.0> : tensor<f32>",
            f"%r = graph.mul %a, %n : {X}, tensor<f32> -> {X}",
        ],
    ),
    "a constant of several elements": (
        "tensor<1xf32>",
        X,
        [
            f"%n = graph.constant dense<{[0.5] * 31 + [1.0]}> : tensor<32xf32>",
            f"%r = graph.mul %a, %n : {X}, tensor<32xf32> -> {X}",
        ],
    ),
    "a part of a concatenation": (
        X,
        "tensor<16x16xf32>",
        [
            f"%n = graph.concat %a, %b {{axis = 0 : i64}} : {X}, {X} -> "
            "tensor<8x32xf32>",
            '%m = graph.rearrange %n {sizes = ["2", "8", "16"], '
            "reads = [array<i64: 1>, array<i64: 0, 2>], "
            "writes = [array<i64: 0, 1>, array<i64: 2>]} : tensor<8x32xf32> -> "
            "tensor<16x16xf32>",
            "%r = graph.relu %m : tensor<16x16xf32> -> tensor<16x16xf32>",
        ],
    ),
}

COMPUTED = {
    "two are added": (
        X,
        Y,
        [
            MOVED,
            f"%n = graph.rearrange %b {APART} : {X} -> {Y}",
            f"%r = graph.add %m, %n : {Y}, {Y} -> {Y}",
        ],
    ),
    "the greatest of rows": (
        "tensor<4x32x5xf32>",
        Y,
        [
            f"%n = graph.reduce_max %b {AXES} : tensor<4x32x5xf32> -> {X}",
            f"%m = graph.rearrange %n {APART} : {X} -> {Y}",
            f"%r = graph.relu %m : {Y} -> {Y}",
        ],
    ),
    "rows of a product, each twice": (
        "tensor<32x16xf32>",
        Y,
        [
            f"%n = graph.matmul %a, %b : {X}, tensor<32x16xf32> -> tensor<4x16xf32>",
            '%r = graph.rearrange %n {sizes = ["4", "2", "16"], '
            "reads = [array<i64: 0>, array<i64: 2>], "
            f"writes = [array<i64: 0, 1>, array<i64: 2>]}} : tensor<4x16xf32> -> {Y}",
        ],
    ),
    "moved beside what is elsewhere": (
        Y,
        "tensor<8x32xf32>",
        [
            MOVED,
            f"%n = graph.add %m, %b : {Y}, {Y} -> {Y}",
            f"%r = graph.concat %n, %b {{axis = 1 : i64}} : {Y}, {Y} -> "
            "tensor<8x32xf32>",
        ],
    ),
}


def model(other: str, result: str, lines: list[str]) -> str:
    """A function of one fusion of these lines."""
    body = "\n    ".join(lines)
    return f"""func.func @main(%x : {X}, %y : {other}) -> {result} {{
  %0 = graph.fusion %x, %y : {X}, {other} -> {result} {{
  ^bb0(%a: {X}, %b: {other}):
    {body}
    graph.yield %r : {result}
  }}
  return %0 : {result}
}}"""


def numbers(type: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """Small whole numbers of a type."""
    *shape, _ = type.removeprefix("tensor<").split("x")
    draw = np.random.default_rng(len(type))
    return draw.integers(-3, 4, [int(each) for each in shape]).astype(np.float32)


@pytest.mark.parametrize("name", REFUSED)
def test_another_fusion_is_refused(name: str):
    with pytest.raises(sr.CompileError, match="leave fusions to the pass `fuse`"):
        sr.compile(model(*REFUSED[name]))


@pytest.mark.parametrize("name", COMPUTED)
def test_what_is_rearranged(name: str):
    other, result, lines = COMPUTED[name]
    text, x, y = model(other, result, lines), numbers(X), numbers(other)
    plain = sr.Options(enable_out_variant=False, optimize_memory=False)
    wanted = sr.compile(text, options=plain)(x, y)
    np.testing.assert_array_equal(sr.compile(text)(x, y), wanted)
