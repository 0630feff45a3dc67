"""
Every op of the graph dialect, with each size of its operands and each of its properties
at the edges of what they can be, is refused by its verifier, or compiles.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest

from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.library.cases import examples, module_of
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.dims import Dim, dim
from static_runtime.dialects.graph.literal import to_attribute, to_values
from static_runtime.dialects.graph.op import GraphOp

from ...hostile.outcome import Lowered, without_llvm
from .samples import Case, accepted, numbers, resized
from .test_every_op import OPS

SIZES: tuple[Dim, ...] = (0, 1, *map(dim, ("n", "2 * n", "n + 1", "floordiv(n, 2)")))
"""What each size becomes: none, one, open, and computed from one that is open."""

WHOLE = (0, 1, -1, 3, 2**31, 2**62, -(2**63))
REAL = (0.0, -1.0, 1e300, float("inf"), float("nan"))
TEXTS = ("0", "1", "n", "2 * n", "n + 1", "-1", "4611686018427387904", "", "none")

SOME = (4, 8)
"""The cases of an op in `make test`, which has some ops, and in `make test-rest`."""


def edges(case: Case) -> Iterator[Case]:
    """A case with each of its sizes, and each number of a property, at an edge."""
    for number in numbers(case):
        for size in SIZES:
            yield resized(case, {number: size})
    for size in SIZES:
        yield resized(case, dict.fromkeys(numbers(case), size))
    for name, value in to_values(case.properties).items():
        for other in others(value):
            properties = {**case.properties, name: to_attribute(other)}
            yield replace(case, properties=properties)


def others(value: Any) -> Iterator[Any]:
    """What the value of a property becomes."""
    match value:
        case bool():
            yield not value
        case int():
            yield from WHOLE
        case float():
            yield from REAL
        case str():
            yield from TEXTS
        case tuple():
            several = cast("tuple[Any, ...]", value)
            yield ()
            for at, each in enumerate(several):
                for other in others(each):
                    yield (*several[:at], other, *several[at + 1 :])
        case _:
            pass


def lower(cases: Sequence[Case]) -> None:
    """Compiles cases, but for the work of LLVM."""
    driver = Driver(context(), Options(cache=False), "host", None)
    with suppress(Lowered), without_llvm(True):
        driver.compile(module_of(cases))


@pytest.mark.sampled(every=31)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
@pytest.mark.parametrize(
    "most",
    [
        SOME[0],
        pytest.param(SOME[1], marks=pytest.mark.full),
        pytest.param(None, marks=pytest.mark.soak),
    ],
    ids=["few", "some", "all"],
)
@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
def test_is_refused_or_compiles(op: type[GraphOp], most: int | None):
    every = [edge for each in examples(op) for edge in edges(each)]
    found = [each for each in every if accepted(each)]
    if most is not None:
        found = Random(op.name).sample(found, min(most, len(found)))
    wrong = list[str]()
    for each in found:
        try:
            lower([each])
        except CompileError:
            pass  # as a size that no input has
        except Exception as error:
            wrong.append(f"{each}: {type(error).__name__}: {error}"[:300])
    assert not wrong, "\n".join(wrong)
