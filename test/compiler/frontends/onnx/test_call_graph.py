"""Functions and graphs inside each other are bounded, and none calls itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from onnx import AttributeProto, FunctionProto, ModelProto, NodeProto, helper

from static_runtime.compiler.frontends.onnx import loop
from static_runtime.compiler.frontends.onnx.call_graph import MOST_NODES, MOST_REGIONS
from static_runtime.compiler.frontends.onnx.graph_builder import DEEPEST
from static_runtime.compiler.session.errors import CompileError, ModelFileError

from .interpreter import read

IMPORTS = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]


def function(name: str, calls: Sequence[str]) -> FunctionProto:
    """A function that calls these, one after the other, and has no other nodes."""
    values = ["a", *(f"b{place}" for place in range(1, len(calls))), "b"]
    nodes = [
        call(each, values[place], values[place + 1]) for place, each in enumerate(calls)
    ]
    return helper.make_function("own", name, ["a"], ["b"], nodes, IMPORTS)


def call(name: str, value: str, result: str) -> NodeProto:
    """A call of a function, or of ONNX's own op when it begins as these do."""
    domain = "" if name[0].isupper() else "own"
    return helper.make_node(name, [value], [result], domain=domain)


def model(*functions: FunctionProto, first: str = "f0") -> ModelProto:
    """A model that calls the first of these functions."""
    x, y = (helper.make_tensor_value_info(name, 1, [2]) for name in "xy")
    graph = helper.make_graph([call(first, "x", "y")], "g", [x], [y])
    return helper.make_model(graph, functions=functions, opset_imports=IMPORTS)


def chain(length: int, times: int = 1) -> ModelProto:
    """Functions that each call the next one a number of times."""
    last = length - 1
    return model(
        *(function(f"f{each}", [f"f{each + 1}"] * times) for each in range(last)),
        function(f"f{last}", ["Relu"]),
    )


def nested(depth: int) -> ModelProto:
    """Conditions inside each other."""
    result = model()
    graph = result.graph
    graph.input.append(helper.make_tensor_value_info("c", 9, []))
    del graph.node[:]
    for _ in range(depth):
        node = graph.node.add(op_type="If", input=["c"], output=["y"])
        other = node.attribute.add(name="else_branch", type=AttributeProto.GRAPH).g
        other.node.append(call("Neg", "x", "z"))
        other.output.append(helper.make_tensor_value_info("z", 1, [2]))
        graph = node.attribute.add(name="then_branch", type=AttributeProto.GRAPH).g
        graph.output.append(helper.make_tensor_value_info("y", 1, [2]))
    graph.node.append(call("Relu", "x", "y"))
    return result


@pytest.mark.parametrize("length", [2, 40, DEEPEST])
def test_a_chain_of_functions_is_read(length: int):
    assert [op.name for op in read(chain(length)).ops] == ["graph.relu"]


@pytest.mark.parametrize("length", [DEEPEST + 1, 400, 4000])
def test_a_longer_chain_is_refused(length: int):
    with pytest.raises(CompileError, match=f"functions and graphs at most {DEEPEST}"):
        read(chain(length))


@pytest.mark.parametrize(
    ("calls", "cycle"),
    [
        ([["f0"]], "f0 -> f0"),
        ([["f1"], ["f0"]], "f0 -> f1 -> f0"),
        ([["f1"], ["f2"], ["Relu", "f1"]], "f1 -> f2 -> f1"),
        ([["Relu"], ["f2"], ["f1"]], "f1 -> f2 -> f1"),
        ([[f"f{each + 1}"] for each in range(999)] + [["f0"]], "f0 -> f1 -> f2"),
    ],
    ids=["itself", "two", "not the first", "not called", "thousand"],
)
def test_functions_that_call_themselves(calls: Sequence[Sequence[str]], cycle: str):
    functions = [function(f"f{place}", each) for place, each in enumerate(calls)]
    message = f"expected functions that do not call themselves, got {cycle}"
    with pytest.raises(CompileError, match=message):
        read(model(*functions))


@pytest.mark.parametrize(("length", "times"), [(40, 2), (18, 2), (3, 400)])
def test_functions_that_are_called_too_often(length: int, times: int):
    with pytest.raises(CompileError, match=f"expected at most {MOST_NODES} nodes in"):
        read(chain(length, times))


def test_functions_that_are_called_often():
    assert len(read(chain(6, 3)).ops) == 3**5


def test_functions_of_one_name():
    with pytest.raises(CompileError, match="expected functions that differ, got two"):
        read(model(function("f0", ["Relu"]), function("f0", ["Neg"])))


@pytest.mark.parametrize("depth", [1, MOST_REGIONS - 2, MOST_REGIONS])
def test_graphs_inside_each_other_are_read(depth: int):
    read(nested(depth)).module.verify()


@pytest.mark.parametrize("depth", [MOST_REGIONS + 1, 100, 1000])
def test_graphs_that_are_deeper_are_refused(depth: int):
    with pytest.raises(CompileError, match=f"graphs at most {MOST_REGIONS} deep"):
        read(nested(depth))


def test_graphs_in_functions_that_are_deeper_are_refused():
    nodes = nested(20).graph.node
    inner = helper.make_function("own", "f1", ["x", "c"], ["y"], nodes, IMPORTS)
    source = nested(20)
    node = source.graph.node[0]
    while node.op_type == "If":
        node = node.attribute[1].g.node[0]
    node.CopyFrom(helper.make_node("f1", ["x", "c"], ["y"], domain="own"))
    source.functions.append(inner)
    with pytest.raises(CompileError, match=f"graphs at most {MOST_REGIONS} deep"):
        read(source)


def test_graphs_that_protobuf_does_not_read():
    with pytest.raises(ModelFileError, match="cut short or of another format"):
        read(nested(100).SerializeToString())


def leaky(refers_to: str, **given: float) -> ModelProto:
    """A function with an attribute `slope`, whose node takes the one named."""
    node = call("LeakyRelu", "a", "b")
    node.attribute.add(name="alpha", ref_attr_name=refers_to, type=AttributeProto.FLOAT)
    body = helper.make_function("own", "f0", ["a"], ["b"], [node], IMPORTS, ["slope"])
    result = model(body)
    result.graph.node[0].attribute.extend(
        helper.make_attribute(name, value) for name, value in given.items()
    )
    return result


def test_an_attribute_of_a_function():
    (given,), (default,) = read(leaky("slope", slope=0.5)).ops, read(leaky("slope")).ops
    assert getattr(given.properties["slope"], "value").data == 0.5
    assert getattr(default.properties["slope"], "value").data == pytest.approx(0.01)


def test_an_attribute_that_a_function_does_not_have():
    with pytest.raises(CompileError, match="got a reference to 'other' in a node Leak"):
        read(leaky("other"))
    with pytest.raises(CompileError, match="expected attributes slope, got 'other'"):
        read(leaky("slope", other=1.0))


def test_a_reference_outside_of_a_function():
    source = leaky("slope", slope=0.5)
    source.graph.node[0].attribute[0].ref_attr_name = "slope"
    with pytest.raises(CompileError, match="refers to 'slope' outside of a function"):
        read(source)
    source.graph.node[0].CopyFrom(source.functions[0].node[0])
    source.graph.node[0].input[0], source.graph.node[0].output[0] = "x", "y"
    with pytest.raises(CompileError, match="a reference to 'slope' outside of a func"):
        read(source)


def test_loops_that_are_written_out_inside_each_other(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(loop, "MOST_TRIPS", 100)
    trips = helper.make_tensor("k", 7, [], [8])
    yes = helper.make_tensor("t", 9, [], [True])
    node = helper.make_node("Concat", ["v", "x"], ["w"], axis=0)
    wide = helper.make_tensor_value_info("w", 1, None)
    state = [
        helper.make_tensor_value_info("i", 7, []),
        helper.make_tensor_value_info("c", 9, []),
        helper.make_tensor_value_info("v", 1, None),
    ]
    go_on = helper.make_node("Identity", ["c"], ["d"])
    for _ in range(6):
        ends = [helper.make_tensor_value_info("d", 9, []), wide]
        body = helper.make_graph([node, go_on], "body", state, ends)
        node = helper.make_node("Loop", ["k", "t", "v"], ["w"], body=body)
    source = model()
    source.graph.initializer.extend([trips, yes])
    node.input[2], node.output[0] = "x", "y"
    source.graph.node[0].CopyFrom(node)
    with pytest.raises(CompileError, match="expected at most 100 trips of loops"):
        read(source)
