"""
Give every result an offset in memory; results with disjoint lifetimes may share it.

Before:

    %0 = graph.relu %x {graph.lifetimes = […]} : tensor<64xf32> -> tensor<64xf32>
    %1 = graph.neg %0 {graph.lifetimes = […]} : tensor<64xf32> -> tensor<64xf32>
    func.return %1 : tensor<64xf32>

After:

    func.func @main(…) attributes {graph.plan = {bytes = 256, lower_bound = 256, …}} {
      %0 = graph.relu %x {graph.buffers = [
          #graph.buffer<activations, slot = 0, offset = 0, size = "256">], …}
      %1 = graph.neg %0 {graph.buffers = [
          #graph.buffer<outputs, slot = 0, offset = 0, size = "256">], …}

An output is computed in the memory that is returned. Constants lie one after the other.
All intermediate values share one arena: the planner gives offsets to the groups of
`analyze-aliases`, and reports the size of the plan and its lower bound; where they are
equal no plan is smaller. Where sizes depend on symbols the offset is `?`: the runtime
plans once the sizes are known. A planner that searches does so here, for some sizes
that stand for all: what is kept of its plans is which slot lies below which (`orders`).
Where a function has branches that may run at once, the plan lists them: planning anew
has to know of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects import (
    MOST_BYTES,
    UNKNOWN,
    Dim,
    Ranges,
    evaluate,
    greatest,
    symbols_of,
    tensor_type,
)
from ....dialects.graph import (
    ConstantOp,
    MemoryMap,
    WeightOp,
    defined_symbols,
    is_computed,
    ops_in,
    skips_of,
)
from ....dialects.graph.storage import (
    BUFFERS,
    LIFETIMES,
    BufferAttr,
    LifetimeAttr,
    byte_size,
)
from ....runtime.abi import ALIGNMENT, aligned
from ....runtime.planning import (
    SEARCHES,
    BranchRow,
    Record,
    in_branches,
    lower_bound,
    order_of,
    plan,
    plan_in_order,
    rounded_up,
)
from ..defined_functions import defined_functions
from .analyze_aliases import branch_rows

_MOST_ORDERS = 4
"""Orders that are kept; a runtime tries each for sizes that it meets first."""

_USUAL, _LARGE = 64, 1024
"""Values of symbols that stand for others when orders are searched."""


@dataclass(frozen=True)
class AssignBuffers(ModulePass):
    """Assigns a buffer to every result."""

    name = "assign-buffers"

    planner: str = "conflict-driven"
    """How activations share memory; `runtime/planning` has them all."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            try:
                _assign(function, self.planner)
            except ValueError as error:
                raise VerifyException(str(error)) from error


def _lifetime_of(value: OpResult) -> LifetimeAttr:
    """The lifetime that `analyze-aliases` wrote beside an op's result."""
    lifetimes = value.op.attributes.get(LIFETIMES)
    if not isa(lifetimes, ArrayAttr):
        raise VerifyException(
            f"expected {value.op.name} to have lifetimes, got none; run "
            "analyze-aliases first"
        )
    found = lifetimes.data[value.index]
    assert isinstance(found, LifetimeAttr)
    return found


def _assign(function: func.FuncOp, planner: str) -> None:
    """Assigns the buffers of one function."""
    block = function.body.block
    end = block.last_op
    assert isinstance(end, func.ReturnOp)
    memory, ranges = MemoryMap(block), defined_symbols(block)
    roots: dict[SSAValue, BufferAttr] = {}
    for number, value in enumerate(end.operands):
        root = memory.owner_of(value)
        if not is_computed(root) or root in roots:
            raise VerifyException(
                f"expected output {number} to have memory of its own, got an input, a "
                "constant or another output; run own-outputs first"
            )
        size = greatest(byte_size(tensor_type(root)), ranges)
        roots[root] = BufferAttr.of("outputs", number, 0, size)
    roots |= _assign_constants(block)
    activations = [
        result
        for op in ops_in(block)
        for result in op.results
        if memory.owner_of(result) is result
        and result not in roots
        and not isinstance(op, ConstantOp)
    ]
    room = [greatest(byte_size(tensor_type(each)), ranges) for each in activations]
    # What is skipped for some sizes shares memory otherwise.
    marked = (skip for op in ops_in(block) for skip in skips_of(op))
    is_open = not all(skip.is_on_data for skip in marked)
    rows = branch_rows(block)
    offsets, summary = _plan_activations(activations, room, planner, is_open, rows)
    for slot, (value, offset) in enumerate(zip(activations, offsets, strict=True)):
        roots[value] = BufferAttr.of("activations", slot, offset, room[slot])
    function.attributes["graph.plan"] = summary
    _write_buffers(block, memory, roots, ranges)


def _assign_constants(block: Block) -> dict[SSAValue, BufferAttr]:
    """Assigns the buffers of the weights, one after the other."""
    buffers: dict[SSAValue, BufferAttr] = {}
    known: dict[str, BufferAttr] = {}
    total = 0
    for op in ops_in(block):
        if isinstance(op, WeightOp):
            size = op.bytes
            assert isinstance(size, int), "the shape of a weight is known"
            if (key := op.key.data) not in known:
                known[key] = BufferAttr.of("constants", len(known), total, size)
                total += aligned(size)
            buffers[op.result] = known[key]
    return buffers


def _plan_activations(
    values: Sequence[OpResult],
    sizes: Sequence[Dim],
    planner: str,
    is_open: bool,
    branches: Sequence[BranchRow],
) -> tuple[list[int], DictionaryAttr]:
    """
    The offset of each value in the arena of activations, and the figures of the plan;
    only orders of the values if sizes decide.
    """
    entries: dict[str, Attribute] = {"planner": StringAttr(planner)}
    if branches:
        entries["branches"] = _rows(branches)
    known = [size for size in sizes if isinstance(size, int)]
    lives = [_lifetime_of(value) for value in values]
    records = [
        Record(size, life.first.data, life.last.data)
        for size, life in zip(known, lives, strict=False)
    ]
    if is_open or len(known) < len(sizes):
        plan([], planner)
        if planner in SEARCHES:
            entries["orders"] = _rows(_orders(lives, sizes, planner, branches))
        return [UNKNOWN] * len(sizes), DictionaryAttr(entries)
    made = plan(in_branches(records, branches), planner, ALIGNMENT)
    entries["bytes"] = IntegerAttr(made.size, i64)
    entries["lower_bound"] = IntegerAttr(made.lower_bound, i64)
    return list(made.offsets), DictionaryAttr(entries)


def _rows(rows: Iterable[Sequence[int]]) -> Attribute:
    """Rows of integers as an attribute."""
    return ArrayAttr(DenseArrayBase.from_list(i64, each) for each in rows)


def _orders(
    lives: Sequence[LifetimeAttr],
    sizes: Sequence[Dim],
    planner: str,
    branches: Sequence[BranchRow],
) -> list[Sequence[int]]:
    """Orders of the slots; whatever the symbols are, one of them gives a good plan."""
    orders: list[Sequence[int]] = []
    for values in _samples({name for size in sizes for name in symbols_of(size)}):
        records: list[Record] = []
        for size, life in zip(sizes, lives, strict=True):
            known = evaluate(size, values)
            assert isinstance(known, int), "a size without symbols is a number"
            records.append(Record(max(known, 0), life.first.data, life.last.data))
        is_least = all(each == 1 for each in values.values())
        if sum(each.size for each in records) >= MOST_BYTES and not is_least:
            continue  # no run has them
        records = in_branches(records, branches)
        least = lower_bound(rounded_up(records, ALIGNMENT))
        if orders:
            found = plan_in_order(records, orders, ALIGNMENT)
            if found.size == least:
                continue
            least = found.size
        made = plan(records, planner, ALIGNMENT)
        if not orders or made.size < least:
            orders.append(order_of(made.offsets))
        if len(orders) == _MOST_ORDERS:
            break
    return orders


def _samples(names: Set[str]) -> Iterator[dict[str, int]]:
    """Values of symbols for which a plan is made: equal ones, and one that differs."""
    for size in (_USUAL, _LARGE, 1):
        yield dict.fromkeys(names, size)
    for name in sorted(names):
        for size, others in ((_LARGE, 1), (1, _LARGE)):
            yield {**dict.fromkeys(names, others), name: size}


def _write_buffers(
    block: Block, memory: MemoryMap, roots: dict[SSAValue, BufferAttr], ranges: Ranges
) -> None:
    """
    Annotates each op with the buffers of its results; a view has that of its root.
    """
    for op in ops_in(block):
        if not op.results or isinstance(op, ConstantOp):
            continue
        buffers: list[BufferAttr] = []
        for result in op.results:
            owner = memory.owner_of(result)
            size = greatest(byte_size(tensor_type(result)), ranges)
            if isinstance(owner, BlockArgument):
                buffers.append(BufferAttr.of("inputs", owner.index, 0, size))
            else:
                known = roots[owner]
                if isinstance(size, int) and isinstance(known.size, int):
                    # Sizes that the run finds may be more by themselves than what a
                    # view of them has, which holds for its root.
                    size = min(size, known.size)
                buffers.append(
                    BufferAttr.of(
                        known.region_name, known.slot.data, known.offset.data, size
                    )
                )
        op.attributes[BUFFERS] = ArrayAttr(buffers)
