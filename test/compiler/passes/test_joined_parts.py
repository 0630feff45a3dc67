"""Ops after a concatenation are computed with its parts, and give what numpy gives."""

from __future__ import annotations

import random
from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr

Array: TypeAlias = np.ndarray[Any, Any]

COLUMNS = 32


class Model:
    """
    Ops in any order over tensors of `n` rows, which are joined of parts and cut again.
    Numbers are small and whole, so that sums and products are exact.
    """

    def __init__(self, seed: int, rows: int):
        self.draw = random.Random(seed)
        numbers = np.random.default_rng(seed)
        shapes = [(rows, 2 * COLUMNS), (rows, COLUMNS), (3, 2 * COLUMNS)]
        self.inputs = [numbers.integers(-2, 3, s).astype(np.float32) for s in shapes]
        self.lines: list[str] = []
        self.values: dict[str, tuple[Array, str]] = {
            "%x": (self.inputs[0], typed(2 * COLUMNS)),
            "%y": (self.inputs[1], typed(COLUMNS)),
            "%z": (self.inputs[2], "tensor<3x64xf32>"),
        }

    def add(self, op: str, names: list[str], value: Array, type: str) -> str:
        """Writes an op; the name of its result."""
        name, (kind, *rest) = f"%{len(self.lines)}", op.split(" ", 1)
        types = ", ".join(self.values[each][1] for each in names)
        how = " ".join(rest)
        line = f"{name} = graph.{kind} {', '.join(names)} {how} : {types} -> {type}"
        self.lines.append(line)
        self.values[name] = value, type
        return name

    def pick(self, columns: int) -> str:
        """A value of as many columns, often the last."""
        fit = [n for n, (_, type) in self.values.items() if type == typed(columns)]
        return fit[-1] if self.draw.random() < 0.6 else self.draw.choice(fit)

    def cut(self) -> None:
        """Takes half of the columns of a value."""
        x = self.pick(2 * COLUMNS)
        at = self.draw.choice([0, COLUMNS])
        value = self.values[x][0][:, at : at + COLUMNS]
        self.add(rows_of("n", f'"0", "{at}"', COLUMNS), [x], value, typed(COLUMNS))

    def join(self) -> None:
        """Joins two halves, or pads a whole."""
        if self.draw.random() < 0.2:
            x, type = self.pick(2 * COLUMNS), 'tensor<?x64xf32, ["n + 2"]>'
            padded = np.pad(self.values[x][0], ((1, 1), (0, 0)), constant_values=2)
            how = "low = array<i64: 1, 0>, high = array<i64: 1, 0>, value = 2.0 : f64"
            name = self.add(f"pad {{{how}}}", [x], padded, type)
            name = self.add("relu", [name], np.maximum(padded, 0), type)
            middle = self.values[name][0][1:-1]
            how = rows_of("n", '"1", "0"', 2 * COLUMNS)
            self.add(how, [name], middle, typed(2 * COLUMNS))
            return
        a, b = self.pick(COLUMNS), self.pick(COLUMNS)
        both = np.concatenate([self.values[a][0], self.values[b][0]], 1)
        self.add("concat {axis = 1 : i64}", [a, b], both, typed(2 * COLUMNS))

    def compute(self) -> None:
        """Computes element by element, and keeps numbers small."""
        columns = self.draw.choice([1, 2, 2, 2]) * COLUMNS
        a, b = self.pick(columns), self.pick(columns)
        one, other = self.values[a][0], self.values[b][0]
        kind = self.draw.choice(["neg", "relu", "maximum", "sub", "mul", "greatest"])
        if kind == "neg":
            self.add("neg", [a], -one, typed(columns))
        elif kind == "relu":
            self.add("relu", [a], np.maximum(one, 0), typed(columns))
        elif kind == "greatest":
            top = one.max(1, keepdims=True)
            how = "reduce_max {axes = array<i64: 1>, keepdims = true}"
            name = self.add(how, [a], top, typed(1))
            self.add("maximum", [b, name], np.maximum(other, top), typed(columns))
        else:
            made = {"maximum": np.maximum, "sub": np.subtract, "mul": np.multiply}
            name = self.add(kind, [a, b], made[kind](one, other), typed(columns))
            low = self.values[name][0].clip(-3, 3)
            how = "clamp {min = -3.0 : f64, max = 3.0 : f64}"
            self.add(how, [name], low, typed(columns))

    def text(self) -> str:
        """The function, which returns the last value."""
        body, (_, type) = "\n  ".join(self.lines), self.values[self.last]
        args = ", ".join(
            f"{name}: {self.values[name][1]}" for name in ("%x", "%y", "%z")
        )
        return f"""func.func @main({args}) -> {type} {{
  {body}
  return {self.last} : {type}
}}"""

    @property
    def last(self) -> str:
        """The name of the last value."""
        return [*self.values][-1]


def rows_of(rows: str, starts: str, columns: int) -> str:
    """The op that cuts as many rows and columns of a value."""
    steps = "steps = array<i64: 1, 1>"
    return f'slice {{starts = [{starts}], sizes = ["{rows}", "{columns}"], {steps}}}'


def typed(columns: int) -> str:
    """The type of `n` rows."""
    return f'tensor<?x{columns}xf32, ["n"]>'


@pytest.mark.parametrize("seed", range(40))
def test_what_is_joined_and_cut(seed: int):
    models = [made(seed, rows) for rows in (5, 1, 0)]
    compiled = sr.compile(models[0].text())
    for model in models:
        wanted, _ = model.values[model.last]
        np.testing.assert_array_equal(compiled(*model.inputs), wanted)


def made(seed: int, rows: int) -> Model:
    """A model of some ops."""
    model = Model(seed, rows)
    for _ in range(model.draw.randint(4, 12)):
        model.draw.choice([model.cut, model.join, model.compute, model.compute])()
    return model
