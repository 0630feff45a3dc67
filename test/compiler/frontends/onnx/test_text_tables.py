"""All texts of a model are one list, and tensors of several lists are made one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import FunctionProto, TensorProto, ValueInfoProto, helper

from static_runtime.compiler.frontends.onnx.text_tables import vocabulary

from .text_models import OWN, column, compiled, ml, model_of, texts

OTHER = texts("o", "b", "new")


def test_all_texts_are_named_once_in_order():
    inner = helper.make_graph(
        [ml("OneHotEncoder", ["x"], ["z"], cats_strings=["in a graph", "b"])],
        "inner",
        [],
        [ValueInfoProto(name="z")],
        [texts("s", "stored in a graph")],
    )
    nodes = [
        OWN("Constant", [], ["c"], value_strings=["b", "a"]),
        OWN("Constant", [], ["d"], value_string="one"),
        OWN("Constant", [], ["e"], value=texts("v", "in a tensor", "a")),
        OWN("If", ["f"], ["y"], then_branch=inner, else_branch=inner),
        ml("LabelEncoder", ["x"], ["k"], keys_strings=["ü"], default_string="other"),
        ml("Normalizer", ["x"], ["n"], norm="MAX"),
    ]
    made = model_of(nodes, stored=[OTHER])
    function = FunctionProto(name="f", domain="own")
    function.node.append(OWN("Constant", [], ["c"], value_string="in a function"))
    made.functions.append(function)
    assert vocabulary(made, ["given", "one"]) == (
        *("b", "new", "a", "one", "in a tensor", "stored in a graph", "in a graph"),
        *("other", "ü", "given", "in a function", "_Unused"),
    )


X = ["a", "?", "b", "!", "new"]


def test_texts_of_several_lists_are_joined():
    nodes = [
        ml("LabelEncoder", ["x"], ["k"], keys_strings=["a"], values_strings=["b"]),
        OWN("Concat", ["o", "k", "o"], ["y"], axis=0),
    ]
    found: Any = compiled(nodes, stored=[OTHER])(X)
    assert found.tolist() == ["b", "new", "b", *["_Unused"] * 4, "b", "new"]


@pytest.mark.parametrize("count", [5, 1, 0])
def test_texts_of_inputs_are_compared_beside_others(count: int):
    inputs = [column("x"), column("z", "m")]
    nodes = [
        OWN("Concat", ["o", "x", "z"], ["c"], axis=0),
        OWN("Unsqueeze", ["c", "at"], ["d"]),
        OWN("Equal", ["c", "d"], ["y"]),
    ]
    at = helper.make_tensor("at", TensorProto.INT64, [1], [1])
    x, z = X[:count], ["!", "?", "b", "?"]
    found: Any = compiled(nodes, ["y"], inputs, [OTHER, at])(x, z)
    several = np.array(["b", "new", *x, *z])
    np.testing.assert_array_equal(found, several == several[:, None])


def test_what_no_key_gives_is_the_same_text_where_an_input_has_it():
    nodes = [
        ml("LabelEncoder", ["x"], ["k"], keys_strings=["a"], values_strings=["a"]),
        OWN("Equal", ["k", "x"], ["y"]),
    ]
    found: Any = compiled(nodes)(["a", "_Unused", "b"])
    assert found.tolist() == [True, True, False]
