"""
Move ops so that less memory is alive at one time.

Before:

    %0 = graph.conv %x, %w : tensor<1x3x32x32xf32>, … -> tensor<1x64x32x32xf32>
    %1 = graph.conv %x, %v : tensor<1x3x32x32xf32>, … -> tensor<1x64x32x32xf32>
    %2 = graph.reduce_max %0 {…} : tensor<1x64x32x32xf32> -> tensor<1x64x1x1xf32>
    %3 = graph.reduce_max %1 {…} : tensor<1x64x32x32xf32> -> tensor<1x64x1x1xf32>

After:

    %0 = graph.conv %x, %w : tensor<1x3x32x32xf32>, … -> tensor<1x64x32x32xf32>
    %2 = graph.reduce_max %0 {…} : tensor<1x64x32x32xf32> -> tensor<1x64x1x1xf32>
    %1 = graph.conv %x, %v : tensor<1x3x32x32xf32>, … -> tensor<1x64x32x32xf32>
    %3 = graph.reduce_max %1 {…} : tensor<1x64x32x32xf32> -> tensor<1x64x1x1xf32>

No plan is smaller than the bytes that are alive at one op, and those depend on the
order of ops (`order_search.py`). What shares memory is decided before this pass, so
that it knows just what `analyze-aliases` will find: the bound falls, or nothing is
moved. Ops that overwrite an operand or write to one buffer stay in order, as do those
that run Python or end a run, and all that lets an input be donated. Where sizes or
skips depend on the run the bound is a different one for each call, and nothing is
moved either.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import product, sizes, tensor_type
from ....dialects.graph import (
    ConstantOp,
    ControlOp,
    GraphOp,
    MemoryMap,
    WeightOp,
    defined_symbols,
    is_computed,
    ops_in,
    skips_of,
)
from ....dialects.graph.storage import byte_size
from ....dialects.kernel import group_of
from ....runtime.abi import aligned
from ....runtime.planning import Record, lower_bound
from ..defined_functions import defined_functions
from ..order_search import Work, better_order, may_be_lower
from .analyze_aliases import lives


@dataclass(frozen=True)
class OrderOps(ModulePass):
    """Puts the ops of a function into an order with a lower bound of memory."""

    name = "order-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            _order(function.body.block)


def _order(block: Block) -> None:
    """Moves the ops of a function, if that lowers the bound."""
    if defined_symbols(block) or any(skips_of(op) for op in ops_in(block)):
        return
    graph = _Graph(block)
    sizes = graph.sizes()
    if sizes is None:
        return
    if not may_be_lower(graph.works(), sizes):
        return
    graph.constrain()
    found = better_order(graph.works(), sizes)
    if found is None:
        return
    end = block.last_op
    assert end is not None, "a function ends by returning"
    stored = [op for op in block.ops if isinstance(op, ConstantOp | WeightOp)]
    for op in (*stored, *(graph.ops[at] for at in found)):
        op.detach()
        block.insert_op_before(op, end)


@dataclass
class _Graph:
    """The ops of a function, and what their order must keep."""

    block: Block
    ops: list[Operation] = field(default_factory=list[Operation])
    after: list[set[int]] = field(default_factory=list[set[int]])
    touched: dict[SSAValue, list[int]] = field(
        default_factory=dict[SSAValue, list[int]]
    )
    """The ops that need the memory of each owner, in order."""
    written: dict[SSAValue, set[int]] = field(default_factory=dict[SSAValue, set[int]])
    """The ops that write to it."""

    def __post_init__(self) -> None:
        self.ops = [
            op
            for op in self.block.ops
            if not isinstance(op, ConstantOp | WeightOp | func.ReturnOp)
        ]
        self.after = [set() for _ in self.ops]
        self.memory = MemoryMap(self.block)
        end = self.block.last_op
        assert end is not None, "a function ends by returning"
        self.returned = {self.memory.owner_of(each) for each in end.operands}
        numbers = {op: at for at, op in enumerate(self.ops)}
        for at, op in enumerate(self.ops):
            self.note(at, op, numbers)

    def constrain(self) -> None:
        """Notes what must stay in order, beside what reads from what."""
        self.keep_order(self.effects())
        for owner, writers in self.written.items():
            if len(writers) > 1:
                self.keep_order(self.touched[owner])
        self.keep_donations()

    def note(self, at: int, op: Operation, numbers: Mapping[Operation, int]) -> None:
        """Notes what an op reads and writes, with all that is within it."""
        for each in _with_inner(op):
            is_view = isinstance(each, GraphOp) and each.IS_VIEW
            for value in (*each.operands, *each.results):
                source = value.owner
                if isinstance(source, Operation) and numbers.get(source, at) != at:
                    self.after[at].add(numbers[source])
                owner = self.memory.owner_of(value)
                users = self.touched.setdefault(owner, [])
                if not users or users[-1] != at:
                    users.append(at)
                if value in each.results and not is_view:
                    self.written.setdefault(owner, set()).add(at)

    def effects(self) -> Iterator[int]:
        """The ops that are no one kernel: control, fallbacks, and what ends a run."""
        for at, op in enumerate(self.ops):
            is_view = isinstance(op, GraphOp) and op.IS_VIEW
            if not is_view and group_of(op) is None:
                yield at

    def keep_order(self, numbers: Iterable[int]) -> None:
        """Keeps some ops in their order."""
        before: int | None = None
        for at in numbers:
            if before is not None:
                self.after[at].add(before)
            before = at

    def keep_donations(self) -> None:
        """Keeps the last use of an input before the first of an output like it."""
        for argument in self.block.args:
            readers = self.touched.get(argument, [])
            for owner in self.returned:
                writers = self.touched.get(owner, [])
                if not readers or not writers or readers[-1] > writers[0]:
                    continue
                if _is_alike(argument, owner):
                    for at in writers:
                        self.after[at].update(set(readers) - {at})

    def sizes(self) -> list[int] | None:
        """The bytes of each owner; None where a size depends on symbols."""
        found: list[int] = []
        for owner in self.touched:
            size = byte_size(tensor_type(owner)) if self.is_planned(owner) else 0
            if not isinstance(size, int):
                return None
            found.append(aligned(size))
        inner = (each for op in self.ops for each in _with_inner(op) if each is not op)
        types = (tensor_type(result) for each in inner for result in each.results)
        return found if all(isinstance(byte_size(t), int) for t in types) else None

    def is_planned(self, owner: SSAValue) -> bool:
        """Whether an owner is an activation that lives beyond one op."""
        is_outer = is_computed(owner) and owner not in self.returned
        return is_outer and owner.owner.parent is self.block

    def works(self) -> list[Work]:
        """The ops as the search sees them."""
        buffers: list[set[int]] = [set() for _ in self.ops]
        for number, users in enumerate(self.touched.values()):
            for at in users:
                buffers[at].add(number)
        return [
            Work(frozenset(after), frozenset(needed), self.inner_bytes(op))
            for op, after, needed in zip(self.ops, self.after, buffers, strict=True)
        ]

    def inner_bytes(self, op: Operation) -> int:
        """The most bytes that are alive within an op, and in no other one."""
        if not isinstance(op, ControlOp):
            return 0
        alive = lives(self.block, self.memory)
        inner = {
            self.memory.owner_of(result)
            for each in _with_inner(op)
            if each is not op
            for result in each.results
        }
        records: list[Record] = []
        for owner in inner:
            if is_computed(owner) and owner.owner.parent is not self.block:
                size = byte_size(tensor_type(owner))
                assert isinstance(size, int), "a function of known sizes has no others"
                records.append(Record(aligned(size), *alive[owner]))
        return lower_bound(records)


def _with_inner(op: Operation) -> Iterator[Operation]:
    """An op, and those that run within it and have memory."""
    yield op
    for block in op.blocks if isinstance(op, ControlOp) else ():
        yield from ops_in(block)


def _is_alike(argument: SSAValue, output: SSAValue) -> bool:
    """Whether an input may be the memory of an output."""
    given, made = tensor_type(argument), tensor_type(output)
    is_long = product(sizes(given)) == product(sizes(made))
    return is_long and given.element_type == made.element_type
