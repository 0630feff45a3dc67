"""Labels that are texts, and dictionaries of classes, as of scikit-learn's models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from onnx import AttributeProto, NodeProto, TensorProto, ValueInfoProto, helper

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError

ML = "ai.onnx.ml"
COLORS = ("red", "grün", "blue")
X = np.array([[0.5, -1, 2], [3, 0, 1], [-1, 2, 0.25]], np.float32)

FLOATS = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
NUMBERS = helper.make_tensor_value_info("i", TensorProto.INT64, ["n"])
TEXTS = helper.make_tensor("t", TensorProto.STRING, [3], [e.encode() for e in COLORS])


def model_of(
    nodes: Sequence[NodeProto],
    outputs: Sequence[str],
    inputs: Sequence[ValueInfoProto] = (FLOATS,),
) -> Any:
    """The model of some nodes, with three texts called `t`."""
    results = [ValueInfoProto(name=each) for each in outputs]
    graph = helper.make_graph(nodes, "g", inputs, results, [TEXTS])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(ML, 3)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def ml(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any):
    """A node of `ai.onnx.ml`."""
    return helper.make_node(op, inputs, outputs, domain=ML, **attributes)


def compiled(*given: Any) -> sr.StaticModule:
    """The module of a model."""
    return sr.compile(model_of(*given), options=sr.Options(cache=False))


CLASSIFIER = ml(
    "LinearClassifier",
    ["x"],
    ["label", "scores"],
    classlabels_strings=COLORS,
    coefficients=np.eye(3, dtype=np.float32).reshape(-1).tolist(),
    intercepts=[0.0, 0.0, 0.0],
)


@pytest.mark.parametrize("count", [3, 1, 0])
def test_labels_are_texts(count: int):
    module = compiled([CLASSIFIER], ["label", "scores"])
    label, scores = module(X[:count])
    assert label.dtype == object
    assert label.tolist() == ["blue", "red", "grün"][:count]
    np.testing.assert_array_equal(scores, X[:count])


def test_scores_alone_need_no_texts():
    scores = compiled([CLASSIFIER], ["scores"])(X)
    np.testing.assert_array_equal(scores, X)


@pytest.mark.parametrize(
    ("attributes", "keys"),
    [
        ({"classlabels_strings": COLORS}, COLORS),
        ({"classlabels_int64s": [7, -1, 0]}, (7, -1, 0)),
    ],
)
@pytest.mark.parametrize("count", [3, 0])
def test_a_dictionary_for_each_row(
    attributes: dict[str, Any], keys: tuple[int | str, ...], count: int
):
    zipped = ml("ZipMap", ["x"], ["y"], **attributes)
    found = compiled([zipped], ["y"])(X[:count])
    assert found == [dict(zip(keys, row, strict=True)) for row in X[:count].tolist()]


def test_columns_and_keys_are_as_many():
    zipped = ml("ZipMap", ["x"], ["y"], classlabels_int64s=[1, 2])
    with pytest.raises(CompileError, match="a column for each of 2 keys that differ"):
        compiled([zipped], ["y"])
    zipped = ml("ZipMap", ["x"], ["y"], classlabels_int64s=[1, 2, 1])
    with pytest.raises(CompileError, match="a column for each of 3 keys that differ"):
        compiled([zipped], ["y"])


def test_texts_move_as_numbers_do():
    nodes = [
        ml("ArrayFeatureExtractor", ["t", "i"], ["a"]),
        helper.make_node("Cast", ["a"], ["b"], to=TensorProto.STRING),
        helper.make_node("Flatten", ["b"], ["c"], axis=0),
        helper.make_node("Transpose", ["c"], ["d"], perm=[1, 0]),
        helper.make_node("Gather", ["t", "i"], ["e"]),
    ]
    a, d, e = compiled(nodes, ["a", "d", "e"], [NUMBERS])(np.array([2, 0, 2, 1]))
    expected = ["blue", "red", "blue", "grün"]
    assert (a.tolist(), e.tolist()) == ([expected], expected)
    assert d.tolist() == [[each] for each in expected]


def test_texts_that_a_model_stores():
    same = helper.make_node("Identity", ["t"], ["y"])
    constant = helper.make_node("Constant", [], ["z"], value=TEXTS)
    length = helper.make_node("Shape", ["x"], ["n"])
    y, z, _ = compiled([same, constant, length], ["y", "z", "n"])(X)
    assert y.tolist() == z.tolist() == [*COLORS]


def encoder(**attributes: Any) -> NodeProto:
    """What gives the values of keys, of the numbers or the texts `k`."""
    return ml("LabelEncoder", ["k"], ["y"], **attributes)


PICKED = ml("ArrayFeatureExtractor", ["t", "i"], ["k"])
GIVEN = helper.make_node("Identity", ["i"], ["k"])


@pytest.mark.parametrize(
    ("first", "attributes", "expected"),
    [
        (
            GIVEN,
            {
                "keys_int64s": [2, 0],
                "values_strings": ["b", "a"],
                "default_string": "?",
            },
            ["b", "a", "?", "b"],
        ),
        (
            GIVEN,
            {"keys_int64s": [2, 0], "values_strings": ["b", "a"]},
            ["b", "a", "_Unused", "b"],
        ),
        (
            PICKED,
            {"keys_strings": ["red", "none"], "values_int64s": [5, 6]},
            [[-1, 5, -1, -1]],
        ),
        (
            PICKED,
            {"keys_strings": ["none"], "values_floats": [6.0], "default_float": 0.5},
            [[0.5] * 4],
        ),
        (
            PICKED,
            {"keys_strings": COLORS, "values_strings": ["warm", "cold", "cold"]},
            [["cold", "warm", "cold", "cold"]],
        ),
    ],
)
def test_keys_and_values_may_be_texts(
    first: NodeProto, attributes: dict[str, Any], expected: list[Any]
):
    module = compiled([first, encoder(**attributes)], ["y"], [NUMBERS])
    assert module(np.array([2, 0, 1, 2])).tolist() == expected


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([PICKED, helper.make_node("Neg", ["k"], ["y"])], "a tensor of texts"),
        ([GIVEN, encoder(keys_strings=["a"], values_int64s=[1])], "that are strings"),
        ([PICKED, helper.make_node("Concat", ["k", "i"], ["y"], axis=0)], "numbers"),
        ([PICKED, helper.make_node("Where", ["i", "k", "k"], ["y"])], "bool"),
    ],
)
def test_what_is_refused(nodes: list[NodeProto], message: str):
    with pytest.raises(CompileError, match=message):
        compiled(nodes, ["y"], [NUMBERS])


def test_attributes_of_other_types_are_told():
    wrong = encoder(keys_strings=["a"], values_int64s=[1])
    wrong.attribute[0].type = AttributeProto.INT
    with pytest.raises(CompileError, match=r"LabelEncoder.*"):
        compiled([PICKED, wrong], ["y"], [NUMBERS])
    wrong = encoder(keys_strings=["a"], values_int64s=[1])
    del wrong.input[:]
    with pytest.raises(CompileError, match="expected 1 input, got 0"):
        compiled([wrong], ["y"], [NUMBERS])


@pytest.mark.parametrize("dims", [[-1, -3], [1] * 70 + [3], [4], [2**62]])
def test_texts_of_no_such_shape_are_told(dims: list[int]):
    same = helper.make_node("Identity", ["t"], ["y"])
    made = model_of([same], ["y"])
    made.graph.initializer[0].dims[:] = dims
    with pytest.raises(CompileError, match=r"initializer \(texts.*\): 't'"):
        sr.compile(made, options=sr.Options(cache=False))


def test_nothing_computes_with_dictionaries():
    zipped = ml("ZipMap", ["x"], ["z"], classlabels_int64s=[1, 2, 3])
    with pytest.raises(CompileError, match="a sequence of dictionaries"):
        compiled([zipped, helper.make_node("Identity", ["z"], ["y"])], ["y"])
