"""A program survives being text, and text that is no program is refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from static_runtime.runtime.abi import DTYPE_NAMES, ContextLayout, RowLayout
from static_runtime.runtime.planning import PLANNERS
from static_runtime.runtime.program.program import (
    CallOut,
    Check,
    Program,
    Skip,
    Slot,
    TensorInfo,
    Way,
)
from static_runtime.runtime.program.program_json import read_program

from ..texts import AFFINE, RUNNING, WORDS, compiled

PROGRAM = Program(
    name="main",
    inputs=(
        TensorInfo("x", "float32", ("batch", 3)),
        TensorInfo("ids", "int64", ("a.b", "2 * batch + 1")),
        TensorInfo("flag", "bool", ()),
    ),
    outputs=(TensorInfo("y", "float64", ("floordiv(batch, 2)", 0)),),
    symbols=("batch", "a.b"),
    ranges={"batch": (1, 4096)},
    checks=(Check("batch - 2", "expected rows", ("a.b", "batch")),),
    slots=(Slot("12 * batch", 0, 2, -1, "graph.exp at 3"), Slot(64, 1, 1, 128)),
    orders=((1, 0), (0, 1)),
    donations=((0, 0),),
    skips=(
        Skip(
            slot=1,
            kernel="permute_0",
            source="graph.permute",
            ways=(Way("activations", 0, "4 * batch", (("batch - 1",), (2, "a.b"))),),
        ),
    ),
    folded=3,
    planner="naive",
    bytes=0,
    lower_bound=64,
    calls=("graph.relu", "graph.cumsum at sum"),
    call_outs=(
        CallOut(
            "func.func @op() { func.return }",
            (TensorInfo("", "float32", ("batch",)),),
            (TensorInfo("", "int32", (1,)),),
        ),
    ),
)

Path: TypeAlias = tuple[int | str, ...]
Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | None"


def places(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every place in a value of JSON, and what is there."""
    yield path, value
    if isinstance(value, dict):
        for name, each in value.items():
            yield from places(each, (*path, name))
    elif isinstance(value, list):
        for at, each in enumerate(value):
            yield from places(each, (*path, at))


def replaced(path: Path, value: Any) -> str:
    """The text of the program with another value at one place."""
    root = [deepcopy(json.loads(PROGRAM.to_json()))]
    holder: Any = root
    keys = (0, *path)
    for key in keys[:-1]:
        holder = holder[key]
    holder[keys[-1]] = value
    return json.dumps(root[0])


def kind(value: Json) -> str:
    """What JSON calls the kind of a value."""
    match value:
        case dict():
            return "object"
        case list():
            return "array"
        case str():
            return "text"
        case bool() | float() | None:
            return "other"
        case int():
            return "number"


PLACES = list(places(json.loads(PROGRAM.to_json())))
# A size is a number or a text, so that each may stand in the place of the other.
SIZES = [
    path
    for path, _ in PLACES
    if "shape" in path[:-1]
    or path[-1:] == ("bytes",)
    or ("ways" in path and path[-1:] == ("offset",))
    or "when" in path[:-2]
]


def test_a_program_survives_being_text():
    assert read_program(PROGRAM.to_json()) == PROGRAM


@pytest.mark.parametrize("text", [AFFINE, RUNNING, WORDS])
def test_a_compiled_program_survives_being_text(text: str):
    program = compiled(text).program
    assert read_program(program.to_json()) == program


@pytest.mark.parametrize(
    "text",
    ["", "x", "{", "null", "1", "[]", '"x"', "{}", "true", "\0", "NaN", "Infinity"],
)
def test_refuses_text_of_something_else(text: str):
    with pytest.raises(ValueError, match=r"\w"):
        read_program(text)


def test_refuses_text_that_is_nested_too_deep():
    with pytest.raises(ValueError, match="expected a program, got JSON nested"):
        read_program("[" * 200_000)


WRONG: list[Json] = [
    None,
    True,
    False,
    1.5,
    float("inf"),
    float("nan"),
    "?",
    7,
    [],
    {},
    ["?"],
]


@pytest.mark.parametrize(("path", "value"), PLACES, ids=lambda each: str(each)[:40])
def test_refuses_a_value_of_another_kind_anywhere(path: Path, value: Json):
    for wrong in WRONG:
        if kind(wrong) == kind(value):
            continue
        if path in SIZES and wrong == 7:
            continue
        with pytest.raises(ValueError, match="expected"):
            read_program(replaced(path, wrong))


@pytest.mark.parametrize(("path", "value"), PLACES, ids=lambda each: str(each)[:40])
def test_refuses_a_field_too_many_or_too_few(path: Path, value: Json):
    if not isinstance(value, dict) or path == ("ranges",):
        return
    with pytest.raises(ValueError, match="expected a"):
        read_program(replaced(path, value | {"more": 1}))
    for name in value:
        less = {key: each for key, each in value.items() if key != name}
        with pytest.raises(ValueError, match="expected a"):
            read_program(replaced(path, less))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("inputs", 0, "dtype"), "float80", "expected a dtype of float32, .*float80"),
        (("planner",), "best", "expected a planner of naive, .*got best"),
        (("inputs", 0, "shape", 1), -1, "expected an integer from 0 below 2.*got -1"),
        (("inputs", 0, "shape", 1), 2**63, "expected an integer from 0 below 2"),
        (("inputs", 1, "shape", 1), "2 **", r"expected a dimension, got '2 \*\*'"),
        (("inputs", 1, "shape", 1), "c", "expected no other symbols, got c in c"),
        (("outputs", 0, "shape", 0), "c + 1", "expected no other symbols, got c in"),
        (("slots", 0, "bytes"), "4 * c", "expected no other symbols, got c in"),
        (("call_outs", 0, "inputs", 0, "shape", 0), "c", "expected no other symbols"),
        (("inputs", 0, "shape", 0), "2 * batch", "expected an input of size batch"),
        (("symbols",), ["batch", "a.b", "c"], "expected an input of size c, got none"),
        (("slots", 0, "first"), 3, "expected an integer from 3 below 2.*, got 2"),
        (("slots", 0, "offset"), -2, "expected an integer from -1 below 2.*, got -2"),
        (("ranges", "batch"), [1], r"expected a pair, got \[1\]"),
        (("ranges", "batch"), [1, 2, 3], "expected a pair"),
        (("checks", 0, "quantity"), "c", "expected no other symbols"),
        (("checks", 0, "shown"), ["c"], "expected no other symbols"),
        (("lower_bound",), 10**30, "expected an integer from 0 below 2"),
    ],
)
def test_says_what_is_wrong(path: Path, value: Any, message: str):
    with pytest.raises(ValueError, match=message):
        read_program(replaced(path, value))


@pytest.mark.parametrize("name", PLANNERS)
def test_takes_every_planner_and_dtype(name: str):
    assert read_program(replaced(("planner",), name)).planner == name
    for dtype in DTYPE_NAMES:
        text = replaced(("outputs", 0, "dtype"), dtype)
        assert read_program(text).outputs[0].dtype == dtype


def test_knows_the_words_of_its_contexts():
    assert PROGRAM.layout == ContextLayout(inputs=3, outputs=1)
    assert PROGRAM.layout.size == ContextLayout.HEAD + 3 + 1 + 1
    assert PROGRAM.row_layout == RowLayout(symbols=2, slots=2, skips=1)
    assert PROGRAM.row_layout.size == RowLayout.HEAD + 2 + 2 + 1


def test_is_planned_when_every_slot_has_its_place():
    assert not PROGRAM.is_planned
    assert compiled(WORDS).program.is_planned


def test_a_tensor_prints_as_its_dtype_and_shape():
    assert str(PROGRAM.inputs[1]) == "int64[a.b, 2 * batch + 1]"
    assert str(PROGRAM.inputs[2]) == "bool[]"
    assert PROGRAM.inputs[1].sizes({"batch": 2, "a.b": 5}) == (5, 5)


@pytest.mark.parametrize(
    ("number", "message"),
    [
        (
            1,
            "expected a.b from 1 to 4, got 9; compile the model with a range that "
            "includes it",
        ),
        (
            3,
            "expected sizes whose products stay below 2**62 bytes, got a.b = 9, "
            "batch = 5",
        ),
        (
            4,
            "expected inputs and outputs without negative sizes, got a.b = 9, "
            "batch = 5",
        ),
        (5, "expected rows, got 9 and 5 with a.b = 9, batch = 5"),
    ],
)
def test_says_which_sizes_are_refused(number: int, message: str):
    program = replace(PROGRAM, symbols=("a.b", "batch"), ranges={"a.b": (1, 4)})
    refusal = program.refusal(number, {"a.b": 9, "batch": 5})
    assert str(refusal) == message


def test_says_which_check_fails_of_sizes_that_are_too_large():
    program = replace(PROGRAM, symbols=("a.b", "batch"))
    refusal = program.refusal(3, {"a.b": 2**62, "batch": 1})
    assert str(refusal).startswith("expected rows, got 4611686018427387904 and 1")
