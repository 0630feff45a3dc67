"""Forks and waits in any order compute what they do one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

import static_runtime as sr
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.passes.graph.eliminate_futures import EliminateFutures
from static_runtime.dialects.graph import ForkOp, ParallelOp, WaitOp, run_ops
from static_runtime.dialects.shape import Array

from ....models.forks import LOOKED_UP

T = "tensor<4xf32>"
FUTURE = f"!graph.future<{T}>"


class RandomForks:
    """A text of ops, forks and waits, in an order that a number decides."""

    def __init__(self, seed: int):
        """The lines of a function, up to what it returns."""
        self.random, self.count = Random(seed), 0
        values = ["%x"]
        self.lines = [*self.block(values, [], depth=2)]
        self.result = values[-1]

    def name(self) -> str:
        """A name that is new."""
        self.count += 1
        return f"%v{self.count}"

    def block(self, values: list[str], futures: list[str], depth: int) -> Iterator[str]:
        """Ops on values and futures, to which it adds its own."""
        for _ in range(self.random.randrange(2, 9)):
            what = self.random.random()
            if what < 0.35 and depth:
                yield from self.fork(values, futures, depth - 1)
            elif what < 0.6 and futures:
                future = self.random.choice(futures)
                values.append(made := self.name())
                yield f"{made} = graph.wait {future} : {FUTURE} -> {T}"
            else:
                op = self.random.choice(["add", "sub", "maximum"])
                one, other = self.random.choices(values, k=2)
                values.append(made := self.name())
                yield f"{made} = graph.{op} {one}, {other} : {T}, {T} -> {T}"

    def fork(self, values: list[str], futures: list[str], depth: int) -> Iterator[str]:
        """A fork that takes some values and futures."""
        taken = self.random.choices(values, k=self.random.randrange(1, 3))
        handed = self.random.choices(
            futures, k=self.random.randrange(2) if futures else 0
        )
        inner, ahead = [self.name() for _ in taken], [self.name() for _ in handed]
        arguments = ", ".join(
            [f"{each}: {T}" for each in inner] + [f"{each}: {FUTURE}" for each in ahead]
        )
        types = ", ".join([T] * len(taken) + [FUTURE] * len(handed))
        given = ", ".join([*taken, *handed])
        futures.append(made := self.name())
        yield f"{made} = graph.fork {given} : {types} -> {FUTURE} {{"
        yield f"^bb0({arguments}):"
        yield from self.block(inner, ahead, depth)
        yield f"graph.yield {inner[-1]} : {T}"
        yield "}"

    @property
    def text(self) -> str:
        """The whole function."""
        body = "\n".join([*self.lines, f"return {self.result} : {T}"])
        return f"func.func @main(%x: {T}) -> {T} {{\n{body}\n}}"


def interpreted(module: ModuleOp, x: Array) -> Array:
    """What the references of a module's ops compute."""
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    block = function.body.block
    (result,) = run_ops(block, dict(zip(block.args, [x], strict=True)), {})
    return result


@pytest.mark.parametrize("count", [15, pytest.param(60, marks=pytest.mark.full)])
def test_any_order_of_forks_and_waits_gives_the_same(count: int):
    x = np.array([1.5, -2, 0.25, 7], np.float32)
    waits = several = 0
    for seed in range(count):
        text = RandomForks(seed).text
        ctx = context()
        module = parse_module(ctx, text, "forks")
        module.verify()
        expected = interpreted(module, x)
        waits += any(isinstance(each, WaitOp) for each in module.walk())
        EliminateFutures().apply(ctx, module)
        module.verify()
        left = [*module.walk()]
        assert not any(isinstance(each, ForkOp | WaitOp) for each in left), text
        several += any(isinstance(each, ParallelOp) for each in left)
        np.testing.assert_array_equal(interpreted(module, x), expected, text)
    assert waits > count // 2
    assert several > count // 4


@pytest.mark.usefixtures("runs_host")
def test_the_error_of_the_first_fork_is_told():
    module = sr.compile(LOOKED_UP, options=sr.Options(cache=False, threads=2))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    good, bad, worse = (np.array([each]) for each in (1, 5, 99))
    for _ in range(20):
        with pytest.raises(IndexError, match=r"look up i: .* got 5"):
            module(x, bad, worse)
        with pytest.raises(IndexError, match=r"look up j: .* got 99"):
            module(x, good, worse)
        np.testing.assert_array_equal(module(x, good, good)[0], 2 * x[1:2])


@pytest.mark.usefixtures("runs_host")
def test_an_error_of_a_fork_is_one_of_its_future():
    module = sr.compile(LOOKED_UP, options=sr.Options(cache=False, threads=2))
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    good, bad = np.array([1]), np.array([5])
    later = [module.runtime.run_async((x, each, good)) for each in (good, bad, good)]
    first, second, third = later
    with pytest.raises(IndexError, match="look up i"):
        second.result()
    for each in (first, third):
        np.testing.assert_array_equal(each.result()[0], 2 * x[1:2])
