"""Models that are large along one axis of their data flow, each by its size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import TensorProto

from .onnx_graph import Graph, Model


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
    """Layers in sequence, each with a kernel of its own."""
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
    """Slices whose bounds only a run can check."""
    g = Graph()
    x = g.input("x", ("n", 16))
    found: list[str] = []
    for at in range(count):
        y = g.add("Gather", x, g.weight(np.int64(at)), axis=0)
        found.append(g.add("Tanh", y))
    return g.model(g.add("Sum", *found))


def orders(count: int) -> Model:
    """Elements that come first, of those before, and where they are."""
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
