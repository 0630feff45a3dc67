"""Transforms, beside numpy's and ONNX's own."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

from static_runtime.compiler.session.errors import CompileError

from .interpreter import model, read


@pytest.mark.parametrize("length", [1, 2, 3, 7, 8, 12])
@pytest.mark.parametrize("attributes", ["", "<inverse = 1>"])
def test_a_complex_transform_is_numpys(length: int, attributes: str):
    """Of more or fewer elements than there are, which are zeros or left out."""
    text = f"""(double[n,7,2,2] x) => (double y)
    <int64 s = {{{length}}}, int64 a = {{1}}> {{ y = DFT {attributes} (x, s, a) }}"""
    x = np.random.default_rng(0).standard_normal((3, 7, 2, 2))
    (y,) = read(model(f"g {text}", 20)).run(x)
    transform = np.fft.ifft if attributes else np.fft.fft
    expected = transform(x[..., 0] + 1j * x[..., 1], length, axis=1)
    np.testing.assert_allclose(y[..., 0] + 1j * y[..., 1], expected, atol=1e-13)


@pytest.mark.parametrize("length", [4, 5, 8])
def test_a_real_transform_has_an_inverse(length: int):
    there = "f = DFT <onesided = 1> (x, s)"
    back = "y = DFT <onesided = 1, inverse = 1> (f, s)"
    text = f"""g (double[2,{length},1] x) => (double f, double y)
    <int64 s = {{{length}}}> {{ {there} {back} }}"""
    x = np.random.default_rng(0).standard_normal((2, length, 1))
    f, y = read(model(text, 20)).run(x)
    expected = np.fft.rfft(x[..., 0])
    np.testing.assert_allclose(f[..., 0] + 1j * f[..., 1], expected, atol=1e-13)
    np.testing.assert_allclose(y, x, atol=1e-13)


LENGTHS = {"as it is": "", "fixed": "t = Identity(s)", "doubled": "t = Mul(d, s)"}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8])
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize(
    ("parts", "attributes"),
    [
        (1, ""),
        (2, ""),
        (1, "<onesided = 1>"),
        (2, "<inverse = 1>"),
        (2, "<inverse = 1, onesided = 1>"),
    ],
)
def test_transforms_of_open_lengths_are_onnxs(
    size: int, length: str, parts: int, attributes: str
):
    lengths = f"h = Shape(x) d = Gather<axis = 0>(h, a) {LENGTHS[length]}"
    wanted = "t" if LENGTHS[length] else ""
    text = f"""g (double[2,n,3,{parts}] x) => (double y)
    <int64 s = {{{6 if length == "fixed" else 2}}}, int64 a = {{1}}>
    {{ {lengths} y = DFT {attributes} (x, {wanted}, a) }}"""
    x = np.random.default_rng(0).standard_normal((2, size, 3, parts))
    read_model = read(model(text, 20))
    if size == 1 and not wanted and "inverse = 1, onesided" in attributes:
        with pytest.raises(ValueError, match="expected a length of 1 or more, got"):
            read_model.run(x)
        return
    (y,) = read_model.run(x)
    (expected,) = ReferenceEvaluator(model(text, 20)).run(None, {"x": x})
    np.testing.assert_allclose(y, expected, atol=1e-12)


@pytest.mark.parametrize("window", ["w", ""])
@pytest.mark.parametrize(
    ("shape", "onesided"), [("n,30", 1), ("n,30,1", 0), ("n,30,2", 0)]
)
def test_a_short_time_transform_is_onnxs(shape: str, onesided: int, window: str):
    text = f"""g (float[{shape}] x, float[8] w) => (float y)
    <int64 step = {{5}}, int64 length = {{8}}>
    {{ y = STFT <onesided = {onesided}> (x, step, {window}, length) }}"""
    random = np.random.default_rng(0)
    sizes = [2, *map(int, shape.split(",")[1:])]
    x = random.standard_normal(sizes).astype(np.float32)
    w = random.standard_normal(8).astype(np.float32)
    (y,) = read(model(text, 17)).run(x, w)
    if len(sizes) == 2:
        x = x[..., None]
        text = text.replace("[n,30]", "[n,30,1]")
    evaluator = ReferenceEvaluator(model(text, 17))
    (expected,) = evaluator.run(None, {"x": x, "w": w})
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("bins", [1, 8, 40])
def test_triangles_on_the_mel_scale_are_onnxs(bins: int):
    text = f"""<ir_version: 8, opset_import: ["" : 17]> g () => (float[a,b] y)
    <int64 b = {{{bins}}}, int64 l = {{64}}, int64 r = {{8192}},
    float low = {{100.0}}, float high = {{4000.0}}>
    {{ y = MelWeightMatrix(b, l, r, low, high) }}"""
    made = parser.parse_model(text)
    (y,) = read(made).run()
    (expected,) = ReferenceEvaluator(made).run(None, {})
    np.testing.assert_allclose(y, expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(float[4] x) => (float y) { y = DFT(x) }", "expected real or complex"),
        ("(float[4,3] x) => (float y) { y = DFT(x) }", "expected real or complex"),
        (
            "(float[2,4,1] x) => (float y) <int64 a = {2}> { y = DFT(x, , a) }",
            "expected an axis before the last, got 2",
        ),
        (
            "(float[2,4,2] x) => (float y) { y = DFT <onesided = 1> (x) }",
            "real numbers for one side of the frequencies",
        ),
        (
            "(float[2,4,k] x) => (float y) { y = DFT(x) }",
            r"real numbers \(1\) or complex ones \(2\) by a last axis that varies: k",
        ),
        (
            "(float[2,n,1] x) => (float y) <int64 s = {1}> { y = STFT(x, s) }",
            "a length of frames that varies: n",
        ),
        (
            "(float[1,9000,1] x) => (float y) { y = DFT(x) }",
            "a transform of 9000 elements, which is long",
        ),
        (
            """(float[1,9] x) => (float y) <int64 s = {0}, int64 l = {3}>
            { y = STFT(x, s, , l) }""",
            "expected a step and a length, got 0 and 3",
        ),
        (
            """(float[1,9] x, float[4] w) => (float y) <int64 s = {1}, int64 l = {3}>
            { y = STFT(x, s, w, l) }""",
            "expected a window of 3, got tensor<4xf32>",
        ),
    ],
)
def test_what_has_no_transform_is_refused(text: str, message: str):
    with pytest.raises(CompileError, match=message):
        read(model(f"g {text}", 20))
