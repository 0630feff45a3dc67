"""Ops of `ai.onnx.ml` but trees, beside ONNX's evaluator; and reversed sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto
from onnx.reference import ReferenceEvaluator

from static_runtime.compiler.session.errors import CompileError

from .forests import FEATURES, model_of, rows
from .interpreter import Array, model, read

WEIGHTS = [
    0.5,
    -1.0,
    2.0,
    0.25,
    -0.125,
    1.0,
    1.0,
    -2.0,
    0.5,
    0.0,
    3.0,
    1.5,
    -1.0,
    0.0,
    2.0,
]

FLOATS: dict[str, tuple[str, dict[str, Any]]] = {
    "binarizer": ("Binarizer", {"threshold": 0.25}),
    "scaler": ("Scaler", {"offset": [1.0, 2.0, 3.0, 4.0, 5.0], "scale": [2.0] * 5}),
    "maximum": ("Normalizer", {"norm": "MAX"}),
    "sum": ("Normalizer", {"norm": "L1"}),
    "length": ("Normalizer", {"norm": "L2"}),
    "NaN": ("Imputer", {"imputed_value_floats": [7.0], "replaced_value_float": np.nan}),
    "zero": (
        "Imputer",
        {"imputed_value_floats": WEIGHTS[:5], "replaced_value_float": 0.5},
    ),
    "one target": (
        "LinearRegressor",
        {"coefficients": WEIGHTS[:5], "intercepts": [1.5]},
    ),
    "targets": (
        "LinearRegressor",
        {"coefficients": WEIGHTS, "intercepts": [1.5, 0.0, -1.0], "targets": 3},
    ),
    "features": ("FeatureVectorizer", {"inputdimensions": [FEATURES]}),
    "fewer features": ("FeatureVectorizer", {"inputdimensions": [2]}),
    "more features": ("FeatureVectorizer", {"inputdimensions": [FEATURES + 3]}),
}


@pytest.mark.parametrize("name", FLOATS)
def test_an_op_computes_what_onnx_does(name: str):
    op, attributes = FLOATS[name]
    made = model_of(op, {"y": TensorProto.FLOAT}, attributes)
    x = rows(20, missing=name == "NaN")[2:]
    (expected,) = ReferenceEvaluator(made).run(None, {"x": x})
    (y,) = read(made).run(x)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


WIDE = (TensorProto.DOUBLE, TensorProto.INT64, TensorProto.INT32)
KINDS = dict(zip(WIDE, (np.float64, np.int64, np.int32), strict=True))
BIG = [1e9 + 3, 1e9 - 5, 3.0, 4.0, 0.0]


def of_wide(kind: int, op: str, batch: int, **attributes: Any) -> Array:
    """What an op makes of rows of numbers that f32 does not have."""
    made = model_of(op, {"y": TensorProto.FLOAT}, attributes, kind)
    (y,) = read(made).run(np.array([BIG] * batch, KINDS[kind]).reshape(-1, FEATURES))
    assert y.dtype == np.float32
    return y


@pytest.mark.parametrize("kind", WIDE)
@pytest.mark.parametrize("batch", [1, 3, 0])
def test_wide_numbers_are_rounded_once(kind: int, batch: int):
    offset = [1e9, 1e9, 1.0, 1.0, 1.0]
    y = of_wide(kind, "Scaler", batch, offset=offset, scale=[0.5])
    np.testing.assert_array_equal(y, [[1.5, -2.5, 1, 1.5, -0.5]] * batch or y)
    x = np.array(BIG)
    for norm, size in (("MAX", x.max()), ("L1", x.sum()), ("L2", np.hypot(*x[:2]))):
        y = of_wide(kind, "Normalizer", batch, norm=norm)
        wanted = (x / size).astype(np.float32)
        np.testing.assert_array_equal(y, [wanted] * batch or y)
    weights = [1.0, -1.0, 0.0, 0.0, 0.0]
    y = of_wide(kind, "LinearRegressor", batch, coefficients=weights)
    np.testing.assert_array_equal(y, [[8]] * batch or y)


@pytest.mark.parametrize("kind", WIDE)
def test_a_linear_classifier_of_wide_numbers(kind: int):
    attributes = {
        "coefficients": [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
        "intercepts": [0.0, 0.0],
        "classlabels_ints": [3, 5],
    }
    outputs = {"label": TensorProto.INT64, "y": TensorProto.FLOAT}
    made = model_of("LinearClassifier", outputs, attributes, kind)
    label, y = read(made).run(np.array([BIG], KINDS[kind]))
    assert (label.tolist(), y.tolist()) == ([3], [[8, 3]])
    assert y.dtype == np.float32


@pytest.mark.parametrize("threshold", [-0.5, 0.5, 0.0, 1e30, -1e30])
@pytest.mark.parametrize("kind", WIDE)
def test_whole_numbers_are_above_a_threshold_between_them(kind: int, threshold: float):
    made = model_of("Binarizer", {"y": kind}, {"threshold": threshold}, kind)
    x = np.array([[0, 1, -1, 2, -2]], KINDS[kind])
    (y,) = read(made).run(x)
    np.testing.assert_array_equal(y, x > np.float32(threshold))
    assert y.dtype == x.dtype


OPEN: dict[str, tuple[str, dict[str, Any]]] = {
    **{name: FLOATS[name] for name in ("scaler", "zero", "NaN", "sum", "targets")},
    "features": FLOATS["features"],
}


@pytest.mark.parametrize("name", OPEN)
@pytest.mark.parametrize("batch", [1, 3, 0])
def test_a_width_may_be_open(name: str, batch: int):
    op, attributes = OPEN[name]
    made = model_of(op, {"y": TensorProto.FLOAT}, attributes)
    expected = read(made)
    made.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "k"
    x = rows(20)[2 : 2 + batch]
    np.testing.assert_array_equal(read(made).run(x), expected.run(x))


@pytest.mark.parametrize("name", ["scaler", "zero", "targets", "features"])
def test_the_run_checks_a_width_that_is_open(name: str):
    op, attributes = OPEN[name]
    made = model_of(op, {"y": TensorProto.FLOAT}, attributes)
    made.graph.input[0].type.tensor_type.shape.dim[1].dim_param = "k"
    graph = read(made)
    for width in (4, 1):
        with pytest.raises(ValueError, match=rf"{op}.*expected.*{width}"):
            graph.run(np.ones((2, width), np.float32))


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC"])
@pytest.mark.parametrize("count", [2, 3])
def test_a_linear_classifier_is_onnxs(transform: str, count: int):
    several = 1 if count == 2 else count
    attributes = {
        "coefficients": WEIGHTS[: FEATURES * several],
        "intercepts": [0.5] * several,
        "classlabels_ints": [7, 3, 5][:count],
        "post_transform": transform,
    }
    outputs = {"label": TensorProto.INT64, "y": TensorProto.FLOAT}
    made = model_of("LinearClassifier", outputs, attributes)
    x = rows(20)[2:]
    expected = ReferenceEvaluator(made).run(None, {"x": x})
    for got, wanted in zip(read(made).run(x), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("op", "attributes", "message"),
    [
        ("Normalizer", {"norm": "L3"}, "expected norm of MAX, L1, L2, got 'L3'"),
        ("Scaler", {"offset": [1.0, 2.0], "scale": [1.0]}, "expected offset of 1 or 5"),
        (
            "Imputer",
            {"imputed_value_floats": [1.0, 2.0]},
            "expected values of 1 or 5 numbers, got 2",
        ),
        ("LinearRegressor", {"coefficients": [1.0] * 4}, "expected equal sizes"),
        ("FeatureVectorizer", {"inputdimensions": [-4]}, "widths from 0 on, got -4"),
    ],
)
def test_what_has_no_meaning_is_refused(
    op: str, attributes: dict[str, Any], message: str
):
    with pytest.raises(CompileError, match=message):
        read(model_of(op, {"y": TensorProto.FLOAT}, attributes))


def test_an_imputer_has_rows_of_features():
    attributes = {"imputed_value_floats": [1.0, 2.0]}
    made = model_of("Imputer", {"y": TensorProto.FLOAT}, attributes)
    made.graph.input[0].type.tensor_type.shape.dim.add().dim_value = 2
    with pytest.raises(CompileError, match=r"Imputer.*expected rows of features"):
        read(made)


@pytest.mark.parametrize(("time", "batch"), [(0, 1), (1, 0)])
def test_the_first_elements_of_sequences_change_their_order(time: int, batch: int):
    made = model(
        f"""g (float[a,b,2] x, int64[c] n) => (float y)
        {{ y = ReverseSequence <time_axis = {time}, batch_axis = {batch}> (x, n) }}"""
    )
    x = np.arange(24, dtype=np.float32).reshape(4, 3, 2)
    lengths = np.array([2, 3, 1] if batch else [2, 3, 1, 0])
    (y,) = read(made).run(x, lengths)
    expected = x.swapaxes(0, batch).copy()
    for each, length in zip(expected, lengths, strict=True):
        each[:length] = each[:length][::-1]
    np.testing.assert_array_equal(y, expected.swapaxes(0, batch))


def test_sequences_lie_along_the_first_axes():
    text = """g (float[2,3,4] x, int64[3] n) => (float y)
    { y = ReverseSequence<time_axis = 2>(x, n) }"""
    with pytest.raises(
        CompileError, match=r"expected the axes 0 and 1 of two or more, got \(2, 1\)"
    ):
        read(model(text))
