"""
How caches grow from call to call: what a caller gives and gets, and what code takes.

A cache is an input that the model joins with new rows and returns. Compiled code takes
it with room for more rows, and its filled size as an input of its own.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from .size import Size

GROWTH = "graph.growth"
"""
The name of an attribute of a function, and then of its program, that holds a growth as
JSON.
"""


@dataclass(frozen=True)
class Cache:
    """An input that becomes an output, with more along one axis."""

    input: int
    output: int
    axis: int


@dataclass(frozen=True)
class Growth:
    """Inputs and outputs as callers know them, and which of them is a cache."""

    sizes: tuple[str, ...]
    """The symbols that grow. The last inputs have their values in a call."""

    capacity: str
    """The symbol of the room that inputs have along axes that grow."""

    inputs: tuple[tuple[Size, ...], ...]
    """The shape of each input, but for the last ones."""

    outputs: tuple[tuple[Size, ...], ...]
    """The shape of each output."""

    caches: tuple[Cache, ...]

    def to_json(self) -> str:
        """The growth as text."""
        return json.dumps(asdict(self))


def check_growth(growth: Growth, inputs: int, outputs: int) -> None:
    """
    Raises `ValueError` unless a program with this number of inputs and outputs can
    grow in this way.
    """
    counts = len(growth.inputs) + len(growth.sizes), len(growth.outputs)
    if counts != (inputs, outputs) or not growth.sizes:
        raise ValueError(
            f"expected {inputs} inputs and {outputs} outputs, got {counts}"
        )
    for each in growth.caches:
        if each.input >= len(growth.inputs) or each.output >= outputs:
            raise ValueError(f"expected an input that becomes an output, got {each}")
        shapes = growth.inputs[each.input], growth.outputs[each.output]
        if len({*map(len, shapes)}) != 1 or each.axis >= len(shapes[0]):
            raise ValueError(f"expected an axis of {each}, got shapes {shapes}")
    for kind in ("input", "output"):
        numbers = [getattr(each, kind) for each in growth.caches]
        if len({*numbers}) != len(numbers):
            raise ValueError(f"expected each {kind} once, got {growth.caches}")
