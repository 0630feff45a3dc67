"""
Every op of the graph dialect passes the harness: its results lie in planned memory, at
one shape, at another, and at the first again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import FunctionType
from xdsl.ir import Block, Operation, SSAValue

from static_runtime.compiler.library.cases import module_of
from static_runtime.dialects.dims import product
from static_runtime.dialects.graph.literal import to_names
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.bitwise import BitwiseNotOp
from static_runtime.dialects.graph.ops.index_select import IndexSelectOp
from static_runtime.dialects.graph.ops.iota import IotaOp
from static_runtime.dialects.graph.ops.reshape import ReshapeOp
from static_runtime.dialects.shape import Array, sizes, tensor_type

from ...harness import check, compiled_alike, covering
from .samples import (
    Case,
    accepted,
    at_sizes,
    index_limits,
    make_inputs,
    static_cases,
    symbolic_cases,
)
from .test_every_op import OPS, OPS_ON_TENSORS, expected, leeway

MODELS = 10
"""The models that have all ops together."""

FIRST = 1
"""The cases of an op that each run of the tests has."""

FEWER = 100
"""More than the examples of an op."""

SIZES = ((5, 19), (5, 0), (19, 1))
"""The values of symbols in a call, and in another; others than the first in soaks."""


def in_planned_memory(cases: Sequence[Case]) -> str:
    """
    A model of each case, on inputs of its own. What a case computes is no output, which
    has memory of its own: the output is that in reverse order, which is read by indices
    so that the two ops are no kernel together.
    """
    module = module_of(cases)
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    end = function.body.block.last_op
    assert isinstance(end, func.ReturnOp)
    outputs = [reversed_(result, end) for result in end.arguments]
    function.body.block.insert_op_before(func.ReturnOp(*outputs), end)
    end.detach()
    types = [each.type for each in outputs]
    function.function_type = FunctionType.from_lists(
        list(function.function_type.inputs), types
    )
    return str(module)


def reversed_(value: SSAValue, end: Operation) -> SSAValue:
    """The elements of a value in reverse order, computed before the end of a block."""
    count = product(sizes(tensor_type(value)))
    ops: list[GraphOp] = [
        row := ReshapeOp(value, shape=to_names([count])),
        first := IotaOp(size=str(count)),
        last := BitwiseNotOp(first.results[0]),
        taken := IndexSelectOp(row.results[0], last.results[0], axis=0, wraps=True),
    ]
    block = end.parent
    assert block is not None
    block.insert_ops_before(ops, end)
    return taken.results[0]


def at(case: Case, *values: int) -> Case | None:
    """A case of known sizes: of the first values of its symbols that it takes."""
    for value in values:
        alike = [value for _ in case.symbols]
        rising = [value + number for number, _ in enumerate(alike)]
        for several in (alike, rising, rising[::-1]):
            known = at_sizes(case, dict(zip(case.symbols, several, strict=True)))
            if accepted(known) and make_inputs(known, 0, False) is not None:
                return known
    return None


def calls_of(
    op: type[GraphOp], number: int, pair: tuple[int, int]
) -> Iterator[tuple[Case, Case, Case]]:
    """Cases of an op of this number, each at the one sizes too, and at the others."""
    if op not in OPS_ON_TENSORS:
        case = next(iter(static_cases(op)))
        yield case, case, case
    else:
        for case in symbolic_cases(op, FEWER * number):
            one, other = (at(case, each, *SIZES[0], 1) for each in pair)
            assert one is not None
            assert other is not None
            yield case, one, other


def inputs_of(cases: Sequence[Case]) -> list[Array]:
    """Inputs of cases of known sizes, one case after the other."""
    return [array for case in cases for array in make_inputs(case, 2, False) or ()]


def slack_of(cases: Sequence[Case]) -> list[float]:
    """How far each result of cases may be from its reference besides rounding."""
    found: list[float] = []
    for case in cases:
        inputs = make_inputs(case, 2, False) or []
        found += leeway(case, inputs, [*map(np.asarray, expected(case, inputs))])
    return found


def beyond(cases: Sequence[Case]) -> Iterator[list[Array]]:
    """Inputs with an index that is beyond what it looks up."""
    start = 0
    for case in cases:
        op = case.build(Block(arg_types=case.operands).args)
        for number, (_, bound) in index_limits(op).items():
            inputs = inputs_of(cases)
            if inputs[start + number].size:
                inputs[start + number].flat[-1] = bound
                yield inputs
        start += len(case.operands)


def tried() -> Iterator[Any]:
    """
    The first cases of ops by the dozen, with options of their own for each dozen; in
    `make soak` all cases of an op, with each two values of options together.
    """
    for number in range(MODELS):
        several = OPS[number::MODELS]
        yield pytest.param(several, FIRST, number, id=f"{number}")
    for op in OPS:
        soak = pytest.mark.soak
        yield pytest.param([op], None, None, marks=soak, id=op.name)


@pytest.mark.sampled(every=10, start=2)
@pytest.mark.parametrize(("ops", "most", "dozen"), [*tried()])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_passes_the_harness(
    ops: Sequence[type[GraphOp]], most: int | None, dozen: int | None
):
    for pair in SIZES[:1] if most else SIZES:
        known = [
            each
            for number, op in enumerate(ops)
            for each in islice(calls_of(op, number, pair), most)
        ]
        cases, one, other = ([*each] for each in zip(*known, strict=True))
        check(
            in_planned_memory(cases),
            inputs_of(one),
            inputs_of(other),
            combinations=covering(2) if dozen is None else compiled_alike(dozen),
            bad=[*beyond(one)],
            slack=[slack_of(one), slack_of(other)],
        )
