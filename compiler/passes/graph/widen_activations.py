"""
Let products read f32 from memory where a model has 16 bits between its kernels.

Before:

    %0 = graph.fusion %x, … -> tensor<196x1024xbf16> {
      …
      graph.yield %1 : tensor<196x1024xbf16>
    }
    %2 = graph.fusion %0, %w : … -> tensor<196x256xbf16> {
    ^bb0(%a: tensor<196x1024xbf16>, %b: tensor<1024x256xbf16>):
      %3 = graph.matmul %a, %b : … -> tensor<196x256xbf16>
      graph.yield %3 : tensor<196x256xbf16>
    }

After:

    %0 = graph.fusion %x, … -> tensor<196x1024xf32> {
      …
      %2 = graph.cast %1 {to = f32} : …
      graph.yield %2 : tensor<196x1024xf32>
    }
    %3 = graph.fusion %0, %w : … -> tensor<196x256xbf16> {
    ^bb0(%a: tensor<196x1024xf32>, %b: tensor<1024x256xbf16>):
      %4 = graph.cast %b {to = f32} : …
      %5 = graph.matmul %a, %4 : … -> tensor<196x256xf32>
      %6 = graph.cast %5 {to = bf16} : …
      graph.yield %6 : tensor<196x256xbf16>
    }

Every number is rounded as before, and no bit changes. A product of floats of 16 bits
multiplies in f32: it widens each block of its first factor into scratch memory, for
each block of columns again. What is f32 in memory is read in place, as it is in a model
of f32, and accumulators may wait in such a result between two blocks of k. It takes
the memory of activations of f32; weights keep their 16 bits.

It is for values that a product of many rows reads, and that kernels alone make and
read; not for models as data, since kernels of a library are found by their loops.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.graph import CastOp, ControlOp, FusionOp, GraphOp, YieldOp
from ....dialects.graph.compose import rounding
from ..defined_functions import defined_functions
from ..narrow_reads import as_fusion
from ..product_rows import product_of, rows_of

ROWS = 32
"""
Rows, at least, of a product that reads f32: of 196 by 256 by 1024 it takes 1.03 of the
time in f32 then, in the place of 1.09 (`docs/precision.md`).
"""


@dataclass(frozen=True)
class WidenActivations(ModulePass):
    """Makes f32 in memory of values of 16 bits that products read."""

    name = "widen-activations"

    rows: int = ROWS
    """Rows, at least, of products that read f32; 0 for none."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op) if self.rows else ():
            self.widen_block(function.body.block)

    def widen_block(self, block: Block) -> None:
        """Widens values of a block, and of its regions."""
        for op in list(block.ops):
            if isinstance(op, ControlOp):
                for inner in op.blocks:
                    self.widen_block(inner)
        chosen = _chosen(block, self.rows)
        if not chosen:
            return
        rewriting = _Rewriting(chosen)
        for op in list(block.ops):
            if isinstance(op, GraphOp) and not chosen.isdisjoint(
                (*op.operands, *op.results)
            ):
                rewriting.rewrite(op)
        for op in reversed(rewriting.replaced):
            Rewriter.erase_op(op)


def _chosen(block: Block, many: int) -> set[SSAValue]:
    """
    The values of a block that are to be f32 in memory: a product reads them, or a move
    of them; and both the results of their moves and the sources are f32 as well.
    """
    ops = [each for each in block.ops if isinstance(each, GraphOp)]
    moves: dict[Operation, SSAValue] = {e: e.results[0] for e in ops if _moves(e)}
    read = {operand for op in ops for operand in _factors(op, many)}
    found: dict[SSAValue, list[SSAValue]] = {}
    """What may be f32, with the results of its moves."""
    for op in ops:
        value = op.results[0] if op.operands and _computes(op) else None
        if value is not None and _is_for_kernels(value):
            users = {use.operation for use in value.uses}
            found[value] = [moves[each] for each in users if each in moves]
    count = -1
    while count != len(found):
        count = len(found)
        for value, moved in list(found.items()):
            op = value.owner
            sources = op.operands if isinstance(op, GraphOp) and op in moves else ()
            halves = [each for each in sources if rounding.is_half(each)]
            is_read = value in read or bool(moved)
            if not is_read or any(each not in found for each in (*moved, *halves)):
                del found[value]
    return {*found}


def _is_for_kernels(value: SSAValue) -> bool:
    """Whether a value has 16 bits, and is read by ops of kernels and views alone."""
    return rounding.is_half(value) and all(
        isinstance(use.operation, GraphOp)
        and (isinstance(use.operation, CastOp) or _computes(use.operation))
        for use in value.uses
    )


def _computes(op: GraphOp) -> bool:
    """Whether numbers of one result are computed of numbers, whatever their type."""
    if isinstance(op, FusionOp):
        return True
    return (
        len(op.results) == 1
        and not op.regions
        and not op.TAKES_ELEMENTS
        and (op.IS_VIEW or op.nests() is not None)
    )


def _moves(op: GraphOp) -> bool:
    """Whether every number of the result of an op is one of an operand."""
    if isinstance(op, FusionOp):
        return all(map(_moves, op.ops))
    return (
        _computes(op)
        and rounding.is_half(op.results[0])
        and (op.IS_VIEW or not rounding.rounds(op))
    )


def _factors(op: GraphOp, many: int) -> Iterator[SSAValue]:
    """The values that products of an op read, which have many rows, as they are."""
    if not isinstance(op, FusionOp):
        if _has_rows(op, many):
            yield from op.operands
        return
    arguments = [*op.body.block.args]
    for each in op.ops:
        for operand in each.operands if _has_rows(each, many) else ():
            source = _moved(operand)
            if isinstance(source, BlockArgument) and source.block is op.body.block:
                yield op.operands[arguments.index(source)]


def _has_rows(op: GraphOp, many: int) -> bool:
    """Whether an op is a product of many rows."""
    if not any(each.reductions and each.combine == "add" for each in op.nests() or ()):
        return False
    nest = product_of(op)
    return nest is not None and rows_of(nest) >= many


def _moved(value: SSAValue) -> SSAValue:
    """What a value is in another form, or widened."""
    while isinstance(op := value.owner, GraphOp) and (
        len(op.operands) == 1
        and rounding.is_half(op.operands[0])
        and (isinstance(op, CastOp) or _moves(op))
    ):
        value = op.operands[0]
    return value


@dataclass
class _Rewriting:
    """The ops of a block as they are with f32 in memory."""

    chosen: set[SSAValue]
    wide: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """What is f32 in the place of a value that was chosen."""
    replaced: list[Operation] = field(default_factory=list[Operation])
    """Ops whose results have no users once all is rewritten."""

    def rewrite(self, op: GraphOp) -> None:
        """Lets an op read what is f32, and make what is to be."""
        is_wide = op.results[0] in self.chosen
        if isinstance(op, CastOp):
            self.cast(op)
        elif is_wide and not isinstance(op, FusionOp) and _moves(op):
            made = rounding.remade(op, [self.wide.get(e, e) for e in op.operands])
            self.put(op, made, is_wide)
        else:
            op = as_fusion(op)
            if is_wide:  # a fusion of one op has a result of its own
                self.chosen.add(op.result)
            self.put(op, _Body(op, self.wide).fusion(is_wide), is_wide)

    def cast(self, op: CastOp) -> None:
        """Converts what is f32: it is the same number."""
        source = self.wide[op.input]
        if source.type == op.result.type:
            Rewriter.replace_op(op, [], [source])
        else:
            op.operands[0] = source

    def put(self, op: GraphOp, made: GraphOp, is_wide: bool) -> None:
        """Puts an op before the one in whose place it is."""
        Rewriter.insert_op(made, InsertPoint.before(op))
        if is_wide:
            self.wide[op.results[0]] = made.results[0]
            self.replaced.append(op)
        else:
            Rewriter.replace_op(op, [], [made.results[0]])


def _ends(fusion: FusionOp) -> set[SSAValue]:
    """
    What ops at the end of a fusion move. Nothing may come after one that puts what is
    computed into its place, as padding does.
    """
    found = {fusion.root}
    for op in reversed([*fusion.ops]):
        if op.results[0] in found:
            if _moves(op):
                found |= {each for each in op.operands if rounding.is_half(each)}
            else:
                found.discard(op.results[0])
    return found


class _Body:
    """The ops of a fusion, some of whose operands are f32 in the place of 16 bits."""

    def __init__(self, origin: FusionOp, wide: Mapping[SSAValue, SSAValue]):
        """The ops of `origin` with what is `wide` as operands."""
        self.origin = origin
        self.inputs = [wide.get(each, each) for each in origin.operands]
        self.block = Block(arg_types=[each.type for each in self.inputs])
        self.known: dict[SSAValue, SSAValue] = {}
        """What a value of the origin is, with its type."""
        self.wide: dict[SSAValue, SSAValue] = {}
        """The f32 that has the number of a value of 16 bits."""
        arguments = zip(origin.body.block.args, self.block.args, strict=True)
        for argument, own in arguments:
            is_same = own.type == argument.type
            (self.known if is_same else self.wide)[argument] = own

    def fusion(self, is_wide: bool) -> FusionOp:
        """The fusion, not yet in a block; its result is f32 if that is asked for."""
        root = self.origin.root
        ends = _ends(self.origin)
        for op in self.origin.ops:
            if op.results[0] not in ends:
                self.add(op)
            elif is_wide:
                self.compute(op)
            else:
                self.copy(op)
        result = self.widened(root) if is_wide else self.narrowed(root)
        self.block.add_op(YieldOp(result))
        made = FusionOp.of(self.inputs, self.block)
        made.location = self.origin.location
        return made

    def add(self, op: GraphOp) -> None:
        """Adds an op, on what is f32 if any of its operands is."""
        if not any(each in self.wide for each in op.operands):
            self.copy(op)
        elif isinstance(op, CastOp):
            source = self.wide[op.input]
            if source.type == op.result.type:
                self.known[op.result] = source
            else:
                self.known[op.result] = self.insert(rounding.remade(op, [source]))
        elif not _computes(op) or isinstance(op, FusionOp):
            self.copy(op)
        else:
            self.compute(op)

    def copy(self, op: GraphOp) -> None:
        """Adds an op as it is."""
        copy = op.clone({each: self.narrowed(each) for each in op.operands})
        self.block.add_op(copy)
        self.known |= zip(op.results, copy.results, strict=True)

    def compute(self, op: GraphOp) -> None:
        """Adds an op in f32, and rounds its result unless that only moves numbers."""
        operands = [
            self.widened(each) if rounding.is_half(each) else self.narrowed(each)
            for each in op.operands
        ]
        result, origin = self.insert(rounding.remade(op, operands)), op.results[0]
        if not rounding.is_half(origin):
            self.known[origin] = result
        elif _moves(op):
            self.wide[origin] = result
        else:
            with ImplicitBuilder(self.block):
                self.known[origin] = rounding.narrowed(result, origin.type)

    def insert(self, op: GraphOp) -> SSAValue:
        """Adds an op at the end; its result."""
        self.block.add_op(op)
        return op.results[0]

    def widened(self, value: SSAValue) -> SSAValue:
        """A value of 16 bits in f32."""
        if value not in self.wide:
            with ImplicitBuilder(self.block):
                self.wide[value] = rounding.widened(self.known[value])
        return self.wide[value]

    def narrowed(self, value: SSAValue) -> SSAValue:
        """A value with its own type."""
        if value not in self.known:
            with ImplicitBuilder(self.block):
                self.known[value] = rounding.narrowed(self.wide[value], value.type)
        return self.known[value]
