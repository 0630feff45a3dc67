"""
Models that are large along one axis each, such as depth or the number of outputs.

What they compute is of no use. Each is a function of how large it is, so that a model
of twice the size has twice as much of one thing, and as much of all others as it can.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from onnx import FunctionProto, GraphProto, ModelProto, NodeProto, TensorProto, helper
from onnx.numpy_helper import from_array

Model: TypeAlias = bytes | str
"""An ONNX model, or a text of the graph dialect."""

SHAPE = (4, 16)
OPSET = helper.make_opsetid("", 20)
OWN = helper.make_opsetid("own", 1)


class Graph:
    """A graph of ONNX that grows node by node."""

    def __init__(self, prefix: str = "") -> None:
        """A graph without nodes and inputs, whose names begin like this."""
        self.prefix = prefix
        self.nodes: list[NodeProto] = []
        self.inputs: dict[str, Sequence[int | str]] = {}
        self.weights: list[TensorProto] = []
        self.functions: list[FunctionProto] = []

    def input(self, name: str = "x", shape: Sequence[int | str] = SHAPE) -> str:
        """Adds an input of f32."""
        self.inputs[name] = shape
        return name

    def weight(self, array: Any) -> str:
        """Adds an initialiser."""
        name = f"{self.prefix}w{len(self.weights)}"
        self.weights.append(from_array(np.asarray(array), name))
        return name

    def scale(self, at: int, *shape: int) -> str:
        """Adds an initialiser of f32 that is that of no other `at`."""
        return self.weight(np.full(shape, 1 / (at + 2), np.float32))

    def add(self, op: str, *inputs: str, results: int = 1, **attributes: Any) -> str:
        """Adds a node; the name of its only result, or what those of several begin."""
        name = f"{self.prefix}v{len(self.nodes)}"
        names = [name] if results == 1 else [f"{name}.{at}" for at in range(results)]
        domain = "" if op[0].isupper() else "own"
        node = helper.make_node(op, inputs, names, domain=domain, **attributes)
        self.nodes.append(node)
        return name

    def graph(self, *outputs: str) -> GraphProto:
        """The graph with these outputs."""

        def value(name: str, shape: Sequence[int | str] | None):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        inputs = [value(*each) for each in self.inputs.items()]
        results = [value(each, None) for each in outputs]
        return helper.make_graph(self.nodes, "main", inputs, results, self.weights)

    def model(self, *outputs: str) -> bytes:
        """The model with these outputs."""
        made: ModelProto = helper.make_model(
            self.graph(*outputs),
            opset_imports=[OPSET, OWN],
            functions=self.functions,
            ir_version=9,
        )
        return made.SerializeToString()


def elementwise(count: int) -> Model:
    """Elementwise ops, one after the other."""
    g = Graph()
    x = g.input()
    for at in range(count):
        x = g.add(("Tanh", "Neg", "Abs")[at % 3], x)
    return g.model(x)


def layers(count: int) -> Model:
    """Layers of equal kernels, each with weights of its own."""
    g = Graph()
    x = g.input()
    for at in range(count):
        x = g.add("Relu", g.add("MatMul", x, g.scale(at, 16, 16)))
    return g.model(x)


def distinct_layers(count: int) -> Model:
    """Layers of which each has another kernel, and that are one after the other."""
    g = Graph()
    x = g.input("x", (1, 3))
    for at in range(count):
        x = g.add("MatMul", x, g.scale(at, 3 + at, 4 + at))
    return g.model(x)


def residuals(count: int) -> Model:
    """Blocks with a softmax, and with a residual around them."""
    g = Graph()
    x = g.input()
    for at in range(count):
        y = g.add("Softmax", g.add("MatMul", x, g.scale(at, 16, 16)))
        x = g.add("Add", g.add("Mul", y, g.scale(at, 16)), x)
    return g.model(x)


def convolutions(count: int) -> Model:
    """Convolutions with a normalization, a residual and an activation each."""
    g = Graph()
    x = g.input("x", (1, 16, 4, 4))
    for at in range(count):
        y = g.add("Conv", x, g.scale(at, 16, 16, 3, 3), pads=(1, 1, 1, 1))
        y = g.add("BatchNormalization", y, *(g.scale(at, 16) for _ in range(4)))
        x = g.add("Relu", g.add("Add", y, x))
    return g.model(x)


def steps(count: int) -> Model:
    """The steps of a recurrent net, written out."""
    g = Graph()
    x, h = g.input("x", (count, 4, 16)), g.input("h")
    w, u = g.scale(0, 16, 16), g.scale(1, 16, 16)
    seen: list[str] = []
    for at in range(count):
        now = g.add("MatMul", g.add("Gather", x, g.weight(np.int64(at)), axis=0), w)
        h = g.add("Tanh", g.add("Add", now, g.add("MatMul", h, u)))
        seen.append(g.add("Unsqueeze", h, g.weight(np.array([0]))))
    return g.model(g.add("Concat", *seen, axis=0))


def diamonds(count: int) -> Model:
    """Two ways through each layer, so that ways double with it."""
    g = Graph()
    x = g.input()
    for _ in range(count):
        x = g.add("Add", g.add("Tanh", x), g.add("Neg", x))
    return g.model(x)


def constant_diamonds(count: int) -> Model:
    """The same of constants, behind what looks for them."""
    g = Graph()
    x, w = g.input("x", (4, 128)), g.scale(0, 128)
    for _ in range(count):
        w = g.add("Add", g.add("Mul", w, w), w)
        x = g.add("Mul", x, w)
    return g.model(x)


def multiples(count: int) -> Model:
    """A value added to itself, again and again."""
    g = Graph()
    x = g.input()
    for _ in range(count):
        x = g.add("Add", x, x)
    return g.model(x)


def operands(op: str, **attributes: Any) -> Callable[[int], Model]:
    """One op of many operands, each an input times a number."""

    def made(count: int) -> Model:
        g = Graph()
        x = g.input()
        found = [g.add("Mul", x, g.scale(at, 1)) for at in range(count)]
        return g.model(g.add(op, *found, **attributes))

    return made


def outputs(count: int) -> Model:
    """Outputs, each of its own."""
    g = Graph()
    x = g.input()
    return g.model(*(g.add("Mul", x, g.scale(at, 1)) for at in range(count)))


def equal_outputs(count: int) -> Model:
    """Outputs that are all the same value."""
    g = Graph()
    y = g.add("Tanh", g.input())
    return g.model(*(g.add("Identity", y) for _ in range(count)))


def inputs(count: int) -> Model:
    """Inputs, added up one after the other."""
    g = Graph()
    x, *others = (g.input(f"x{at}") for at in range(count + 1))
    for each in others:
        x = g.add("Add", x, each)
    return g.model(x)


def symbols(count: int) -> Model:
    """Inputs with a dimension each that nothing else has, and as many outputs."""
    g = Graph()
    found = [g.add("Tanh", g.input(f"x{at}", (f"n{at}", 4))) for at in range(count)]
    return g.model(*found)


def summed_symbols(count: int) -> Model:
    """A dimension that is the sum of many."""
    g = Graph()
    found = [g.input(f"x{at}", (f"n{at}", 4)) for at in range(count)]
    return g.model(g.add("Concat", *found, axis=0))


def defined_symbols(count: int) -> Model:
    """Sizes that only the run knows."""
    g = Graph()
    x, total = g.input(), g.weight(np.zeros(1, np.float32))
    for at in range(count):
        many = g.add("Greater", x, g.scale(at, 1))
        found = g.add("Cast", g.add("NonZero", many), to=TensorProto.FLOAT)
        total = g.add("Add", total, g.add("ReduceSum", found, keepdims=0))
    return g.model(total)


def weights(count: int) -> Model:
    """Initialisers of some size, added one after the other."""
    g = Graph()
    x = g.input("x", (128,))
    for at in range(count):
        x = g.add("Sin", g.add("Add", x, g.scale(at, 128)))
    return g.model(x)


def constants(count: int) -> Model:
    """Nodes that hold a number."""
    g = Graph()
    x = g.input()
    for at in range(count):
        x = g.add("Add", x, g.add("Constant", value_float=1 / (at + 1)))
    return g.model(x)


def shape_arithmetic(count: int) -> Model:
    """Shapes that are taken apart and put together again, of symbols."""
    g = Graph()
    x = g.input("x", ("n", 4, "m"))
    zero, one = g.weight(np.array([0])), g.weight(np.array([-1]))
    for at in range(count):
        first = g.add("Gather", g.add("Shape", x), zero)
        shape = g.add("Concat", first, one if at % 2 else zero, axis=0)
        flat = g.add("Reshape", x, g.add("Concat", first, one, axis=0))
        x = g.add("Reshape", g.add("Tanh", flat), g.add("Shape", x))
        x = g.add("Neg", x) if shape else x
    return g.model(x)


def slices_of_symbols(count: int) -> Model:
    """Slices of which only a run can say whether they are inside."""
    g = Graph()
    x = g.input("x", ("n", 16))
    found: list[str] = []
    for at in range(count):
        y = g.add("Gather", x, g.weight(np.int64(at)), axis=0)
        found.append(g.add("Tanh", y))
    return g.model(g.add("Sum", *found))


def fallbacks(count: int) -> Model:
    """Ops that are computed by numpy."""
    g = Graph()
    x = g.input()
    for _ in range(count):
        g.add("TopK", x, g.weight(np.array([16])), results=2)
        x = f"v{len(g.nodes) - 1}.0"
    return g.model(x)


def look_ups(count: int) -> Model:
    """Rows that are looked up, by indices that are an input."""
    g = Graph()
    x = g.input()
    ids = g.add("Cast", g.input("ids", (4,)), to=TensorProto.INT64)
    for at in range(count):
        x = g.add("Add", g.add("Gather", g.scale(at, 128, 16), ids), x)
    return g.model(x)


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


AXES: dict[str, tuple[Callable[[int], Model], int]] = {
    "elementwise ops in a chain": (elementwise, 400),
    "equal layers": (layers, 100),
    "distinct layers": (distinct_layers, 16),
    "residual blocks": (residuals, 60),
    "convolutions": (convolutions, 30),
    "unrolled steps": (steps, 60),
    "attention layers": (attention, 8),
    "diamonds": (diamonds, 150),
    "diamonds of constants": (constant_diamonds, 100),
    "a value added to itself": (multiples, 400),
    "operands of Sum": (operands("Sum"), 200),
    "operands of Max": (operands("Max"), 200),
    "operands of Concat": (operands("Concat", axis=0), 200),
    "users of one value": (users, 60),
    "parts of Split": (parts, 100),
    "elements of a list": (lists, 150),
    "outputs": (outputs, 100),
    "outputs of one value": (equal_outputs, 100),
    "inputs": (inputs, 100),
    "initialisers": (weights, 200),
    "constants": (constants, 400),
    "symbols": (symbols, 30),
    "symbols in a sum": (summed_symbols, 30),
    "symbols of the run": (defined_symbols, 20),
    "slices of symbols": (slices_of_symbols, 60),
    "shape arithmetic": (shape_arithmetic, 50),
    "views": (views, 100),
    "fallback ops": (fallbacks, 50),
    "look-ups": (look_ups, 50),
    "choices": (ifs, 50),
    "nested choices": (nested_ifs, 16),
    "values a choice takes": (captures, 100),
    "values a loop carries": (carried, 50),
    "functions": (functions, 200),
    "calls of a function": (calls, 200),
}
"""The models by what grows in them, and a size that takes about a second."""
