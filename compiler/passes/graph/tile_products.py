"""
Tile two chained products by rows, where the value between them does not fit the cache.

Before:

    %1 = graph.matmul %q, %k : tensor<8x4096x64xf32>, … -> tensor<8x4096x4096xf32>
    %2 = graph.exp %1 : tensor<8x4096x4096xf32> -> tensor<8x4096x4096xf32>
    %3 = graph.matmul %2, %v : …, tensor<8x4096x64xf32> -> tensor<8x4096x64xf32>

After:

    %3 = graph.loop %q, %k, %v {trips = "8", scanned = 3, …} : … {
    ^bb0(%a: tensor<4096x64xf32>, %b: tensor<64x4096xf32>, %c: tensor<4096x64xf32>):
      %d = graph.reshape %a {shape = ["32", "128", "64"]} : …
      %e = graph.loop %d, %b, %c {trips = "32", scanned = 1, …} : … {
      ^bb0(%f: tensor<128x64xf32>, …):
        %1 = graph.matmul %f, %b : … -> tensor<128x4096xf32>
        %2 = graph.exp %1 : tensor<128x4096xf32> -> tensor<128x4096xf32>
        %g = graph.matmul %2, %c : … -> tensor<128x64xf32>
        graph.yield %g : tensor<128x64xf32>
      }

Attention is such a chain, however it is written: scores, a mask, a softmax of each row,
a product with the values. Between the products may be elementwise ops and reductions of
whole rows; every row is computed as before, so no bit of the result depends on the
blocks. (MLIR calls it tile and fuse. FlashAttention splits rows as well, and so rounds
differently.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import FixedBitwidthType, ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import Dim, guess, product, sizes, tensor_type
from ....dialects.graph import (
    BinaryOp,
    CastOp,
    GraphOp,
    LoopOp,
    MatmulOp,
    ReduceOp,
    ReshapeOp,
    UnaryOp,
    WhereOp,
    YieldOp,
    to_names,
    unstacked_type,
)

_L2_BYTES = 1 << 21
"""The size in bytes of a value between products that needs no tiling: an L2 cache."""

_BLOCK_BYTES = 1 << 20
"""The most bytes of a block of rows."""

_MIN_ROWS = 32
"""The least rows of a block, as each block packs the columns of both products again."""


@dataclass(frozen=True)
class TileProducts(ModulePass):
    """Tiles chained products by rows where that saves memory."""

    name = "tile-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for first in list(op.walk()):
            if isinstance(first, MatmulOp) and _is_large(first):
                ops = _chain(first)
                if ops is not None and _pays(ops):
                    _tile(ops)


def _is_large(first: MatmulOp) -> bool:
    """Whether a product does not fit the cache, whatever its symbols are."""
    element = tensor_type(first.result).element_type
    assert isinstance(element, FixedBitwidthType)
    known = product([each for each in first.shape if isinstance(each, int)])
    assert isinstance(known, int)
    return known * element.bitwidth // 8 > _L2_BYTES


def _chain(first: MatmulOp) -> list[GraphOp] | None:
    """
    A product, the ops that lead from it to a second product, and that one, in order.
    """
    found: dict[Operation, None] = {first: None}
    each: Operation | None = first
    while (each := each.next_op) is not None:
        used = [operand for operand in each.operands if operand.owner in found]
        if not used:
            continue
        if isinstance(each, MatmulOp):
            inside = all(
                use.operation in found or use.operation is each
                for op in found
                for result in op.results
                for use in result.uses
            )
            ops = [*_graph_ops(found), each]
            columns = [ops[0].operands[1], each.rhs]
            uses = [value for op in ops for value in op.operands if value in columns]
            ends = (
                used == [each.lhs]
                and inside
                and len(uses) == len(columns)
                and each.shape[:-2] == first.shape[:-2]
            )
            return ops if ends else None
        if not _is_row_wise(each, first.shape):
            return None
        found[each] = None
    return None


def _pays(ops: Sequence[GraphOp]) -> bool:
    """
    Whether the value between the products is larger than the operands that blocks
    reread.
    """
    first, *_, last = ops
    read = [*first.operands, last.operands[1]]
    return elements(first.results[0]) > sum(map(elements, read))


def elements(value: SSAValue) -> int:
    """An estimate of the number of elements of a tensor."""
    return guess(product(sizes(tensor_type(value))))


def _graph_ops(ops: Mapping[Operation, None]) -> list[GraphOp]:
    """The ops, which all belong to the graph dialect."""
    return [each for each in ops if isinstance(each, GraphOp)]


def _is_row_wise(op: Operation, shape: Sequence[Dim]) -> bool:
    """Whether each row of the result depends only on the same rows of the operands."""
    if isinstance(op, ReduceOp):
        values, rank = op.values(), len(op.operand_sizes()[0])
        whole = values["axes"] == (rank - 1,) and values["keepdims"]
    else:
        whole = isinstance(op, UnaryOp | BinaryOp | WhereOp | CastOp)
    if not whole:
        return False
    made = sizes(tensor_type(op.results[0]))
    return made[:-1] == tuple(shape[:-1]) and made[-1] in (shape[-1], 1)


def _tile(ops: Sequence[GraphOp]) -> None:
    """Replaces a chain by loops over its batches and blocks of rows."""
    *_, last = ops
    inner = set[SSAValue]()
    outer: dict[SSAValue, None] = {}
    for op in ops:
        outer |= {each: None for each in op.operands if each not in inner}
        inner |= set(op.results)
    shape = sizes(tensor_type(ops[0].results[0]))
    by_row = {value for op in ops[:-1] for value in op.operands if value in outer}
    by_row.discard(ops[0].operands[1])
    with ImplicitBuilder(built := Block()):
        whole = {each: each for each in outer}
        result = _Tiling(ops, shape, by_row).build(whole, 0)
        type = tensor_type(last.results[0])
        if result.type != type:
            result = ReshapeOp(result, shape=to_names(sizes(type))).result
    for each in built.ops:
        each.location = last.location
    Rewriter.inline_block(built, InsertPoint.before(last))
    Rewriter.replace_op(last, [], [result])
    for op in reversed(ops[:-1]):
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class _Tiling:
    """The loops around one chain."""

    ops: Sequence[GraphOp]
    shape: Sequence[Dim]
    """The shape of the first product."""

    by_row: set[SSAValue]
    """The operands that are sliced by row: all but the second ones of products."""

    @property
    def rank(self) -> int:
        """The number of axes of the first product."""
        return len(self.shape)

    def build(self, values: Mapping[SSAValue, SSAValue], axis: int) -> SSAValue:
        """Builds the loops over `axis` and all later ones."""
        if axis < self.rank - 2:
            if self.shape[axis] == 1:
                return self.build(values, axis + 1)
            split = [each for each in values if self.size(each, axis) != 1]
            left = {
                each: self.without(value, self.rank - axis) if each in split else value
                for each, value in values.items()
            }
            return self.loop(left, split, self.shape[axis], axis + 1)
        count = self.blocks()
        if axis > self.rank - 2 or count == 1:
            return self.inside(values)
        split = [
            each
            for each in values
            if each in self.by_row and self.size(each, axis) != 1
        ]
        left = dict(values)
        for each in split:
            *_, size, width = sizes(tensor_type(values[each]))
            assert isinstance(size, int)
            shape = to_names([count, size // count, width])
            left[each] = ReshapeOp(values[each], shape=shape).result
        result = self.loop(left, split, count, axis + 1)
        (*_, block, width) = sizes(tensor_type(result))
        return ReshapeOp(
            result, shape=to_names([product([count, block]), width])
        ).result

    def loop(
        self,
        values: Mapping[SSAValue, SSAValue],
        split: Sequence[SSAValue],
        trips: Dim,
        axis: int,
    ) -> SSAValue:
        """Builds a loop that scans some values, and captures the others whole."""
        whole = [each for each in values if each not in split]
        types = [unstacked_type(values[each]) for each in split]
        types += [values[each].type for each in whole]
        body = Block(arg_types=types)
        inside: dict[SSAValue, BlockArgument] = dict(
            zip([*split, *whole], body.args, strict=True)
        )
        with ImplicitBuilder(body):
            YieldOp(self.build(inside, axis))
        return LoopOp.of(
            body,
            trips,
            scanned=[values[each] for each in split],
            captured=[values[each] for each in whole],
        ).results[0]

    def inside(self, values: Mapping[SSAValue, SSAValue]) -> SSAValue:
        """Builds the chain itself, on matrices."""
        made = {each: self.without(value, 2) for each, value in values.items()}
        for op in self.ops:
            properties = op.values()
            if isinstance(op, ReduceOp):
                properties = {**properties, "axes": (1,)}
            new = type(op)(*(made[each] for each in op.operands), **properties)
            new.location = op.location
            made[op.results[0]] = new.results[0]
        return made[self.ops[-1].results[0]]

    def size(self, value: SSAValue, axis: int) -> Dim:
        """The size of a value along an axis of the first product, or 1."""
        shape = sizes(tensor_type(value))
        own = axis - self.rank + len(shape)
        return shape[own] if own >= 0 else 1

    def without(self, value: SSAValue, rank: int) -> SSAValue:
        """Builds a view of a value without leading axes of size 1, down to a rank."""
        shape = sizes(tensor_type(value))
        if len(shape) <= rank:
            return value
        return ReshapeOp(value, shape=to_names(shape[len(shape) - rank :])).result

    def blocks(self) -> int:
        """The number of blocks that the rows are split into."""
        rows, columns = self.shape[-2:]
        if not isinstance(rows, int) or not isinstance(columns, int):
            return 1
        kind = tensor_type(self.ops[0].results[0]).element_type
        assert isinstance(kind, FixedBitwidthType)
        most = max(_BLOCK_BYTES * 8 // kind.bitwidth // max(columns, 1), _MIN_ROWS)
        fitting = [n for n in range(_MIN_ROWS, most + 1) if rows % n == 0]
        return rows // max(fitting, default=max(rows, 1))
