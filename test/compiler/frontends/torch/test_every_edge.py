"""
Every operator, with each size of its inputs and each number of its arguments at the
edges of what they can be: what torch exports is refused in a sentence, or computes what
torch computes.
"""

from __future__ import annotations

import signal
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from resource import RLIMIT_AS, getrlimit, setrlimit
from typing import Any

import numpy as np
import pytest
from xdsl.utils.hints import isa

torch = pytest.importorskip("torch")

from torch._ops import OpOverload  # noqa: E402

from static_runtime.compiler.frontends.torch import read_torch  # noqa: E402
from static_runtime.compiler.frontends.torch.readers import READERS  # noqa: E402
from static_runtime.compiler.ir.context import context  # noqa: E402
from static_runtime.compiler.session.errors import CompileError  # noqa: E402

from ..interpret import interpret  # noqa: E402
from .case import Case, Wrapped  # noqa: E402
from .test_operators import CASES  # noqa: E402

pytestmark = pytest.mark.torch

WHOLE = (0, 1, -1, 3, 2**31, 2**62)
REAL = (0.0, -1.0, 1e300, float("inf"), float("nan"))

SOME = 60
"""The cases of each run; `make soak` has all."""

MOST_COMPARED = 1 << 28
"""Elements of a result, at most, that is compared."""

REFUSALS = (
    *(RuntimeError, IndexError, TypeError, ValueError),
    *(ArithmeticError, AssertionError),
)
"""What torch raises for a case that it does not take; RuntimeError when it exports."""

BEYOND = " scaled beyond"
"""
The end of cases that sample points beyond an image, where torch multiplies what lies
there in memory by zero: at edges that is the memory of others.
"""

DEFINED = sorted(name for name in CASES if not name.endswith(BEYOND))
"""The cases that have one answer of torch at their edges."""

Make = Callable[[], Case | None]


OF_DIFFERENT = {"aten.topk.default", "aten.kthvalue.default"}
"""Operators whose order of equal numbers torch does not tell."""

ENDLESS = {"aten.max_pool1d.default", "aten.max_pool1d_with_indices.default"}
"""Operators in which torch counts the places of a window, whatever its size."""

UNDEFINED_WHEN_EMPTY = {"median of integers"}
"""Cases whose result of no elements is NaN as an integer, which C leaves undefined."""

MOST_MEMORY = 16 << 30
"""The address space that a process may have with a case; torch refuses one of more."""

LONGEST = 60
"""Seconds that numpy may take for a case: it runs the ops of a loop one by one."""


@contextmanager
def limited(seconds: int) -> Generator[None]:
    """Raises `TimeoutError` where its block takes longer."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def edges(name: str) -> Iterator[Make]:
    """What makes a case of each size, and of each number of an operator, at an edge."""
    case = CASES[name]
    yield lambda: replace(case, dim=torch.export.Dim.AUTO)
    for size in sorted({size for each in case.inputs for size in each.shape}):
        for to in (1,) if name in UNDEFINED_WHEN_EMPTY else (0, 1):
            yield lambda size=size, to=to: replace(
                case, inputs=tuple(resized(each, size, to) for each in case.inputs)
            )
    yield from numbers(case)


def resized(x: Any, size: int, to: int) -> Any:
    """A tensor with every axis of one size of another."""
    for axis, here in enumerate(x.shape):
        if here == size == 0:
            x = torch.ones([*x.shape[:axis], to, *x.shape[axis + 1 :]], dtype=x.dtype)
        elif here == size:
            x = x.index_select(axis, torch.zeros(to, dtype=torch.int64))
    return x


def numbers(case: Case) -> Iterator[Make]:
    """What makes a case of each operator that a case calls with another number."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program = torch.export.export(Wrapped(case.function), case.inputs)
            program = program.run_decompositions({})
    except REFUSALS:
        return
    for node in program.graph.nodes:
        if not isinstance(node.target, OpOverload) or str(node.target) not in READERS:
            continue
        for at, value in enumerate(node.args):
            for other in others(value):
                if str(node.target) in ENDLESS and isa(other, list[int]):
                    if max(other, default=0) >= 2**31:
                        continue
                yield lambda node=node, at=at, other=other: called(node, at, other)


def others(value: Any) -> Iterator[Any]:
    """What an argument becomes."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from WHOLE
    elif isinstance(value, float):
        yield from REAL
    elif isa(value, list[int]):
        yield []
        for at in range(len(value)):
            for other in WHOLE:
                yield [*value[:at], other, *value[at + 1 :]]


def called(node: Any, at: int, other: Any) -> Case | None:
    """A case of one operator with another argument; None where it takes no tensors."""
    arguments = [*node.args[:at], other, *node.args[at + 1 :]]
    places = [n for n, each in enumerate(arguments) if isinstance(each, torch.fx.Node)]
    values = [arguments[place].meta["val"] for place in places]
    if not all(isinstance(each, torch.Tensor) for each in values) or node.kwargs:
        return None
    if any(each.is_complex() for each in values):
        return None  # a model takes their parts
    inputs = tuple(
        torch.ones([int(size) for size in each.shape], dtype=each.dtype)
        for each in values
    )
    if str(node.target) in OF_DIFFERENT:
        inputs = tuple(
            each.flatten().cumsum(0).to(each.dtype).reshape(each.shape)
            for each in inputs
        )

    def call(*tensors: Any) -> Any:
        given = dict(zip(places, tensors, strict=True))
        return node.target(*(given.get(n, each) for n, each in enumerate(arguments)))

    return Case(call, inputs)


def verdict(case: Case | None) -> str:
    """What is wrong with what becomes of a case, if anything is."""
    if case is None:
        return ""
    shapes = None
    if case.dim is not None:
        sizes = [dict.fromkeys(range(each.ndim), case.dim) for each in case.inputs]
        shapes = (tuple(sizes),)
    try:
        wanted = case.function(*case.inputs)
        program = torch.export.export(
            Wrapped(case.function), case.inputs, dynamic_shapes=shapes
        )
    except REFUSALS:
        return ""  # torch refuses it
    ctx = context()
    try:
        module = read_torch(program, ctx)
        module.verify()
    except CompileError as error:
        return "" if "expected" in str(error) else str(error)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    with np.errstate(all="ignore"):
        try:
            with limited(LONGEST):
                got = interpret(
                    module, ctx.weights, [each.numpy() for each in case.inputs]
                )
        except IndexError:
            return ""  # torch does not check each index
        except ValueError as error:
            return f"refused: {error}"
        except TimeoutError:
            return ""  # as many steps as an array has elements
        except MemoryError:
            return ""  # a result that no machine of ours holds
    if any(np.size(each) > MOST_COMPARED for each in got):
        return ""  # a view, such as of 2**31 channels, which comparing would copy
    leaves = torch.utils._pytree.tree_leaves(wanted)
    expected = [each for each in leaves if each is not None]  # not asked for
    for mine, its in zip(got, expected, strict=True):
        try:
            torch.testing.assert_close(
                torch.from_numpy(np.array(mine)), its, equal_nan=True
            )
        except AssertionError as error:
            return f"differs: {error}"
    return ""


def wrong(found: Sequence[tuple[str, Make]]) -> list[str]:
    """What is wrong with cases, with the names of their parts."""
    before = getrlimit(RLIMIT_AS)
    setrlimit(RLIMIT_AS, (MOST_MEMORY, before[1]))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pairs = [(name, verdict(make())) for name, make in found]
    finally:
        setrlimit(RLIMIT_AS, before)
    return [f"{name}: {what[:300]}" for name, what in pairs if what]


def test_some_are_refused_or_compute_what_torch_does():
    # Numbers that are sizes, such as counts of repeats, are then those of each run.
    torch.manual_seed(0)
    names = Random(0).sample(DEFINED, SOME // 4)
    found = [(name, each) for name in names for each in edges(name)]
    assert not wrong(Random(0).sample(found, SOME))


@pytest.mark.soak
@pytest.mark.parametrize("name", DEFINED)
def test_is_refused_or_computes_what_torch_does(name: str):
    assert not wrong([(name, each) for each in edges(name)])
