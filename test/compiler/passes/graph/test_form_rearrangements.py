"""Chains of ops that move elements, among others, give what their references give."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

SIZES = (1, 2, 3, 4, 6, 8, 16, 32)


class Model:
    """A chain of ops, as text and as what numpy makes of the same."""

    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        shape = [self.draw.choice(SIZES) for _ in range(self.draw.randint(2, 3))]
        self.value = self.array(*shape)
        self.x = self.value
        self.lines: list[str] = []
        self.count = 0
        self.start = self.type

    def array(self, *shape: int) -> np.ndarray[Any, Any]:
        """Small whole numbers: sums and products of them are exact."""
        return self.numbers.integers(-3, 4, shape).astype(np.float32)

    @property
    def type(self) -> str:
        """The type of the value."""
        return typed(self.value)

    @property
    def name(self) -> str:
        """The name of the value."""
        return f"%{self.count}" if self.count else "%x"

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        """Writes a constant; its name."""
        name = f"%c{len(self.lines)}"
        text = str(array.tolist())
        self.lines.append(f"{name} = graph.constant dense<{text}> : {typed(array)}")
        return name

    def add(
        self, text: str, value: np.ndarray[Any, Any], *others: tuple[str, str]
    ) -> None:
        """Writes an op of the value, and what it makes."""
        op, *rest = text.split(" ", 1)
        names = ", ".join([self.name, *(name for name, _ in others)])
        types = ", ".join([self.type, *(type for _, type in others)])
        self.count, self.value = self.count + 1, value
        line = f"{self.name} = graph.{op} {names} {' '.join(rest)}"
        self.lines.append(f"{line} : {types} -> {self.type}")

    def move(self) -> None:
        """Splits axes, orders them and joins them, or repeats what is along one."""
        shape = [*self.value.shape]
        if self.draw.random() < 0.25 and self.value.size < 4000:
            axis = self.draw.randrange(len(shape))
            at = np.array([each // 2 for each in range(2 * shape[axis])])
            how = f"index_select {{axis = {axis} : i64, wraps = false}}"
            index = self.constant(at), typed(at)
            self.add(how, self.value.take(at, axis), index)
            return
        parts = [
            part
            for size in shape
            for part in ((2, size // 2) if size % 2 == 0 and size > 2 else (size,))
        ]
        self.reshape(parts)
        order = self.draw.sample(range(len(parts)), len(parts))
        if self.draw.random() < 0.5:
            order.append(order.pop(order.index(len(parts) - 1)))
        named = ", ".join(map(str, order))
        self.add(
            f"permute {{order = array<i64: {named}>}}", self.value.transpose(order)
        )
        shape = [*self.value.shape]
        while len(shape) > 2:
            at = self.draw.randrange(len(shape) - 1)
            shape[at : at + 2] = [shape[at] * shape[at + 1]]
        self.reshape(shape)

    def reshape(self, shape: list[int]) -> None:
        """Writes a view."""
        names = ", ".join(f'"{each}"' for each in shape)
        self.add(f"reshape {{shape = [{names}]}}", self.value.reshape(shape))

    def compute(self) -> None:
        """Computes with the value: by elements, by a product, beside others, padded."""
        kind = self.draw.choice(["relu", "add", "matmul", "concat", "pad"])
        if kind == "relu":
            self.add("relu", np.maximum(self.value, 0))
        elif kind == "add":
            other = self.array(*self.value.shape[1:])
            self.add("add", self.value + other, (self.constant(other), typed(other)))
        elif kind == "matmul" and self.value.shape[-1] <= 64:
            w = self.array(self.value.shape[-1], self.draw.choice([16, 32, 48]))
            self.add("matmul", self.value @ w, (self.constant(w), typed(w)))
        elif kind == "concat":
            other = self.array(*self.value.shape[:-1], 3)
            both = np.concatenate([self.value, other], -1)
            axis = self.value.ndim - 1
            name = self.constant(other)
            self.add(f"concat {{axis = {axis} : i64}}", both, (name, typed(other)))
        elif kind == "pad":
            ones = ", ".join(["1"] * self.value.ndim)
            how = f"low = array<i64: {ones}>, high = array<i64: {ones}>"
            self.add(f"pad {{{how}, value = 0.0 : f64}}", np.pad(self.value, 1))

    def text(self) -> str:
        """The function."""
        body = "\n  ".join(self.lines)
        return f"""func.func @main(%x: {self.start}) -> {self.type} {{
  {body}
  return {self.name} : {self.type}
}}"""


def typed(array: np.ndarray[Any, Any]) -> str:
    """The type of an array."""
    element = "i64" if array.dtype == np.int64 else "f32"
    return "tensor<" + "".join(f"{size}x" for size in array.shape) + element + ">"


@pytest.mark.parametrize("seed", range(30))
def test_chains_of_moves(seed: int):
    model = Model(seed)
    for _ in range(model.draw.randint(3, 6)):
        if model.value.size > 20000:
            break
        model.draw.choice([model.move, model.compute])()
    model.move()
    for threads in (1, 2):
        run = sr.compile(model.text(), options=sr.Options(threads=threads))
        np.testing.assert_array_equal(run(model.x), model.value)
