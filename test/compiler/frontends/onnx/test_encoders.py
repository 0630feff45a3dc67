"""Encoders of `ai.onnx.ml` find their keys, beside ONNX's evaluator and numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError

from .forests import FEATURES, model_of, rows
from .interpreter import Array, read

NAN = float("nan")

KINDS = {
    TensorProto.FLOAT: np.float32,
    TensorProto.DOUBLE: np.float64,
    TensorProto.INT32: np.int32,
    TensorProto.INT64: np.int64,
}


def one_hot(kind: int, categories: list[int], zeros: int = 1) -> ModelProto:
    """The model of a `OneHotEncoder`."""
    attributes = {"cats_int64s": categories, "zeros": zeros}
    return model_of("OneHotEncoder", {"y": TensorProto.FLOAT}, attributes, kind)


@pytest.mark.parametrize(
    "attributes",
    [
        {"keys_floats": [0.5, -0.5, 1.0], "values_floats": [3.0, 4.0, 5.0]},
        {"keys_floats": [0.5, 0.1], "values_int64s": [3, 4], "default_int64": 9},
    ],
)
def test_floats_are_encoded(attributes: dict[str, Any]):
    whole = "values_int64s" in attributes
    kind = TensorProto.INT64 if whole else TensorProto.FLOAT
    made = model_of("LabelEncoder", {"y": kind}, attributes)
    x = rows(20)
    (expected,) = ReferenceEvaluator(made).run(None, {"x": x})
    np.testing.assert_array_equal(read(made).run(x)[0], expected)


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


@pytest.mark.sampled
@pytest.mark.parametrize("count", [1, 8, 9, 33, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_keys_are_found_among_any_number_of_them(count: int, kind: int):
    random = np.random.default_rng(count)
    # Several are equal: the first one counts.
    keys = random.integers(-count, count + 1, count).astype(KINDS[kind])
    values = random.integers(0, 1000, count)
    tensors = {
        "keys_tensor": numpy_helper.from_array(keys, "keys"),
        "values_tensor": numpy_helper.from_array(values, "values"),
        "default_tensor": numpy_helper.from_array(np.array([-7]), "default"),
    }
    made = model_of("LabelEncoder", {"y": TensorProto.INT64}, tensors, kind, 4)
    pairs = dict(zip(keys.tolist()[::-1], values.tolist()[::-1], strict=True))
    graph = read(made)
    for batch in (1, 3, 0):
        x = random.integers(-count - 2, count + 3, (batch, FEATURES))
        x = x.astype(keys.dtype)
        x[:, :1] = keys[-1]
        wanted = [[pairs.get(each, -7) for each in row] for row in x.tolist()]
        (y,) = graph.run(x)
        np.testing.assert_array_equal(y, np.reshape(wanted, x.shape))


def test_keys_may_be_more_than_16_bits_count():
    keys = np.arange(70_000)
    tensors = {
        "keys_tensor": numpy_helper.from_array(2 * keys, "keys"),
        "values_tensor": numpy_helper.from_array(keys, "values"),
    }
    kind = TensorProto.INT64
    made = model_of("LabelEncoder", {"y": kind}, tensors, kind, 4)
    x = np.array([[0, 139_998, 140_000, 7, 70_000]])
    np.testing.assert_array_equal(read(made).run(x)[0], [[0, 69_999, -1, -1, 35_000]])


@pytest.mark.parametrize("others", [0, 3, 40])
@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.DOUBLE])
def test_nan_is_one_key(others: int, kind: int):
    keys = np.array([NAN, *range(others), NAN, -0.0][: others + 2], KINDS[kind])
    values = np.arange(len(keys)).astype(np.float32)
    tensors = {
        "keys_tensor": numpy_helper.from_array(keys, "keys"),
        "values_tensor": numpy_helper.from_array(values, "values"),
    }
    made = model_of("LabelEncoder", {"y": TensorProto.FLOAT}, tensors, kind, 4)
    x = np.array([[NAN, 1, np.inf, 0.5, NAN]], keys.dtype)
    (y,) = read(made).run(x)
    one = 2 if others else -0.0
    np.testing.assert_array_equal(y, [[0, one, -0.0, -0.0, 0]])


@pytest.mark.parametrize("keys", [[NAN], [0.5, NAN, -1.0]])
def test_nan_is_no_key_before_version_4(keys: list[float]):
    values = [1.0, 2.0, 3.0][: len(keys)]
    attributes = {"keys_floats": keys, "values_floats": values, "default_float": 9.0}
    made = model_of("LabelEncoder", {"y": TensorProto.FLOAT}, attributes, version=2)
    x = np.array([[0.5, NAN, -1, 7, -NAN]], np.float32)
    known = {key: value for key, value in zip(keys, values, strict=True) if key == key}
    expected = [[known.get(float(each), 9) for each in x[0]]]
    np.testing.assert_array_equal(read(made).run(x)[0], expected)


def test_nan_is_no_key_unless_it_is_listed():
    attributes = {"keys_floats": [1.0], "values_floats": [4.0], "default_float": 9.0}
    made = model_of("LabelEncoder", {"y": TensorProto.FLOAT}, attributes)
    (y,) = read(made).run(np.full((1, FEATURES), NAN, np.float32))
    np.testing.assert_array_equal(y, np.full((1, FEATURES), 9))


@pytest.mark.parametrize("zeros", [1, 0])
@pytest.mark.parametrize("kind", KINDS)
def test_each_element_is_one_at_its_category(kind: int, zeros: int):
    categories = [7, 0, -3, 16_777_217]
    graph = read(one_hot(kind, categories, zeros))
    for batch in (1, 3, 0):
        # All in one category; as f32 there is no 16777217.
        x = np.array([[7, 0, -3, 0, 7]] * batch, KINDS[kind]).reshape(batch, FEATURES)
        (y,) = graph.run(x)
        assert y.dtype == np.float32
        np.testing.assert_array_equal(y, x[..., None] == np.array(categories))


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.DOUBLE])
def test_floats_that_are_no_category(kind: int):
    graph = read(one_hot(kind, [0, 1, 2**63 - 1, -(2**63), 16_777_217]))
    x = np.array([[NAN, np.inf, -np.inf, 1e30, 16_777_216]], KINDS[kind])
    (y,) = graph.run(x)
    assert not y.any()


@pytest.mark.parametrize("kind", [TensorProto.INT32, TensorProto.INT64])
def test_a_cast_makes_no_category_of_nan(kind: int):
    made = one_hot(TensorProto.FLOAT, [0, 1])
    cast = helper.make_node("Cast", ["x"], ["whole"], to=kind)
    made.graph.node[0].input[0] = "whole"
    made.graph.node.insert(0, cast)
    x = np.array([[NAN, 0.5, 1.0, 1e30, np.inf]], np.float32)
    (y,) = read(made).run(x)
    np.testing.assert_array_equal(y[0], [[0, 0], [1, 0], [0, 1], [0, 0], [0, 0]])


def test_floats_lose_what_is_behind_the_point():
    # As in ONNX Runtime; ONNX's evaluator takes them for no category.
    x = np.array([[0.5, -0.5, 1.9, -1.0, 2.0]], np.float32)
    (y,) = read(one_hot(TensorProto.FLOAT, [0, 1])).run(x)
    np.testing.assert_array_equal(y[0], [[1, 0], [1, 0], [0, 1], [0, 0], [0, 0]])


@pytest.mark.parametrize("kind", [TensorProto.FLOAT, TensorProto.INT64])
def test_an_unknown_category_is_an_error_of_the_run(kind: int):
    graph = read(one_hot(kind, [0, 1], zeros=0))
    x: Array = np.zeros((2, FEATURES), KINDS[kind])
    graph.run(x)
    for odd in (7, NAN) if kind == TensorProto.FLOAT else (7, -1):
        x[1, 3] = odd
        with pytest.raises(IndexError):
            graph.run(x)


def test_the_error_of_an_unknown_category_names_the_node():
    module: Any = sr.compile(one_hot(TensorProto.INT64, [0, 1], zeros=0))
    x = np.array([[0, 1, 1, 0, 1]])
    assert module(x)[0].argmax(1).tolist() == x[0].tolist()
    with pytest.raises(IndexError, match=r"at y \(a OneHot.*no category"):
        module(x + 1)


@pytest.mark.parametrize(
    ("op", "attributes", "message"),
    [
        (
            "LabelEncoder",
            {"keys_floats": [1.0], "values_floats": [1.0, 2.0]},
            "expected a value for each key, got 1 keys and 2 values",
        ),
        ("LabelEncoder", {}, "expected keys, got none"),
        (
            "LabelEncoder",
            {"keys_strings": ["a"], "values_floats": [1.0]},
            "are strings",
        ),
        ("OneHotEncoder", {"cats_strings": ["a"]}, "categories that are strings"),
    ],
)
def test_what_has_no_meaning_is_refused(
    op: str, attributes: dict[str, Any], message: str
):
    with pytest.raises(CompileError, match=message):
        read(model_of(op, {"y": TensorProto.FLOAT}, attributes))
