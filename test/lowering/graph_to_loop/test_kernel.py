"""
An index that changes after its check is held to its range, so that a kernel stays in
its memory whatever another thread writes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Region
from xdsl.passes import ModulePass

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.graph import Graph
from static_runtime.dialects.graph.nest import Linear, Lookup
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.loop.ops.check_index import CheckIndexOp
from static_runtime.dialects.shape import Array

from ...dialects.graph.samples import (
    Case,
    at_sizes,
    examples,
    make_inputs,
    static_cases,
    symbolic_cases,
)

MARGIN = 64
"""Elements before and after an array, which no kernel may read or write."""

FAR = {4: (-(2**31), 2**31 - 1, 10**8), 8: (-(2**62) - 1, 2**63 - 1, -(10**8))}
"""Integers of a size, far from any range; their lower halves are as well."""

MARK = 99
"""What is in the margins."""


def lookups(case: Case) -> list[Lookup]:
    """The positions that an op looks up."""
    op = case.build(Block(arg_types=case.operands).args)
    return [each for nest in op.nests() or () for each in nest.lookups]


OPS = [
    op
    for op in Graph.operations
    if issubclass(op, GraphOp)
    and "```mlir" in (op.__doc__ or "")
    and "indices" in {name for name, _ in op.get_irdl_definition().operands}
    and any(lookups(each) for each in examples(op))
]


def test_the_ops_that_look_up():
    names = {op.name.removeprefix("graph.") for op in OPS}
    assert names >= {"embedding", "gather", "gather_nd", "index_select"}
    assert names >= {"scatter", "scatter_nd"}


def erase_checks(_: ModulePass, module: ModuleOp) -> None:
    """Leaves the indices of all kernels unchecked, as if they changed afterwards."""
    for op in list(module.walk()):
        if isinstance(op, CheckIndexOp):
            op.detach()
            op.erase()


def unchecked(case: Case) -> StaticModule:
    """The op of a case as a program without a check of its indices."""
    block = Block(arg_types=case.operands)
    op = case.build(block.args)
    block.add_ops([op, func.ReturnOp(*op.results)])
    types = ([*case.operands], [each.type for each in op.results])
    function = func.FuncOp("main", types, Region(block))
    names = [StringAttr(f"x{number}") for number in range(len(case.operands))]
    function.attributes["graph.input_names"] = ArrayAttr(names)
    driver = Driver(context(), Options(cache=False), "host", None, erase_checks)
    return make_module(*driver.compile(ModuleOp([function])))


def framed(array: Array) -> tuple[Array, Array]:
    """A copy of an array within margins, and all of it."""
    whole = np.full(array.size + 2 * MARGIN, MARK, array.dtype)
    inside = whole[MARGIN : MARGIN + array.size].reshape(array.shape)
    inside[...] = array
    return inside, whole


def held(index: Array, position: Lookup) -> Array:
    """The indices as a kernel uses them: from the front, and none beyond the last."""
    bound = int(str(position.bound))
    wide = index.astype(np.int64)
    if position.wraps:
        wide = np.where(wide < 0, wide + bound, wide)
    known = np.where((wide < 0) | (wide >= bound), bound - 1, wide)
    return known.astype(index.dtype)


def hold(case: Case, inputs: Sequence[Array]) -> list[Array]:
    """The inputs with each index as a kernel uses it."""
    result = [each.copy() for each in inputs]
    for position in lookups(case):
        indices = result[position.operand]
        *_, last = position.at or (Linear(),)
        if position.at and not last.factors:
            # One number for each of several axes.
            column = indices[..., int(str(last.offset))]
            column[...] = held(column, position)
        else:
            indices[...] = held(indices, position)
    return result


def spoilt(case: Case, inputs: Sequence[Array], seed: int) -> list[Array]:
    """The inputs with many indices out of range, by little and by much."""
    random = np.random.default_rng(seed)
    result = [framed(each)[0] for each in inputs]
    for number in {each.operand for each in lookups(case)}:
        indices = result[number]
        far = random.choice(FAR[indices.dtype.itemsize], indices.shape)
        near = random.integers(-MARGIN // 8, MARGIN // 8, indices.shape)
        bad = np.where(random.random(indices.shape) < 0.5, far, near)
        indices[...] = bad.astype(indices.dtype)
    return result


def runs(op: type[GraphOp]) -> Iterator[tuple[Case, Case]]:
    """Cases of an op, each with itself in known sizes."""
    for case in static_cases(op):
        yield case, case
    for case in symbolic_cases(op):
        sizes = dict(zip(case.symbols, (5, 3, 7, 6), strict=False))
        yield case, at_sizes(case, {name: sizes[name] for name in case.symbols})


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_an_index_that_changed_after_its_check_is_held(op: type[GraphOp]):
    tried = 0
    for case, known in runs(op):
        inputs = make_inputs(known, tried, special=False)
        if inputs is None or any(each.size == 0 for each in inputs):
            continue
        spoilt_inputs = spoilt(known, inputs, tried)
        answer = known.build(Block(arg_types=known.operands).args).run_reference(
            hold(known, spoilt_inputs), {}
        )
        place, whole = framed(np.zeros_like(answer[0]))
        got: Any = unchecked(case)(*spoilt_inputs, out=place)
        np.testing.assert_allclose(got, answer[0], rtol=1e-6, err_msg=str(case))
        assert (whole[:MARGIN] == whole.dtype.type(MARK)).all(), case
        assert (whole[-MARGIN:] == whole.dtype.type(MARK)).all(), case
        tried += 1
        if tried == 8:
            break
    assert tried > 2
