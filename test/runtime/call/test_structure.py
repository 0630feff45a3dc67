"""Calls take and give trees of arrays, where the program says so."""

from __future__ import annotations

import json
import math
from collections import OrderedDict, deque
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.call.compiled import CompiledModule
from static_runtime.runtime.call.structure import builder, flat_outputs, match_tree
from static_runtime.runtime.output_file import as_outputs, print_outputs
from static_runtime.runtime.program.program import TensorInfo
from static_runtime.runtime.program.structure import Structure, Tree

from ..structures import array, constant, mapping, sequence
from ..texts import as_compiled


class Pair(NamedTuple):
    """Two arrays."""

    left: Any
    right: Any


@dataclass
class Batch:
    """An array, and one that may be missing."""

    rows: Any
    mask: Any = None


PAIR = Tree("namedtuple", (array(0), array(1)), ("left", "right"), f"{__name__}:Pair")
BATCH = Tree(
    "dataclass", (array(0), constant(None)), ("rows", "mask"), f"{__name__}:Batch"
)
ONE, TWO = np.ones(2, np.float32), np.full(2, 2, np.float32)


def made(tree: Tree, *outputs: Any) -> Any:
    """The result of a run that made these outputs."""
    build = builder(Structure(None, tree))
    assert build is not None
    return build(outputs[0] if len(outputs) == 1 else outputs)


RESULTS: list[Any] = [
    (sequence("tuple", array(0), array(1)), (ONE, TWO)),
    (sequence("list", array(0), array(1)), [ONE, TWO]),
    (sequence("deque", array(0), array(1)), deque([ONE, TWO])),
    (mapping(b=array(0), a=array(1)), {"b": ONE, "a": TWO}),
    (Tree("dict", (array(0), array(1)), (3, None)), {3: ONE, None: TWO}),
    (
        Tree("OrderedDict", (array(0), array(1)), ("b", "a")),
        OrderedDict(b=ONE, a=TWO),
    ),
    (PAIR, Pair(ONE, TWO)),
]


@pytest.mark.parametrize(("tree", "expected"), RESULTS)
def test_each_kind_comes_back(tree: Tree, expected: Any):
    result = made(tree, ONE, TWO)
    assert type(result) is type(expected)
    if hasattr(expected, "keys"):
        assert [*result] == [*expected]
        result, expected = result.values(), expected.values()
    assert [id(each) for each in result] == [id(each) for each in expected]


def test_a_dataclass_comes_back():
    result = made(BATCH, ONE)
    assert type(result) is Batch
    assert result.rows is ONE
    assert result.mask is None


@pytest.mark.parametrize("value", [None, True, 3, 2.5, "text", math.inf])
def test_constants_come_back_as_they_are(value: Any):
    assert made(sequence("list", array(0), constant(value)), ONE) == [ONE, value]


def test_numbers_come_back_as_numbers():
    tree = sequence("tuple", array(0), Tree("number", number=1))
    result = made(tree, ONE, np.array(7))
    assert type(result[1]) is int
    assert result[1] == 7


def test_empty_and_nested_containers_come_back():
    tree = mapping(a=sequence("list"), b=sequence("tuple", mapping(c=array(0))))
    assert made(tree, ONE) == {"a": [], "b": ({"c": ONE},)}
    assert made(sequence("list", constant(1))) == [1]


def test_what_cannot_be_imported_has_something_in_its_place():
    for name in ("no.such.module:Pair", f"{__name__}:No.Pair", "os:sep", "os:system"):
        pair: Any = made(Tree(PAIR.kind, PAIR.parts, PAIR.keys, name), ONE, TWO)
        assert issubclass(type(pair), tuple)
        assert pair.left is ONE
        assert pair.right is TWO
        assert type(pair).__name__ == name.rpartition(":")[2].rpartition(".")[2]
        batch = made(Tree(BATCH.kind, BATCH.parts, BATCH.keys, name), ONE)
        assert batch == {"rows": ONE, "mask": None}
    # A class with other fields is another one.
    other = Tree("namedtuple", (array(0),), ("left",), f"{__name__}:Pair")
    assert type(made(other, ONE)) is not Pair


@pytest.mark.parametrize("tree", [PAIR, mapping(a=array(0), b=array(1))])
def test_outputs_are_found_in_a_result(tree: Tree):
    structure = Structure(None, tree)
    assert flat_outputs(structure, made(tree, ONE, TWO)) == [ONE, TWO]
    assert flat_outputs(None, ONE) == [ONE]
    assert flat_outputs(None, (ONE, TWO)) == [ONE, TWO]
    away = Tree(BATCH.kind, BATCH.parts, BATCH.keys, "no:Batch")
    for each in (BATCH, away):
        assert flat_outputs(Structure(None, each), made(each, ONE)) == [ONE]


INFOS = [TensorInfo(name, "float32", (2,)) for name in ("x_0", "x_1", "y_a", "z")]


def given(name: str) -> Tree:
    """An input."""
    return Tree("array", name=name)


TAKES = Structure(
    mapping(
        x=sequence("list", given("x_0"), given("x_1")),
        scale=constant(2.0),
        y=mapping(a=given("y_a"), b=constant(None)),
        z=given("z"),
    ),
    None,
)


def taken(*arguments: Any, **named: Any) -> list[Any]:
    """The inputs of a call."""
    return match_tree(TAKES, INFOS, arguments, named)


def test_trees_are_taken_by_position_and_by_name():
    y = {"b": None, "a": 3}
    for found in (
        taken([1, 2], 2.0, y, 4),
        taken([1, 2], z=4, y=y),
        taken(y=y, scale=2, z=4, x=[1, 2]),
        taken(1, 2, 3, 4),
        taken(1, 2, 3, z=4),
        taken(y_a=3, z=4, x_1=2, x_0=1),
    ):
        assert found == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        (([1, 2],), {}, "4 inputs (x, scale, y, z), got none for y"),
        (([1, 2], 2.0, 3, 4, 5), {}, "4 inputs (x, scale, y, z), got 5"),
        (([1, 2], 2.0), {"x": [1, 2]}, "4 inputs (x, scale, y, z), got x twice"),
        (
            ([1, 2],),
            {"w": 1},
            "4 inputs (x, scale, y, z), got an input called w; what the model stores, "
            "such as an initializer of ONNX or a buffer, is a constant, and is left "
            "out",
        ),
    ],
)
def test_refuses_other_arguments(
    arguments: tuple[Any, ...], named: dict[str, Any], message: str
):
    with pytest.raises(TypeError) as raised:
        taken(*arguments, **named)
    assert str(raised.value) == f"expected {message}"


OTHERS: list[Any] = [
    ({"x": (1, 2)}, "input x: expected a list of 2, got tuple"),
    ({"x": [1, 2, 3]}, "input x: expected a list of 2, got 3"),
    ({"x": []}, "input x: expected a list of 2, got 0"),
    ({"x": {"a": 1}}, "input x: expected a list of 2, got dict"),
    ({"x": [1, None]}, "input x[1]: expected an array, got None"),
    ({"x": [{}, 2]}, "input x[0]: expected an array, got dict"),
    ({"y": [3]}, "input y: expected a dict with 'a', 'b', got list"),
    ({"y": {"a": 3}}, "input y: expected a dict with 'a', 'b', got 'a'"),
    ({"y": {}}, "input y: expected a dict with 'a', 'b', got no keys"),
    ({"y": {"a": 3, "b": None, "c": 1}}, "with 'a', 'b', got 'a', 'b', 'c'"),
    ({"y": {"a": 3, "b": 1}}, "input y['b']: expected None, for which"),
    ({"scale": "2"}, "input scale: expected 2.0, for which the model was compiled"),
    ({"scale": [2.0]}, "was compiled, got list"),
    ({"z": None}, "input z: expected an array, got None"),
]


@pytest.mark.parametrize(("changed", "message"), OTHERS)
def test_refuses_other_trees_and_says_where(changed: dict[str, Any], message: str):
    call = {"x": [1, 2], "y": {"a": 3, "b": None}, "z": 4}
    with pytest.raises(TypeError) as raised:
        taken(**(call | changed))
    assert message in str(raised.value)


def test_a_constant_of_another_value_is_refused():
    with pytest.raises(ValueError, match=r"input scale: expected 2\.0, .*got 3\.0"):
        taken([1, 2], 3.0, {"a": 3, "b": None}, 4)
    nan = Structure(mapping(x=given("z"), c=constant(math.nan)), None)
    assert match_tree(nan, INFOS[3:], (1, math.nan), {}) == [1]


def test_classes_are_taken_apart():
    leaves = [TensorInfo(name, "float32", (2,)) for name in ("a", "b", "c")]
    pair = Tree("namedtuple", (given("a"), given("b")), PAIR.keys, PAIR.name)
    batch = Tree("dataclass", (given("c"), constant(None)), BATCH.keys, BATCH.name)
    structure = Structure(mapping(p=pair, q=batch), None)
    for q in (Batch(3), {"mask": None, "rows": 3}):
        assert match_tree(structure, leaves, (Pair(1, 2), q), {}) == [1, 2, 3]
    with pytest.raises(TypeError, match="p: expected a Pair of left, right, got tuple"):
        match_tree(structure, leaves, ((1, 2), Batch(3)), {})
    with pytest.raises(TypeError, match="q: expected a Batch of rows, mask, got Pair"):
        match_tree(structure, leaves, (Pair(1, 2), Pair(1, 2)), {})
    with pytest.raises(TypeError, match=r"q\.mask: expected None, .*got int"):
        match_tree(structure, leaves, (Pair(1, 2), Batch(3, 1)), {})


MODEL = """
func.func @sums(%x: tensor<?xf32, ["n"]>, %y: tensor<?xf32, ["n"]>)
    -> (tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>)
    attributes {{graph.input_names = ["x_0", "x_1"], {attribute}}} {{
  %0 = graph.add %x, %y : tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>
    -> tensor<?xf32, ["n"]>
  return %0, %0, %x : tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>, tensor<?xf32, ["n"]>
}}
"""
"""The sum twice, and an input."""

RESULT = mapping(
    sums=sequence("list", array(0), array(1)), three=constant(3), x=array(2)
)
PARAMETERS = mapping(x=sequence("tuple", given("x_0"), given("x_1")))


def text(structure: Structure) -> str:
    """The model with a structure."""
    quoted = json.dumps(json.dumps(asdict(structure)))
    return MODEL.format(attribute=f"graph.structure = {quoted}")


def module(structure: Structure = Structure(PARAMETERS, RESULT)) -> CompiledModule:
    """The model with a structure, compiled."""
    return as_compiled(sr.compile(text(structure), options=sr.Options(cache=False)))


def check(result: Any) -> None:
    """The result of a call with ones and twos is right, and nothing in it is shared."""
    assert [*result] == ["sums", "three", "x"]
    assert type(result["sums"]) is list
    assert result["three"] == 3
    for each, value in (*((s, 3) for s in result["sums"]), (result["x"], 1)):
        assert each.tolist() == [value, value]
    first, second = result["sums"]
    assert not np.shares_memory(first, second)
    assert not np.shares_memory(result["x"], ONE)


@pytest.mark.usefixtures("runs_host")
def test_a_module_takes_and_gives_trees():
    made = module()
    check(made((ONE, TWO)))
    check(made(x=(ONE, TWO)))
    check(made(x_1=TWO, x_0=ONE))
    slow = made.statistics().slow_calls
    for _ in range(3):
        check(made(ONE, TWO))
    # A call with arrays goes to machine code, and only its result to Python.
    assert made.statistics().slow_calls == slow
    assert made.output_names == ("output_0", "output_1", "output_2")
    with pytest.raises(TypeError, match="input x: expected a tuple of 2, got list"):
        made([ONE, TWO])
    with pytest.raises(
        ValueError, match=r"input x_1: expected shape \(n,\) with n = 2"
    ):
        made((ONE, np.ones(3, np.float32)))


@pytest.mark.usefixtures("runs_host")
def test_out_is_a_flat_tuple_and_comes_back_as_a_tree():
    made = module()
    for arguments in ((ONE, TWO), ((ONE, TWO),)):
        out = tuple(np.zeros(2, np.float32) for _ in range(3))
        result = made(*arguments, out=out)
        check(result)
        assert result["sums"][0] is out[0]
        assert result["x"] is out[2]


@pytest.mark.usefixtures("runs_host")
def test_a_repeater_takes_trees():
    module().repeater((ONE, TWO))(3)


@pytest.mark.usefixtures("runs_host")
def test_trees_of_inputs_alone_leave_calls_to_machine_code():
    made = module(Structure(PARAMETERS, None))
    assert [each.tolist() for each in made((ONE, TWO))] == [[3, 3], [3, 3], [1, 1]]
    slow = made.statistics().slow_calls
    assert type(made(ONE, TWO)) is tuple
    assert made.statistics().slow_calls == slow


@pytest.mark.usefixtures("runs_host")
def test_a_trace_changes_nothing():
    made = module()
    made.answer_by(lambda _: None)
    check(made(ONE, TWO))
    made.answer_by(None)
    check(made(ONE, TWO))
    # What is chosen makes the tree itself.
    other = module()
    made.answer_by(lambda _: other)
    check(made((ONE, TWO)))


@pytest.mark.usefixtures("runs_host")
def test_a_warm_start_gives_the_same_tree(tmp_path: Any, monkeypatch: Any):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    for is_warm in (False, True):
        made = sr.compile(text(Structure(PARAMETERS, RESULT)))
        assert made.report.warm is is_warm
        check(made((ONE, TWO)))


@pytest.mark.usefixtures("runs_host")
def test_commands_print_the_outputs(capsys: pytest.CaptureFixture[str]):
    made = module()
    print_outputs(made, as_outputs(made, made(ONE, TWO)))
    lines = capsys.readouterr().out.splitlines()
    assert [each.partition(":")[0] for each in lines] == [*made.output_names]


def test_an_input_that_became_a_constant_is_none():
    made = sr.compile(
        text(Structure(PARAMETERS, None)),
        options=sr.Options(cache=False),
        constants={"x_1": TWO},
    )
    assert made.input_names == ("x_0",)
    for arguments in ((ONE,), ((ONE, None),)):
        assert made(*arguments)[0].tolist() == [3, 3]
    with pytest.raises(TypeError, match=r"x\[1\]: expected None, .*got ndarray"):
        made((ONE, TWO))


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("graph.structure = 3", "graph.structure to be a text, got 3"),
        ('graph.structure = "{"', "graph.structure: "),
        ('graph.structure = "1"', "graph.structure: expected an object, got 1"),
    ],
)
def test_a_text_with_another_attribute_is_refused(attribute: str, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.compile(MODEL.format(attribute=attribute))


def test_a_text_imports_nothing():
    pair = Tree("namedtuple", (array(0), array(1)), PAIR.keys, PAIR.name)
    three = sequence("tuple", pair, array(2))
    with pytest.raises(sr.CompileError, match="of Python's own, got the class"):
        module(Structure(None, three))
    with pytest.raises(sr.CompileError, match="of Python's own, got the class"):
        module(Structure(mapping(x=pair), None))


def test_a_text_names_its_inputs():
    with pytest.raises(
        sr.CompileError, match=r"inputs \['x_0', 'x_1'\], got \['x_0'\]"
    ):
        module(Structure(mapping(x=given("x_0")), None))
