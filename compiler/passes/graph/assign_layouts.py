"""
Choose in which order the axes of each tensor lie: the one its users compute best in.

Before:

    %1 = graph.conv %x, %v {…} : tensor<1x64x8x8xf32>, tensor<32x64x1x1xf32> -> …
    %2 = graph.relu %1 : tensor<1x32x8x8xf32> -> tensor<1x32x8x8xf32>
    %3 = graph.conv %2, %w {…} : tensor<1x32x8x8xf32>, tensor<64x32x1x1xf32> -> …

After:

    %y = graph.permute %x {order = array<i64: 0, 2, 3, 1>} : … -> tensor<1x8x8x64xf32>
    %1 = graph.conv %y, (%v permuted) {…, channels_last} : … -> tensor<1x8x8x32xf32>
    %2 = graph.relu %1 : tensor<1x8x8x32xf32> -> tensor<1x8x8x32xf32>
    %4 = graph.conv %2, (%w permuted) {…, channels_last} : … -> tensor<1x8x8x64xf32>
    %3 = graph.permute %4 {order = array<i64: 0, 3, 1, 2>} : … -> tensor<1x64x8x8xf32>

An op says itself which order of its operand it prefers, and how it is computed when an
operand comes in another (`carry`); so no op is named here. Convolutions prefer their
channels last: then the weights and the result lie in rows of output channels, and what
is summed up lies in a row. What comes after them is carried along as far as it goes,
unless more would have to be put in order for it than is in order already. An order goes
back through an op to what it is computed from, when that is smaller. Permutations
remain where a chain begins and ends; `fold-constants` computes those of weights. A
chain with too little to compute for what it has permuted there stays as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.dims import Dim, guess, product
from ....dialects.graph.literal import to_names
from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.graph.ops.weight import WeightOp
from ....dialects.graph.order import Carried, Order, inverse, ordered, then
from ....dialects.shape import sizes, tensor_type

WORTH = 64
"""How many points of a preferred nest make up for one element that is permuted."""


@dataclass(frozen=True)
class AssignLayouts(ModulePass):
    """Computes chains of ops in the order of axes that they are computed best in."""

    name = "assign-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                block = function.body.block
                rebuild(block, Choice(block).made())


@dataclass
class Chain:
    """Ops that are carried together, what they compute, and what is permuted for it."""

    ops: list[GraphOp]
    points: int = 0
    moved: int = 0

    @property
    def pays(self) -> bool:
        """Whether there is enough to compute."""
        return self.points >= WORTH * self.moved


class Choice:
    """Which ops of a block are carried, and how."""

    def __init__(self, block: Block):
        """What is chosen for the ops of `block`."""
        self.plan: dict[Operation, Carried] = {}
        self.chains: dict[Operation, Chain] = {}
        self.orders: dict[SSAValue, Order] = {}
        """The orders in which values are computed, where not the usual ones."""
        self.permuted: set[tuple[SSAValue, Order]] = set()
        for op in block.ops:
            if isinstance(op, GraphOp) and (carried := self.wanted(op)) is not None:
                self.carry(op, carried)
        for value, order in self.orders.items():
            self.leave(value, order)

    def made(self) -> dict[Operation, Carried]:
        """The ops that are carried, without those of chains that are too short."""
        return {
            op: carried for op, carried in self.plan.items() if self.chains[op].pays
        }

    def wanted(self, op: GraphOp) -> Carried | None:
        """How the op is computed in another order, when it should be."""
        if len(op.results) != 1 or op.regions:
            return None
        if (preferred := op.preferred) is not None:
            return op.carry(0, preferred)
        for number, operand in enumerate(op.operands):
            if operand in self.orders:
                carried = op.carry(number, self.orders[operand])
                if carried is not None and self.is_ready(op, carried):
                    return carried
        return None

    def is_ready(self, op: GraphOp, carried: Carried) -> bool:
        """Whether no more has to be put in order than is in order already."""
        ready = missing = 0
        for operand, order in zip(op.operands, carried.operands, strict=True):
            if order is not None:
                missing += self.cost(operand, order)
                ready += elements(operand) if operand in self.orders else 0
        return missing <= ready

    def cost(self, value: SSAValue, order: Order) -> int:
        """How many elements have to be moved to have a value in an order."""
        total, waiting = 0, [(value, order)]
        while waiting:
            value, order = waiting.pop()
            own = self.orders.get(value)
            if own is not None:
                needed = then(inverse(own), order)
                shape = ordered(sizes(tensor_type(value)), own)
                total += 0 if is_view(shape, needed) else elements(value)
            elif is_constant(value) or is_view(sizes(tensor_type(value)), order):
                continue
            elif (carried := self.led_back(value, order)) is None:
                total += elements(value)
            else:
                assert isinstance(value.owner, GraphOp)
                operands = zip(value.owner.operands, carried.operands, strict=True)
                waiting += [(each, o) for each, o in operands if o is not None]
        return total

    def led_back(self, value: SSAValue, order: Order) -> Carried | None:
        """
        How a value is computed in this order, when less is moved than to move it.
        """
        op = value.owner
        if not isinstance(op, GraphOp) or len(op.results) != 1 or op.regions:
            return None
        if not op.operands or not value.has_one_use() or op in self.plan:
            return None
        # The order is one for the first operand too, where that has as many axes.
        if len(sizes(tensor_type(op.operands[0]))) != len(order):
            return None
        carried = op.carry(0, order)
        if carried is None or carried.result != order:
            return None
        # Operands that are as large as the result gain nothing.
        largest = max(map(elements, op.operands))
        return carried if largest < elements(value) else None

    def carry(self, op: GraphOp, carried: Carried) -> None:
        """Plans that an op is carried, and what it takes to have its operands so."""
        waiting = self.begin(op, carried)
        while waiting:
            _, value, order = waiting[-1]
            back = None
            if value not in self.orders and not is_constant(value):
                back = self.led_back(value, order)
            if back is None:
                self.supply(*waiting.pop())
            else:
                assert isinstance(value.owner, GraphOp)
                waiting += self.begin(value.owner, back)

    def begin(
        self, op: GraphOp, carried: Carried
    ) -> list[tuple[GraphOp, SSAValue, Order]]:
        """Plans that an op is carried; what it then takes in order, the last first."""
        self.plan[op] = carried
        chain = self.chains[op] = Chain([op])
        if carried.result != tuple(range(len(carried.result))):
            self.orders[op.results[0]] = carried.result
        if op.preferred is not None:
            bounds = (nest.bounds for nest in op.nests() or ())
            chain.points = sum(guess(product(each)) for each in bounds)
        operands = zip(op.operands, carried.operands, strict=True)
        return [(op, v, order) for v, order in operands if order is not None][::-1]

    def supply(self, op: GraphOp, value: SSAValue, order: Order) -> None:
        """Notes what makes a value that an op takes in some order."""
        if value in self.orders:
            self.join(op, value.owner)
        if (value, order) not in self.permuted:
            self.permuted.add((value, order))
            self.chains[op].moved += self.cost(value, order)

    def join(self, op: Operation, other: Operation | Block) -> None:
        """Makes one chain of those of two ops."""
        assert isinstance(other, Operation), "what is carried is the result of an op"
        into, chain = self.chains[other], self.chains[op]
        if into is not chain:
            if len(into.ops) < len(chain.ops):
                into, chain = chain, into
            into.ops += chain.ops
            into.points += chain.points
            into.moved += chain.moved
            for each in chain.ops:
                self.chains[each] = into

    def leave(self, value: SSAValue, order: Order) -> None:
        """Notes that a value is put back where it is used in the usual order."""
        assert isinstance(value.owner, Operation), "what is carried is a result"
        for use in value.uses:
            carried = self.plan.get(use.operation)
            if carried is None or carried.operands[use.index] is None:
                shape = ordered(sizes(tensor_type(value)), order)
                if not is_view(shape, inverse(order)):
                    self.chains[value.owner].moved += elements(value)
                return


def rebuild(block: Block, plan: dict[Operation, Carried]) -> None:
    """Replaces the ops that are carried."""
    builder = Builder()
    for op in list(block.ops):
        if isinstance(op, GraphOp) and op in plan:
            builder.replace(op, plan[op])
    builder.finish()


@dataclass
class Builder:
    """Builds ops in other orders, and what puts values in order between them."""

    carried: dict[SSAValue, tuple[SSAValue, Order]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, Order]]
    )
    """What is computed in another order: by which value, and in which order."""

    made: dict[tuple[SSAValue, Order], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Order], SSAValue]
    )
    """What has been put in an order."""

    def replace(self, op: GraphOp, carried: Carried) -> None:
        """Builds an op in another order; the old one goes when all are built."""
        at = InsertPoint.before(op)
        operands = [
            operand if order is None else self.in_order(operand, order, at)
            for operand, order in zip(op.operands, carried.operands, strict=True)
        ]
        new = type(op)(*operands, **carried.properties)
        new.location = op.location
        Rewriter.insert_op(new, at)
        if carried.result == tuple(range(len(carried.result))):
            Rewriter.replace_op(op, [], [new.results[0]])
        else:
            self.carried[op.results[0]] = new.results[0], carried.result

    def in_order(self, value: SSAValue, order: Order, at: InsertPoint) -> SSAValue:
        """The value in an order; what makes it stands here or before."""
        new, own = self.carried.get(value, (value, None))
        if own == order:
            return new
        if (value, order) not in self.made:
            needed = order if own is None else then(inverse(own), order)
            self.made[value, order] = put(new, needed, at)
        return self.made[value, order]

    def finish(self) -> None:
        """Removes what was replaced; puts back what is used in the usual order."""
        for value, (new, order) in reversed(self.carried.items()):
            if value.uses:
                assert isinstance(new.owner, GraphOp)
                after = InsertPoint.after(new.owner)
                value.replace_all_uses_with(put(new, inverse(order), after))
            assert isinstance(value.owner, GraphOp)
            Rewriter.erase_op(value.owner)


def elements(value: SSAValue) -> int:
    """About how many elements a value has."""
    return guess(product(sizes(tensor_type(value))))


def is_constant(value: SSAValue) -> bool:
    """Whether a value is made of nothing, so that it is put in order beforehand."""
    return isinstance(value.owner, GraphOp | WeightOp) and not value.owner.operands


def is_view(shape: Sequence[Dim], order: Order) -> bool:
    """Whether only axes of one element change their positions."""
    more = len(order) - len(shape)
    wide = [each - more for each in order if each >= more and shape[each - more] != 1]
    return wide == sorted(wide)


def put(value: SSAValue, order: Order, at: InsertPoint) -> SSAValue:
    """Builds the value in an order; axes that it lacks come first."""
    shape = sizes(tensor_type(value))
    ones = (1,) * (len(order) - len(shape))
    if is_view(shape, order):
        names = to_names(ordered((*ones, *shape), order))
        op = ReshapeOp(value, shape=names)
    else:
        if ones:
            wide = ReshapeOp(value, shape=to_names((*ones, *shape)))
            Rewriter.insert_op(wide, at)
            value = wide.result
        op = PermuteOp(value, order=order)
    if isinstance(value.owner, GraphOp):
        op.location = value.owner.location
    Rewriter.insert_op(op, at)
    return op.result
