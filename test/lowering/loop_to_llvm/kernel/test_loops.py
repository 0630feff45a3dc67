"""
The order of a sum of floats is that of `loop.for`, however its loop is run: along
vectors or across them, over axes side by side or not, with sizes known or not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import static_runtime as sr
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.loop.set_target import SetTarget
from static_runtime.dialects.loop.target import target_of

Array: TypeAlias = np.ndarray[Any, Any]

COUNTS = (1, 3, 7, 8, 9, 16, 17, 31, 33, 49, 64, 65, 130, 277)
"""Elements of a sum: less than a vector, whole rounds of partial sums, some left."""

COLUMNS = 5


@cache
def partials() -> int:
    """The partial sums of f32 on this machine."""
    SetTarget(cpu="host").apply(context(), module := ModuleOp([]))
    return target_of(module).lanes(32)


def halved(parts: Array, count: int) -> Array:
    """Partial sums added by halves to a number of them."""
    while len(parts) > count:
        parts = parts[: len(parts) // 2] + parts[len(parts) // 2 :]
    return parts


def in_order(values: Array) -> Array:
    """The sum along the first axis in the order of `loop.for`."""
    few, done = partials(), 0
    parts = np.zeros((few, *values.shape[1:]), values.dtype)
    for unit in (4 * few, few):
        whole = len(values) // unit * unit
        rounds = values[done:whole].reshape(-1, unit, *values.shape[1:])
        mine = (
            parts
            if unit == few
            else np.zeros_like(values, shape=(unit, *values.shape[1:]))
        )
        for each in rounds:
            mine = mine + each
        parts, done = halved(mine, few), whole
    total = halved(parts, 1)[0]
    for each in values[done:]:
        total = total + each
    return total


def in_turn(values: Array) -> Array:
    """The sum along the first axis, each element after the one before."""
    total = np.zeros_like(values[0])
    for each in values:
        total = total + each
    return total


def long(values: Array) -> Array:
    """What the long body of a case computes."""
    for _ in range(8):
        values = values * np.float32(1.25) + np.float32(0.5)
    return values


LONG = "".join(
    f"""
  %p{n} = graph.mul %x{n}, %scale : T, tensor<f32> -> T
  %x{n + 1} = graph.add %p{n}, %shift : T, tensor<f32> -> T"""
    for n in range(8)
)


@dataclass(frozen=True)
class Case:
    """A function of one input, its shape for a number of elements, and its result."""

    shape: tuple[int | str, ...]
    result: tuple[int | str, ...]
    body: str
    expected: Callable[[Array], Array]

    def text(self, count: int | str) -> str:
        """The function for a number of elements, or a symbol."""
        body = "".join(f"\n  {line}" for line in self.body.splitlines() if line)
        result = typed(self.result, count)
        function = (
            f"func.func @model(%x0: T) -> R {{\n"
            "  %scale = graph.constant dense<1.25> : tensor<f32>\n"
            "  %shift = graph.constant dense<0.5> : tensor<f32>"
            f"{body}\n  return %sum : R\n}}"
        )
        return function.replace(" T", f" {typed(self.shape, count)}").replace(
            " R", f" {result}"
        )

    def input(self, count: int) -> Array:
        """An input for a number of elements."""
        shape = [count if each == "n" else each for each in self.shape]
        numbers = np.random.default_rng(count).standard_normal([int(s) for s in shape])
        return numbers.astype(np.float32)


def typed(shape: tuple[int | str, ...], count: int | str) -> str:
    """A tensor type, where `n` is a number of elements or a symbol."""
    sizes = [count if each == "n" else each for each in shape]
    known = "x".join(str(each) if isinstance(each, int) else "?" for each in sizes)
    symbols = ", ".join(f'"{each}"' for each in sizes if isinstance(each, str))
    return f"tensor<{known}xf32, [{symbols}]>" if symbols else f"tensor<{known}xf32>"


def summed(value: str, *axes: int) -> str:
    """The text of a sum."""
    numbers = ", ".join(map(str, axes))
    return (
        f"%sum = graph.sum {value} {{axes = array<i64: {numbers}>, keepdims = false}} "
        ": T -> R"
    )


CASES = {
    "along": Case((3, "n"), (3,), summed("%x0", 1), lambda x: in_order(x.T)),
    "along_many": Case((21, "n"), (21,), summed("%x0", 1), lambda x: in_order(x.T)),
    "across": Case(("n", COLUMNS), (COLUMNS,), summed("%x0", 0), in_order),
    "one_column": Case(("n", 1), (1,), summed("%x0", 0), in_order),
    "across_many": Case(("n", 67), (67,), summed("%x0", 0), in_order),
    "several_vectors": Case(("n", 179), (179,), summed("%x0", 0), in_order),
    "of_equal_sizes": Case(("n", "n"), ("n",), summed("%x0", 0), in_order),
    "long_along": Case(
        (3, "n"), (3,), LONG + "\n" + summed("%x8", 1), lambda x: in_order(long(x).T)
    ),
    "long_across": Case(
        ("n", 19), (19,), LONG + "\n" + summed("%x8", 0), lambda x: in_order(long(x))
    ),
    "two_axes": Case(
        (2, 3, "n", 5),
        (2, 5),
        summed("%x0", 1, 2),
        lambda x: in_order(x.reshape(2, -1, 5).swapaxes(0, 1)),
    ),
    "axes_apart": Case(
        (3, 4, "n"),
        (4,),
        summed("%x0", 0, 2),
        lambda x: parts_in_turn(x.swapaxes(0, 1)),
    ),
}


def parts_in_turn(values: Array) -> Array:
    """Of [row, part, element]: the sums of the parts, one onto the other."""
    totals: list[Array] = []
    for row in values:
        total = np.zeros((), np.float32)
        for part in row:
            few = partials()
            whole = len(part) // few * few
            total = total + in_order(part[:whole]) if whole else total
            for each in part[whole:]:
                total = total + each
        totals.append(total)
    return np.array(totals, np.float32)


@cache
def open_module(name: str) -> sr.StaticModule:
    """A case compiled for any number of elements."""
    return sr.compile(CASES[name].text("n"))


@pytest.mark.sampled(every=45)
@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("name", CASES)
def test_a_sum_is_added_up_in_the_order_of_the_loop(name: str, count: int):
    case = CASES[name]
    x = case.input(count)
    expected = case.expected(x)
    np.testing.assert_array_equal(sr.compile(case.text(count))(x), expected)
    np.testing.assert_array_equal(open_module(name)(x), expected)


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("count", COUNTS)
def test_functions_are_summed_up_in_one_order_along_and_across_vectors(count: int):
    x = np.random.default_rng(count).standard_normal((count, 19)).astype(np.float32)
    body = "%y = graph.sigmoid %x0 : T -> T\n"
    across = Case(("n", 19), (19,), body + summed("%y", 0), in_order)
    along = Case((19, "n"), (19,), body + summed("%y", 1), in_order)
    np.testing.assert_array_equal(
        sr.compile(across.text(count))(x), sr.compile(along.text("n"))(x.T.copy())
    )
