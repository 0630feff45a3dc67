"""
Compute the rows of a batch one by one, where values between stay in caches.

Before:

    func.func @main(%x: tensor<?x3x224x224xf32, ["n"]>) {
      %1 = graph.conv %x, %w {…} : … -> tensor<?x32x112x112xf32, ["n"]>
      %2 = graph.relu %1 : … -> tensor<?x32x112x112xf32, ["n"]>
      %3 = graph.max_pool %2 {…} : … -> tensor<?x32x56x56xf32, ["n"]>

After:

    func.func @main(%x: tensor<?x3x224x224xf32, ["n"]>) {
      %3 = graph.loop %x {trips = "n", scanned = 1, …} : … {
      ^bb0(%a: tensor<3x224x224xf32>):
        %b = graph.reshape %a {shape = ["1", "3", "224", "224"]} : …
        %1 = graph.conv %b, %w {…} : … -> tensor<1x32x112x112xf32>
        %2 = graph.relu %1 : … -> tensor<1x32x112x112xf32>
        %4 = graph.max_pool %2 {…} : … -> tensor<1x32x56x56xf32>
        %5 = graph.reshape %4 {shape = ["32", "56", "56"]} : …
        graph.yield %5 : tensor<32x56x56xf32>
      }

A convolution of a batch writes more than a cache holds, and the next one reads it from
memory. Here the ops that a model begins with run for one row, then for the next, and
values between them have memory for one row. Each such op computes each row of its
result of the same row of its operands (`compiler/passes/row_wise.py`), so no bit
changes. The loop ends where it saves most: each row reads all weights again, so it
saves what is written and read between ops, less the weights. What only changes an
argument, as a cache, does not leave it, since that is best done in place. (BrainSlug,
by Weber et al., calls such an order depth first.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import (
    Dim,
    Tensor,
    evaluate,
    product,
    sizes,
    symbols_of,
    tensor_type,
)
from ....dialects.graph import (
    ConstantOp,
    GraphOp,
    LoopOp,
    Nest,
    ReshapeOp,
    WeightOp,
    YieldOp,
    to_names,
    unstacked_type,
)
from ..defined_functions import defined_functions
from ..row_wise import has_rows, is_row_wise, properties_of_row
from .infer_shapes import infer_block

_LEAST_BYTES = 1 << 22
"""
The bytes of a row, less the weights, that a loop has to save; what a row of a smaller
model moves is in the second cache for several rows, too. Chosen by hand.
"""

_OPEN = 64
"""An open size, such as a height: little, since then weights count for more."""


_Nests: TypeAlias = Mapping[GraphOp, Sequence[Nest]]
"""The nests of ops, in order."""


@dataclass(frozen=True)
class SplitBatch(ModulePass):
    """Makes a loop over the rows of a batch of what a function begins with."""

    name = "split-batch"

    bytes: int = _LEAST_BYTES
    """The least that a loop saves for a row."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            for count in _batches(function):
                if _moved(function.body.block, count) < self.bytes:
                    continue
                chain, rows = _chain(function.body.block, count)
                if ops := _best_part(chain, self.bytes):
                    _loop(ops, rows, count)
                    break
        dce(op)


def _batches(function: func.FuncOp) -> list[Dim]:
    """The numbers of rows that arguments have: symbols, and numbers beyond 1."""
    firsts = [sizes(tensor_type(each))[:1] for each in function.body.block.args]
    found = dict.fromkeys(size for shape in firsts for size in shape)
    return [
        each
        for each in found
        if (each > 1 if isinstance(each, int) else symbols_of(each) == {str(each)})
    ]


def _moved(block: Block, count: Dim) -> int:
    """The most bytes of a row that may be written and read between ops."""
    results = (each for op in block.ops for each in op.results)
    types = [tensor_type(each) for each in results if has_rows(each, count)]
    return sum(2 * _bytes(each, sizes(each)[1:]) for each in types)


def _chain(block: Block, count: Dim) -> tuple[list[GraphOp], set[SSAValue]]:
    """
    The ops that compute rows of rows, in order, up to the first that has rows and does
    not go by row; and all values that have rows.
    """
    rows: set[SSAValue] = {each for each in block.args if has_rows(each, count)}
    found: list[GraphOp] = []
    for op in block.ops:
        if not isinstance(op, GraphOp) or not (
            any(each in rows for each in op.operands)
            or any(_depends(each, count) for each in op.results)
        ):
            continue
        if not is_row_wise(op, rows, count):
            break
        rows.add(op.results[0])
        found.append(op)
    return found, rows


def _depends(value: SSAValue, count: Dim) -> bool:
    """Whether a tensor has a size that a number of rows decides."""
    return any(symbols_of(e) & symbols_of(count) for e in sizes(tensor_type(value)))


def _best_part(chain: Sequence[GraphOp], least: int) -> Sequence[GraphOp]:
    """The first ops of a chain that save most where they go row by row, if any."""
    made = {op.results[0] for op in chain}
    nests: _Nests = {op: op.nests() or () for op in chain}
    until = _read_until(nests)
    most, end, saved, kept = least, 0, 0, 0
    for number, op in enumerate(chain, 1):
        kept = max(kept, until.get(op, 0))
        for each in op.operands:
            type = tensor_type(each)
            if isinstance(each.owner, ConstantOp | WeightOp):
                saved -= _bytes(type, sizes(type))
            elif each in made and not _is_fused(nests[op], each):
                # Written, and read.
                saved += 2 * _bytes(type, sizes(type)[1:])
        # What ends the loop is written in any case, after all of its kernel.
        is_within = number < len(chain) and any(
            each in made and _is_fused(nests[chain[number]], each)
            for each in chain[number].operands
        )
        if saved > most and not is_within and kept <= number:
            most, end = saved, number
    return chain[:end]


def _read_until(nests: _Nests) -> dict[Operation | Block, int]:
    """
    How many ops of a chain have to be in a loop with each op that moves or combines
    elements of arguments, such as one that appends to a cache: its result may be the
    memory of the argument, which a stack is not.
    """
    order: dict[Operation, int] = {op: number for number, op in enumerate(nests, 1)}
    found: dict[Operation | Block, int] = {}
    for op in nests:
        if any(each.reductions for each in nests[op]):
            continue
        if any(isinstance(e, BlockArgument) or e.owner in found for e in op.operands):
            users = [use.operation for use in op.results[0].uses]
            found[op] = max((order.get(e, len(nests) + 1) for e in users), default=0)
    return found


def _is_fused(nests: Sequence[Nest], operand: SSAValue) -> bool:
    """Whether an operand will be in the registers of one kernel alone."""
    return operand.has_one_use() and all(each.is_pointwise for each in nests)


def _bytes(type: Tensor, shape: Sequence[Dim]) -> int:
    """An estimate of the bytes of a part of a tensor."""
    count = product(shape)
    known = evaluate(count, dict.fromkeys(symbols_of(count), _OPEN))
    assert isinstance(known, int), "a size without symbols is a number"
    return known * type.element_type.bitwidth // 8


def _loop(ops: Sequence[GraphOp], rows: Set[SSAValue], count: Dim) -> None:
    """Makes some ops the body of a loop over rows."""
    inside = {*ops}
    operands = dict.fromkeys(each for op in ops for each in op.operands)
    outside = [each for each in operands if each.owner not in inside]
    stored = [e for e in outside if isinstance(e.owner, ConstantOp | WeightOp)]
    scanned = [each for each in outside if each in rows]
    whole = [each for each in outside if each not in stored and each not in scanned]
    results = [each for op in ops for each in op.results]
    ends = [e for e in results if any(use.operation not in inside for use in e.uses)]
    types = [*map(unstacked_type, scanned), *(each.type for each in whole)]
    body = Block(arg_types=types)
    arguments = dict(zip([*scanned, *whole], body.args, strict=True))
    with ImplicitBuilder(body):
        values: dict[SSAValue, SSAValue] = {
            each: _with_row(value) if each in scanned else value
            for each, value in arguments.items()
        }
        for each in stored:
            assert isinstance(each.owner, Operation)
            values[each] = _copied(each.owner, values).results[0]
        copies = {op: _copied(op, values) for op in ops}
        for op, copy in copies.items():
            copy.properties = properties_of_row(op, count)
        infer_block(body, {})
        made = [copies[op].results[0] for op in ops if op.results[0] in ends]
        YieldOp(*map(_without_row, made))
    last = ops[-1]
    loop = LoopOp.of(body, count, scanned=scanned, captured=whole)
    loop.location = last.location
    Rewriter.insert_op(loop, InsertPoint.after(last))
    for each, result in zip(ends, loop.results, strict=True):
        each.replace_uses_with_if(result, lambda use: use.operation not in inside)
    for op in reversed(ops):
        Rewriter.erase_op(op)


def _copied(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation:
    """Builds a copy of an op on other values."""
    copy = op.clone(values)
    copy.location = op.location
    return copy


def _with_row(element: SSAValue) -> SSAValue:
    """Builds one row of an element of a stack."""
    shape = to_names([1, *sizes(tensor_type(element))])
    return ReshapeOp(element, shape=shape).result


def _without_row(row: SSAValue) -> SSAValue:
    """Builds the element of a stack that a row is."""
    shape = to_names(sizes(tensor_type(row))[1:])
    return ReshapeOp(row, shape=shape).result
