"""Encoders whose keys, values or categories are texts, beside dictionaries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from static_runtime.compiler.session.errors import CompileError

from .text_models import column, compiled, looked_up, ml, texts

X = np.array(["a", "ü", "?", "b", "a", "!"])
WHOLE = helper.make_tensor_value_info("x", TensorProto.INT64, ["n"])


def stored(name: str, *values: Any, kind: Any = np.float64) -> TensorProto:
    """Stored numbers."""
    return numpy_helper.from_array(np.array(values, kind), name)


@pytest.mark.parametrize(
    ("attributes", "values", "default"),
    [
        ({"values_int64s": [5, 6]}, (5, 6), -1),
        ({"values_int64s": [5, 6], "default_int64": 9}, (5, 6), 9),
        ({"values_floats": [0.5, 1.5]}, (0.5, 1.5), 0.0),
        ({"values_floats": [0.5, 1.5], "default_float": 2.5}, (0.5, 1.5), 2.5),
        ({"values_strings": ["p", "q"]}, ("p", "q"), "_Unused"),
        ({"values_strings": ["p", "q"], "default_string": "a"}, ("p", "q"), "a"),
    ],
)
@pytest.mark.parametrize("version", [2, 3])
def test_values_of_texts(
    attributes: dict[str, Any], values: tuple[Any, Any], default: Any, version: int
):
    node = ml("LabelEncoder", ["x"], ["y"], keys_strings=["a", "ü"], **attributes)
    module: Any = compiled([node], version=version)
    expected = dict(zip(("a", "ü"), values, strict=True))
    for count in (6, 1, 0):
        found = module(X[:count])
        assert found.tolist() == looked_up(expected, X[:count], default)
    is_float = isinstance(values[0], float)
    kind = object if isinstance(default, str) else np.float32 if is_float else np.int64
    assert found.dtype == kind


@pytest.mark.parametrize(
    ("values", "default", "dtype"),
    [
        (stored("v", 0.1, 0.2), stored("d", 0.3), np.float64),
        (stored("v", 1, 2, kind=np.int16), stored("d", 3, kind=np.int16), np.int16),
        (texts("v", "p", "q"), texts("d", "r"), object),
    ],
)
def test_keys_and_values_in_tensors(
    values: TensorProto, default: TensorProto, dtype: Any
):
    tensors = {"values_tensor": values, "default_tensor": default}
    keys = texts("k", "ü", "b")
    node = ml("LabelEncoder", ["x"], ["y"], keys_tensor=keys, **tensors)
    found: Any = compiled([node], version=4)(X)
    first, second = numpy_helper.to_array(values).tolist()
    (other,) = numpy_helper.to_array(default).tolist()
    assert found.tolist() == looked_up({"ü": first, "b": second}, X, other)
    assert found.dtype == dtype


def test_texts_of_numbers():
    x, y = np.array([1.5, 2, 2.5]), ["p", "_Unused", "q"]
    values = texts("v", "p", "q")
    node = ml(
        "LabelEncoder",
        ["x"],
        ["y"],
        keys_tensor=stored("k", 1.5, 2.5),
        values_tensor=values,
    )
    doubles = helper.make_tensor_value_info("x", TensorProto.DOUBLE, ["n"])
    found: Any = compiled([node], ["y"], [doubles], version=4)(x)
    assert found.tolist() == y


@pytest.mark.parametrize("version", [1, 3])
def test_categories_are_numbers_and_numbers_categories(version: int):
    cats = {"cats_strings": ["b", "a", "b"], "cats_int64s": [4, 5, 6]}
    node = ml("CategoryMapper", ["x"], ["y"], default_int64=-7, **cats)
    module: Any = compiled([node], version=version)
    # The last of equal keys counts.
    assert module(X).tolist() == looked_up({"a": 5, "b": 6}, X, -7)
    node = ml("CategoryMapper", ["x"], ["y"], default_string="?", **cats)
    module = compiled([node], ["y"], [WHOLE], version=version)
    assert module(np.array([[6, 5], [0, 4]])[1]).tolist() == ["?", "b"]
    assert module(np.empty(0, np.int64)).tolist() == []


def test_classes_of_the_first_encoder():
    node = ml("LabelEncoder", ["x"], ["y"], classes_strings=["b", "a"])
    module: Any = compiled([node], version=1)
    assert module(X).tolist() == looked_up({"b": 0, "a": 1}, X, -1)
    module = compiled([node], ["y"], [WHOLE], version=1)
    assert module(np.array([0, 1, 2, -1])).tolist() == ["b", "a", *["_Unused"] * 2]


CATEGORIES = ["a", "none", "ü", "a", "nowhere"]


@pytest.mark.parametrize("shape", [("n",), ("n", 1), (3, 2)])
def test_one_at_a_category(shape: tuple[Any, ...]):
    node = ml("OneHotEncoder", ["x"], ["y"], cats_strings=CATEGORIES, zeros=1)
    module: Any = compiled([node], ["y"], [column("x", *shape)])
    for count in (6, 1, 0) if shape[0] == "n" else (6,):
        x = X[:count].reshape(3, 2) if shape == (3, 2) else X[:count]
        x = x.reshape(-1, 1) if shape == ("n", 1) else x
        expected = x[..., None] == np.array(CATEGORIES)
        # A category that is listed again is at its last place.
        expected[..., 0] = False
        found = module(x)
        assert found.dtype == np.float32
        np.testing.assert_array_equal(found, expected)


def test_a_text_of_no_category_is_an_error_unless_zeros_are_asked_for():
    node = ml("OneHotEncoder", ["x"], ["y"], cats_strings=["a", "b", "a"], zeros=0)
    module: Any = compiled([node])
    assert module(["b", "a"]).tolist() == [[0, 1, 0], [0, 0, 1]]
    with pytest.raises(IndexError, match=r"at y .*no category.*: expected an index"):
        module(["b", "c"])


@pytest.mark.parametrize(
    ("op", "attributes", "message"),
    [
        ("LabelEncoder", {"keys_int64s": [1], "values_strings": ["a"]}, "of texts"),
        ("LabelEncoder", {"keys_int64s": [1], "values_int64s": [1]}, "of texts"),
        (
            "LabelEncoder",
            {"keys_strings": ["a", "b"], "values_int64s": [1]},
            "a value for each key, got 2 keys and 1 values",
        ),
        (
            "CategoryMapper",
            {"cats_strings": ["a", "b"], "cats_int64s": [1]},
            "a value for each key, got 2 keys and 1 values",
        ),
        ("OneHotEncoder", {"cats_int64s": [1]}, "of texts"),
        (
            "LabelEncoder",
            {
                "keys_tensor": texts("k", "a"),
                "values_tensor": stored("v", 1),
                "default_tensor": stored("d", 1, 2),
            },
            "2 values for what is no key",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(
    op: str, attributes: dict[str, Any], message: str
):
    with pytest.raises(CompileError, match=message):
        compiled([ml(op, ["x"], ["y"], **attributes)], version=4)
    numbers = {"cats_strings": ["a"], "zeros": 1}
    with pytest.raises(CompileError, match="categories that are strings"):
        compiled([ml("OneHotEncoder", ["x"], ["y"], **numbers)], ["y"], [WHOLE])
