"""
Every op of the graph dialect computes in machine code what its numpy reference does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, cycle, islice
from random import Random
from typing import Any

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.target import find_target
from static_runtime.compiler.library.cases import module_of
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.graph import Graph
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.control_flow import LoopOp
from static_runtime.dialects.shape import Array

from ...as_host import skip_unless_runs
from ...harness import as_numbers, compare
from .samples import (
    RUNS,
    Case,
    accepted,
    at_sizes,
    make_inputs,
    shapes,
    static_cases,
    symbolic_cases,
)

TARGETS = ("x86-64", "x86-64-v3", "host")

FEW = 1
"""The cases of an op that each run of the tests has, for the host alone."""

FIRST = 12
"""How many cases those are chosen from."""

SOME = {"x86-64": 6, "x86-64-v3": 6, "host": 8}
"""The most that `make test-rest` has, for each target."""

NEWS = {"x86-64": 2, "x86-64-v3": 2, "host": 1}
"""The least that each of them has and none before it, of what `traits` tells."""

# Ops on containers and futures, which never reach machine code, leaves without
# operands, and what is more than its operands: regions, a symbol for what comes after,
# code of others.
WITHOUT_CASES = {
    "graph.foreign",
    *("graph.constant", "graph.fusion", "graph.concat_list"),
    *(
        "graph.if",
        "graph.loop",
        "graph.parallel",
        "graph.fork",
        "graph.wait",
        "graph.define_symbol",
        "graph.require",
    ),
    *("graph.list_construct", "graph.list_unpack", "graph.tuple_construct"),
    *("graph.tuple_get", "graph.dict_construct", "graph.dict_get"),
}
OPS = [
    op
    for op in Graph.operations
    if issubclass(op, GraphOp) and op.name not in WITHOUT_CASES
]

# What computes a tensor from a size has no operand that could have a symbol.
BOUNDED = {"graph.dequantize_words"}
"""Ops whose passes see to it that no operand is infinite, NaN or near either."""

WITHOUT_OPERANDS = {"graph.dim", "graph.iota"}
OF_KNOWN_SIZES = {"graph.unpack"}
"""Ops with an attribute that knows all sizes."""

OPS_ON_TENSORS = [op for op in OPS if op.name not in WITHOUT_OPERANDS | OF_KNOWN_SIZES]


def compile_cases(cases: Sequence[Case], target: str) -> StaticModule:
    """One program that runs each case on inputs of its own."""
    driver = Driver(context(), Options(cache=False), target, None)
    artifact, report = driver.compile(module_of(cases))
    skip_unless_runs(target)
    return make_module(artifact, report)


def expected(case: Case, inputs: Sequence[Array]) -> Sequence[Array]:
    """What the reference computes for a case of known sizes."""
    op = case.build(Block(arg_types=case.operands).args)
    with np.errstate(all="ignore"):
        return op.run_reference(inputs, {})


def several(results: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    """What a module returns, as a tuple even of one."""
    return results if isinstance(results, tuple) else (results,)


def leeway(case: Case, inputs: Sequence[Array], wanted: Sequence[Array]) -> list[float]:
    """
    How far each result of a loop moves when its inputs do, by a few roundings.

    A loop takes what it computed, so that it may make any rounding larger; zero for all
    else, which is held to the precision of its elements.
    """
    op = case.build(Block(arg_types=case.operands).args)
    if case.op.decompose is GraphOp.decompose:
        return [0.0 for _ in op.results]
    with ImplicitBuilder(made := Block()):
        op.decompose()
    if not any(isinstance(each, LoopOp) for each in made.ops):
        return [0.0 for _ in op.results]
    random = np.random.default_rng(2)
    nearby = [
        x
        * (
            1
            + random.choice([-16, 16], x.shape).astype(x.dtype) * np.finfo(x.dtype).eps
        )
        if x.dtype.kind == "f"
        else x
        for x in inputs
    ]
    with np.errstate(all="ignore"):
        pairs = zip(wanted, expected(case, nearby), strict=True)
        moves = [np.abs(as_numbers(a) - as_numbers(b)) for a, b in pairs]
    return [float(each[np.isfinite(each)].max(initial=0)) for each in moves]


@cache
def is_like_host(target: str) -> bool:
    """Whether the host's vectors and registers are those of a target."""
    this, that = (find_target(each) for each in ("host", target))
    same = (this.vector == that.vector, this.registers == that.registers)
    return all(same) and this.fma == that.fma


def pairs() -> Iterator[Any]:
    """
    Every op for the host by its first case; in `make test-rest` for the host and one
    other target by some of them; in `make soak` by all of them, and for every target.
    What is made of other ops, and a target that has what the host has, are left to
    that.
    """
    others = cycle(each for each in TARGETS if each != "host")
    for op, other in zip(OPS, others, strict=False):
        is_made_of_others = op.decompose is not GraphOp.decompose
        kinds = [(each, most) for each in TARGETS for most in (SOME[each], None)]
        for target, most in [("host", FEW), *kinds]:
            again = target != "host" and (is_made_of_others or is_like_host(target))
            later = most is None or again or target not in ("host", other)
            mark = pytest.mark.soak if later else pytest.mark.full
            marks = () if most == FEW else (mark,)
            name = f"{op.name}-{target}-{most or 'all'}"
            yield pytest.param(op, target, most, marks=marks, id=name)


@cache
def cases_of(op: type[GraphOp]) -> Sequence[Case]:
    """The cases of an op, which are those of every target."""
    return [*static_cases(op)]


def traits(case: Case) -> set[object]:
    """What of a case may take code of its own: dtypes, sizes and where they are."""
    known = shapes(case)
    found: set[object] = {
        tuple(str(kind) for _, kind in known),
        str(dict(case.properties)),
    }
    for number, (shape, _) in enumerate(known):
        found |= {(number, axis, kind_of(size)) for axis, size in enumerate(shape)}
    return found


def kind_of(size: int) -> int:
    """Which trips a size has: none, one, less than a vector, vectors and a rest."""
    return sum(size > bound for bound in (0, 1, 7))


def chosen(cases: Sequence[Case], most: int | None, target: str) -> Sequence[Case]:
    """
    The first case and some others, or all: each is one of those with the most that none
    before it has, so that few cases have nearly all that there is. Where several have,
    targets take different ones.
    """
    if most is None or len(cases) <= most:
        return cases
    of_each = [traits(case) for case in cases]
    order = [0, *Random(target).sample(range(1, len(cases)), len(cases) - 1)]
    found, known = [0], {*of_each[0]}
    while len(found) < most:
        rest = [each for each in order if each not in found]
        best = max(rest, key=lambda each: len(of_each[each] - known))
        if len(of_each[best] - known) < NEWS[target]:
            break
        found.append(best)
        known |= of_each[best]
    return [cases[each] for each in sorted(found)]


@pytest.mark.parametrize(("op", "target", "most"), [*pairs()])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_computes_the_reference(op: type[GraphOp], target: str, most: int | None):
    # Where few are taken, the first of them will do: an op may have hundreds.
    is_few = most is not None and most <= FEW
    every = [*islice(static_cases(op), FIRST)] if is_few else cases_of(op)
    cases = [
        case
        for case in chosen(every, most, target)
        if make_inputs(case, 1, False) is not None
    ]
    assert cases, "every op has a case"
    module = compile_cases(cases, target)
    for special in {False, op.name not in BOUNDED}:
        arrays = [make_inputs(case, 1, special) or [] for case in cases]
        results = iter(several(module(*chain.from_iterable(arrays))))
        for case, inputs in zip(cases, arrays, strict=True):
            wanted = expected(case, inputs)
            more = leeway(case, inputs, wanted)
            for want, each in zip(wanted, more, strict=True):
                compare(next(results), np.asarray(want), case, each)
        assert not list(results)


def at_open_sizes() -> Iterator[Any]:
    """
    One op of a dozen for the host by one case; in `make test-rest` all by all of
    theirs, and in `make soak` for the other targets.
    """
    for number, op in enumerate(OPS_ON_TENSORS):
        if number % 12 == 6:
            yield pytest.param(op, "host", 1, id=f"{op.name}-host-1")
        for target in TARGETS:
            mark = pytest.mark.full if target == "host" else pytest.mark.soak
            yield pytest.param(op, target, None, marks=mark, id=f"{op.name}-{target}")


@pytest.mark.parametrize(("op", "target", "most"), [*at_open_sizes()])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_computes_the_reference_at_sizes_known_when_it_runs(
    op: type[GraphOp], target: str, most: int | None
):
    cases = [*symbolic_cases(op)][:most]
    assert cases, "every op on tensors has a case"
    module = compile_cases(cases, target)
    runs = [runs_of(case) for case in cases]
    # The cases that a call is not about run at sizes that they accept.
    usual = [next(run for run in each if run.inputs is not None) for each in runs]
    for at in range(len(runs[0])):
        together = [
            run if run.inputs is not None else other
            for run, other in zip([each[at] for each in runs], usual, strict=True)
        ]
        results = iter(several(module(*arguments(together))))
        for known, inputs in ((run.known, run.inputs or []) for run in together):
            wanted = expected(known, inputs)
            more = leeway(known, inputs, wanted)
            for want, each in zip(wanted, more, strict=True):
                compare(next(results), np.asarray(want), known, each)
        assert not list(results)
    for number, each in enumerate(runs):
        for run in each:
            if run.refused is not None:
                others = [*usual[:number], run, *usual[number + 1 :]]
                with pytest.raises(ValueError, match="expected"):
                    module(*arguments(others))


@dataclass(frozen=True)
class Run:
    """A symbolic case at some sizes, and its arguments there."""

    known: Case
    inputs: list[Array] | None
    """None where the sizes are refused, or leave no index to look up."""

    refused: list[Array] | None
    """Arrays of sizes that are refused."""


def runs_of(case: Case) -> list[Run]:
    """A symbolic case at several sizes."""
    runs: list[Run] = []
    for number, symbols in enumerate(values_of(case.symbols)):
        known = at_sizes(case, symbols)
        if accepted(known):
            runs.append(Run(known, make_inputs(known, number, special=False), None))
        else:
            refused = [np.zeros(shape, kind) for shape, kind in shapes(known)]
            runs.append(Run(known, None, refused))
    return runs


def arguments(runs: Sequence[Run]) -> list[Array]:
    """What the module of several cases is called with, for one run of each."""
    return [array for run in runs for array in run.inputs or run.refused or ()]


def values_of(symbols: Sequence[str]) -> list[Mapping[str, int]]:
    """Values for symbols, from all alike to all different."""
    alike = [dict.fromkeys(symbols, value) for value in RUNS]
    spread = [
        {name: RUNS[(at + start) % len(RUNS)] for at, name in enumerate(symbols)}
        for start in range(2)
    ]
    return [*alike, *spread]


def test_every_op_has_a_kernel():
    fallbacks = {
        op.name
        for op in OPS
        if op.nests is GraphOp.nests
        and op.choice is GraphOp.choice
        and op.ranking is GraphOp.ranking
        and op.descent is GraphOp.descent
        and op.decompose is GraphOp.decompose
        and not op.IS_VIEW
    }
    assert not fallbacks
