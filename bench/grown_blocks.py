"""Models that are large by their regions, functions and views, each by its size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from onnx import GraphProto, TensorProto, helper

from .onnx_graph import OPSET, Graph, Model


def choice(g: Graph, flag: str, *branches: Callable[[Graph], str]) -> str:
    """Adds an If; each branch says which of its values is the result."""
    made: list[GraphProto] = []
    for number, branch in enumerate(branches):
        inner = Graph(f"{g.prefix}{len(g.nodes)}.{number}.")
        result = branch(inner)
        made.append(inner.graph(result))
    then, otherwise = made
    return g.add("If", flag, then_branch=then, else_branch=otherwise)


def ifs(count: int) -> Model:
    """Choices, one after the other."""
    g = Graph()
    x = g.input()
    flag = g.add("Greater", g.input("flag", ()), g.scale(0))
    for _ in range(count):
        x = choice(g, flag, unary("Tanh", x), unary("Neg", x))
    return g.model(x)


def unary(op: str, x: str) -> Callable[[Graph], str]:
    """What adds an op on one value."""
    return lambda g: g.add(op, x)


def nested_ifs(count: int) -> Model:
    """Choices inside each other, which double with each."""
    g = Graph()
    x = g.input()
    flag = g.add("Greater", g.input("flag", ()), g.scale(0))

    def nest(g: Graph, depth: int) -> str:
        if depth == 0:
            return g.add("Tanh", x)

        def inner(g: Graph) -> str:
            return nest(g, depth - 1)

        return choice(g, flag, inner, inner)

    return g.model(nest(g, count.bit_length() - 1))


def captures(count: int) -> Model:
    """A choice between two sums of many values of outside."""
    g = Graph()
    x = g.input()
    flag = g.add("Greater", g.input("flag", ()), g.scale(0))
    found = [g.add("Tanh", g.add("Mul", x, g.scale(at, 1))) for at in range(count)]

    def together(op: str) -> Callable[[Graph], str]:
        return lambda g: g.add(op, *found)

    return g.model(choice(g, flag, together("Sum"), together("Max")))


def carried(count: int) -> Model:
    """A loop that carries many values."""
    g = Graph()
    body = Graph()
    body.input("trip", ())
    own = [body.input(f"c{at}") for at in range(count)]
    after = [body.add("Tanh", own[at - 1]) for at in range(count)]
    step = body.graph("go", *after)
    value = helper.make_tensor_value_info
    step.input[0].CopyFrom(value("trip", TensorProto.INT64, ()))
    step.input.insert(1, value("before", TensorProto.BOOL, ()))
    step.output[0].CopyFrom(value("go", TensorProto.BOOL, ()))
    step.node.append(helper.make_node("Identity", ["before"], ["go"]))
    start = [g.input(f"x{at}") for at in range(count)]
    trips = g.weight(np.int64(3))
    g.add("Loop", trips, "", *start, results=count + 1, body=step)
    last = g.nodes[-1]
    del last.output[count:]
    return g.model(*last.output)


def functions(count: int) -> Model:
    """Functions of the model, each called once."""
    g = Graph()
    x = g.input()
    for at in range(count):
        nodes = [
            helper.make_node("Tanh", ["a"], ["b"]),
            helper.make_node("Neg", ["b"], ["c"]),
        ]
        made = helper.make_function("own", f"f{at}", ["a"], ["c"], nodes, [OPSET])
        g.functions.append(made)
        x = g.add(f"f{at}", x)
    return g.model(x)


def calls(count: int) -> Model:
    """Calls of one function of the model."""
    g = Graph()
    x = g.input()
    nodes = [
        helper.make_node("Tanh", ["a"], ["b"]),
        helper.make_node("Neg", ["b"], ["c"]),
    ]
    g.functions.append(helper.make_function("own", "f", ["a"], ["c"], nodes, [OPSET]))
    for _ in range(count):
        x = g.add("f", x)
    return g.model(x)


def users(count: int) -> Model:
    """Users of one value, in kernels of their own."""
    g = Graph()
    x = g.add("Tanh", g.input())
    total = x
    for at in range(count):
        total = g.add("Add", total, g.add("MatMul", x, g.scale(at, 16, 16)))
    return g.model(total)


def parts(count: int) -> Model:
    """A tensor split into many."""
    g = Graph()
    x = g.input("x", (count, 16))
    g.add("Split", x, results=count, axis=0, num_outputs=count)
    found = [g.add("Tanh", each) for each in g.nodes[-1].output]
    return g.model(g.add("Sum", *found))


def views(count: int) -> Model:
    """Reshapes, transposes and slices, one after the other."""
    g = Graph()
    x = g.input("x", (4, 16))
    there, back = g.weight(np.array([8, 8])), g.weight(np.array([4, 16]))
    ends = [g.weight(np.array([each])) for each in (0, 15, 1)]
    for at in range(count):
        x = g.add("Reshape", g.add("Reshape", x, there), back)
        x = g.add("Transpose", g.add("Transpose", x, perm=(1, 0)), perm=(1, 0))
        y = g.add("Slice", x, *ends) if at % 8 == 0 else x
        x = g.add("Pad", y, g.weight(np.array([0, 0, 0, 1]))) if at % 8 == 0 else x
    return g.model(g.add("Tanh", x))


def attention(count: int) -> Model:
    """Layers of attention over a batch and a length that vary."""
    g = Graph()
    x = g.input("x", ("batch", "length", 16))
    shape = g.weight(np.array([0, 0, 2, 8]))
    back = g.weight(np.array([0, 0, 16]))
    for at in range(count):
        q, k, v = (
            g.add(
                "Transpose",
                g.add("Reshape", g.add("MatMul", x, g.scale(at, 16, 16)), shape),
                perm=perm,
            )
            for perm in ((0, 2, 1, 3), (0, 2, 3, 1), (0, 2, 1, 3))
        )
        rows = g.add("MatMul", g.add("Softmax", g.add("MatMul", q, k)), v)
        heads = g.add("Transpose", rows, perm=(0, 2, 1, 3))
        x = g.add("Add", x, g.add("Reshape", heads, back))
        scale = g.scale(at, 16)
        x = g.add("LayerNormalization", x, scale, scale)
    return g.model(x)


def lists(count: int) -> Model:
    """A list of many tensors, put together."""
    row, whole = "tensor<4xf32>", f"tensor<{4 * count}xf32>"
    lines: list[str] = []
    for at in range(count):
        lines.append(f"%c{at} = graph.constant dense<{at + 1}.0> : {row}")
        lines.append(f"%y{at} = graph.mul %x, %c{at} : {row}, {row} -> {row}")
    names = ", ".join(f"%y{at}" for at in range(count))
    kind = f"!graph.list<{', '.join([row] * count)}>"
    lines.append(
        f"%l = graph.list_construct {names} : {', '.join([row] * count)} -> {kind}"
    )
    lines.append(f"%z = graph.concat_list %l {{axis = 0 : i64}} : {kind} -> {whole}")
    body = "\n  ".join(lines)
    return (
        f"func.func @main(%x: {row}) -> {whole} {{\n  {body}\n  return %z : {whole}\n}}"
    )
