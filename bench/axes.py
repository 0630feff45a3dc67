"""
Models that are large along one axis each, such as depth or the number of outputs.

What they compute is of no use. Each is a function of how large it is, so that a model
of twice the size has twice as much of one thing, and as much of all others as it can.
"""

from __future__ import annotations

from collections.abc import Callable

from .grown_blocks import (
    attention,
    calls,
    captures,
    carried,
    functions,
    ifs,
    lists,
    nested_ifs,
    parts,
    users,
    views,
)
from .grown_flow import (
    constant_diamonds,
    constants,
    convolutions,
    defined_symbols,
    diamonds,
    distinct_layers,
    elementwise,
    equal_outputs,
    inputs,
    layers,
    look_ups,
    multiples,
    operands,
    orders,
    outputs,
    residuals,
    shape_arithmetic,
    slices_of_symbols,
    steps,
    summed_symbols,
    symbols,
    weights,
)
from .onnx_graph import Model

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
    "orders": (orders, 50),
    "look-ups": (look_ups, 50),
    "choices": (ifs, 50),
    "nested choices": (nested_ifs, 16),
    "values a choice takes": (captures, 100),
    "values a loop carries": (carried, 50),
    "functions": (functions, 200),
    "calls of a function": (calls, 200),
}
"""The models by what grows in them, and a size that takes about a second."""
