"""A structure survives being text, and a text that is no structure is refused."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest

from static_runtime.runtime.program.program_json import read_structure
from static_runtime.runtime.program.structure import MOST_DEEP, Structure, Tree

from ..structures import array, constant, mapping, sequence

X, Y = Tree("array", name="x"), Tree("array", name="y")
PARAMETERS = mapping(a=sequence("tuple", X, constant(2.5)), b=Y)
RESULT = sequence(
    "list",
    array(0),
    constant(None),
    Tree("dict", (constant("text"), array(1)), ("k", 3)),
    Tree("namedtuple", (Tree("number", number=2),), ("size",), "module:Size"),
    sequence("deque"),
)
WHOLE = Structure(PARAMETERS, RESULT)


def text(inputs: Tree | None, outputs: Tree | None) -> str:
    """A structure as JSON."""
    return json.dumps(asdict(Structure(inputs, outputs)))


def test_a_structure_survives_being_text():
    assert read_structure(text(PARAMETERS, RESULT), 3) == WHOLE
    assert read_structure(text(None, RESULT), 3).inputs is None
    assert read_structure(text(PARAMETERS, None), 7).outputs is None


def test_leaves_are_in_order():
    assert [each.name for each in PARAMETERS.leaves()] == ["x", "", "y"]
    assert [each.kind for each in RESULT.nodes()][:3] == ["list", "array", "constant"]


def test_texts_of_inputs_survive_being_text():
    taken = mapping(
        a=Tree("texts", name="x"), b=sequence("list", Tree("texts", name="y"))
    )
    known = Structure(mapping(x=taken), array(0), ("red", ""))
    found = read_structure(json.dumps(asdict(known)), 1)
    assert found == known
    assert found.inputs_of_texts == {"x", "y"}
    assert found.places == {"red": 0, "": 1}
    assert not WHOLE.inputs_of_texts


@pytest.mark.parametrize("texts", [["a", "b", "a"], [1], "a", {}])
def test_refuses_other_texts_of_inputs(texts: Any):
    data = json.loads(text(None, array(0)))
    data["texts"] = texts
    with pytest.raises(ValueError, match="expected"):
        read_structure(json.dumps(data), 1)


def nested(depth: int) -> Tree:
    """A leaf in containers within each other."""
    tree = array(0)
    for _ in range(depth):
        tree = sequence("list", tree)
    return tree


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (None, array(1), "each of 1 outputs once, got"),
        (None, sequence("list", array(0), array(0)), "each of 1 outputs once, got"),
        (None, sequence("list"), "each of 1 outputs once, got"),
        (None, sequence("set", array(0)), "a kind of container, got set"),
        (None, Tree("dict", (array(0),)), "a key for each part, got 0"),
        (None, Tree("list", (array(0),), ("a",)), "a key for each part, got 1"),
        (None, Tree("dict", (array(0), constant(1)), ("a", "a")), "keys that differ"),
        (None, Tree("array", (array(0),)), "a leaf, got 1 parts"),
        (
            None,
            Tree("dataclass", (array(0),), ("a",), "os"),
            "the fields of a class, got",
        ),
        (
            None,
            Tree("namedtuple", (array(0),), (1,), "a:B"),
            "the fields of a class, got",
        ),
        (None, nested(MOST_DEEP + 1), f"at most {MOST_DEEP} nested containers"),
        (sequence("list", X), array(0), "parameters with names, got a list"),
        (Tree("dict", (X,), (1,)), array(0), "parameters with names, got a dict"),
        (mapping(a=Tree("number")), array(0), "arrays, texts and constants as inputs"),
        (mapping(a=Tree("records")), array(0), "arrays, texts and constants as inputs"),
        (
            mapping(a=Tree("texts", keys=("b",))),
            array(0),
            "the texts of inputs once, got",
        ),
    ],
)
def test_refuses_another_tree(inputs: Tree | None, outputs: Tree, message: str):
    with pytest.raises(ValueError, match=f"expected {message}"):
        read_structure(text(inputs, outputs), 1)


def test_as_deep_as_may_be():
    assert read_structure(text(None, nested(MOST_DEEP)), 1).outputs is not None


@pytest.mark.parametrize("value", ["", "{", "null", "1", "[]", "{}", "[" * 200_000])
def test_refuses_a_text_of_something_else(value: str):
    with pytest.raises(ValueError, match=r"\w"):
        read_structure(value, 1)


FIELDS: list[tuple[str, Any]] = [
    ("kind", 1),
    ("parts", {}),
    ("parts", [1]),
    ("keys", "a"),
    ("keys", [[]]),
    ("name", None),
    ("number", -1),
    ("number", True),
    ("value", []),
    ("more", 1),
]


@pytest.mark.parametrize(("field", "value"), FIELDS)
def test_refuses_a_field_of_another_kind(field: str, value: Any):
    data = json.loads(text(None, array(0)))
    data["outputs"][field] = value
    with pytest.raises(ValueError, match="expected"):
        read_structure(json.dumps(data), 1)
