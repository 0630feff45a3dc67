"""Ops of `ai.onnx.ml` but trees, beside ONNX's evaluator; and reversed sequences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

from static_runtime.compiler.session.errors import CompileError

from .forests import FEATURES, model_of, rows
from .interpreter import model, read

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
    "floats": (
        "LabelEncoder",
        {"keys_floats": [0.5, -0.5, 1.0], "values_floats": [3.0, 4.0, 5.0]},
    ),
    "defaults": (
        "LabelEncoder",
        {"keys_floats": [0.5, 0.1], "values_int64s": [3, 4], "default_int64": 9},
    ),
    "features": ("FeatureVectorizer", {"inputdimensions": [FEATURES]}),
}


@pytest.mark.parametrize("name", FLOATS)
def test_an_op_computes_what_onnx_does(name: str):
    op, attributes = FLOATS[name]
    whole = "values_int64s" in attributes
    kind = TensorProto.INT64 if whole else TensorProto.FLOAT
    made = model_of(op, {"y": kind}, attributes)
    x = rows(20, missing=name == "NaN")[2:]
    (expected,) = ReferenceEvaluator(made).run(None, {"x": x})
    (y,) = read(made).run(x)
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-6)


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


def test_whole_numbers_are_encoded():
    x = np.arange(10).reshape(2, FEATURES)
    keys = numpy_helper.from_array(np.array([3, 1]), "keys")
    values = numpy_helper.from_array(np.array([0.5, 1.5], np.float32), "values")
    default = numpy_helper.from_array(np.array([-1], np.float32), "default")
    tensors = {"keys_tensor": keys, "values_tensor": values, "default_tensor": default}
    for op, attributes, version in (
        ("OneHotEncoder", {"cats_int64s": [7, 0, 3]}, 1),
        ("LabelEncoder", tensors, 4),
    ):
        found = {"y": TensorProto.FLOAT}
        made = model_of(op, found, attributes, TensorProto.INT64, version)
        (expected,) = ReferenceEvaluator(made).run(None, {"x": x})
        np.testing.assert_array_equal(read(made).run(x)[0], expected)


@pytest.mark.parametrize(
    ("op", "attributes", "message"),
    [
        ("Normalizer", {"norm": "L3"}, "expected norm of MAX, L1, L2, got 'L3'"),
        ("Scaler", {"offset": [1.0, 2.0], "scale": [1.0]}, "expected offset of 1 or 5"),
        ("LinearRegressor", {"coefficients": [1.0] * 4}, "expected equal sizes"),
        (
            "LabelEncoder",
            {"keys_floats": [1.0], "values_floats": [1.0, 2.0]},
            "expected a value for each key, got 1 keys and 2 values",
        ),
        (
            "LabelEncoder",
            {"keys_strings": ["a"], "values_floats": [1.0]},
            "keys that are strings",
        ),
        ("OneHotEncoder", {"cats_strings": ["a"]}, "categories that are strings"),
        (
            "OneHotEncoder",
            {"cats_int64s": [1], "zeros": 0},
            "an error for an element of no category",
        ),
        ("FeatureVectorizer", {"inputdimensions": [4]}, "5 features, of 4"),
    ],
)
def test_what_has_no_meaning_is_refused(
    op: str, attributes: dict[str, Any], message: str
):
    with pytest.raises(CompileError, match=message):
        read(model_of(op, {"y": TensorProto.FLOAT}, attributes))


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
