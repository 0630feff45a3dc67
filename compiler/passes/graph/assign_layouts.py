"""
Choose the layout of each tensor: the axis order that its users compute best in.

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

Each op says which order of its operand it prefers (`preferred`), and how it is computed
when an operand is in another order (`carry`); so no op is named here. Convolutions
prefer channels last: then weights and result are contiguous in the output channels, and
the reduction reads contiguous memory. The order is propagated to users as long as they
can carry it, unless more elements would have to be permuted for an op than are in the
order already. An order is propagated back through an op to its operands when these are
smaller, or to a permutation of the model's own, but through none whose bits it changes:
whether it is depends on sizes. Permutations remain where a chain begins and ends;
`fold-constants` computes those of weights, and one of the model becomes one with that
of a chain. A chain that computes too little for the elements that it permutes stays in
its order. As that depends on sizes, and results must not, its ops get the properties
(`Carried.unmoved`) with which they compute the same bits as in the other order.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.passes import ModulePass

from ....dialects import guess, product, sizes, tensor_type
from ....dialects.graph import (
    Carried,
    CastOp,
    GraphOp,
    Order,
    PermuteOp,
    ReshapeOp,
    WeightOp,
    inverse,
    is_view,
    ordered,
    then,
)
from ....dialects.graph.compose import rounding
from ..axis_orders import reorder
from ..defined_functions import defined_functions
from .tile_products import elements

_POINTS_PER_PERMUTED_ELEMENT = 64
"""The points of a preferred nest that pay for one permuted element."""


@dataclass(frozen=True)
class AssignLayouts(ModulePass):
    """Computes chains of ops in their preferred axis order."""

    name = "assign-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            block = function.body.block
            choice = _Choice(block)
            for each, carried in choice.plan.items():
                if not choice.chains[each].pays:
                    each.properties |= carried.unmoved
            reorder(block, choice.made())
        rounding.narrow_casts(op.walk())


@dataclass
class _Chain:
    """Ops that share an order, their points, and the elements permuted for them."""

    ops: list[GraphOp]
    points: int = 0
    moved: int = 0

    @property
    def pays(self) -> bool:
        """Whether the chain computes enough to pay for its permutations."""
        return self.points >= _POINTS_PER_PERMUTED_ELEMENT * self.moved


class _Choice:
    """Chooses which ops of a block are computed in another order, and how."""

    def __init__(self, block: Block):
        """Makes the choice for the ops of `block`."""
        self.plan: dict[Operation, Carried] = {}
        self.chains: dict[Operation, _Chain] = {}
        self.orders: dict[SSAValue, Order] = {}
        """The orders of values that are not computed in their original order."""
        self.permuted: set[tuple[SSAValue, Order]] = set()
        for op in block.ops:
            if isinstance(op, GraphOp) and (carried := self.wanted(op)) is not None:
                self.carry(op, carried)
        for value, order in self.orders.items():
            self.leave(value, order)

    def made(self) -> dict[Operation, Carried]:
        """
        The ops to compute in another order, without those of chains that do not pay.
        """
        return {
            op: carried for op, carried in self.plan.items() if self.chains[op].pays
        }

    def wanted(self, op: GraphOp) -> Carried | None:
        """How the op is computed in another order, or None when it stays."""
        if len(op.results) != 1 or op.regions:
            return None
        if (preferred := op.preferred) is not None:
            return op.carry(0, preferred)
        for number, operand in enumerate(op.operands):
            if operand in self.orders:
                carried = op.carry(number, self.orders[operand])
                if carried is not None and self.is_ready(op, carried):
                    return carried
            elif self.is_own(operand):
                assert isinstance(operand.owner, PermuteOp)
                carried = op.carry(number, inverse(operand.owner.order.get_values()))
                if carried is not None and self.joins(op, carried):
                    return carried
        return None

    def is_own(self, value: SSAValue) -> bool:
        """Whether a value is permuted by the model, whatever is chosen."""
        return isinstance(value.owner, PermuteOp) and value.owner not in self.plan

    def joins(self, op: GraphOp, carried: Carried) -> bool:
        """
        Whether an op may go before a permutation that the model has for it alone, or
        for several operands alike, without a change of bits.
        """
        pairs = zip(op.operands, carried.operands, strict=True)
        operands = [(each, order) for each, order in pairs if order is not None]
        permuted = {each for each, _ in operands if self.is_own(each)}
        is_free = not any(self.cost(*each) for each in operands)
        is_alone = all(each.has_one_use() for each in permuted)
        return is_free and (is_alone or len(permuted) > 1) and not carried.unmoved

    def is_ready(self, op: GraphOp, carried: Carried) -> bool:
        """Whether no more elements must be permuted than are in the order already."""
        ready = missing = 0
        for operand, order in zip(op.operands, carried.operands, strict=True):
            if order is not None:
                missing += self.cost(operand, order)
                ready += elements(operand) if operand in self.orders else 0
        return missing <= ready

    def cost(self, value: SSAValue, order: Order) -> int:
        """The number of elements to move to have a value in an order."""
        total, waiting = 0, [(value, order)]
        while waiting:
            value, order = waiting.pop()
            own = self.orders.get(value)
            if own is not None:
                needed = then(inverse(own), order)
                shape = ordered(sizes(tensor_type(value)), own)
                total += 0 if is_view(shape, needed) else elements(value)
            elif _is_constant(value) or is_view(sizes(tensor_type(value)), order):
                continue
            elif isinstance(op := value.owner, PermuteOp) and (
                value.has_one_use()
                or is_view(op.operand_sizes()[0], then(op.order.get_values(), order))
            ):
                continue  # Two permutations become one, or none.
            elif (carried := self.led_back(value, order)) is None:
                total += elements(value)
            else:
                assert isinstance(value.owner, GraphOp)
                operands = zip(value.owner.operands, carried.operands, strict=True)
                waiting += [(each, o) for each, o in operands if o is not None]
        return total

    def led_back(self, value: SSAValue, order: Order, most: int = 4) -> Carried | None:
        """
        How a value is computed in this order from permuted operands, if these are
        smaller, or permuted anyway, at most `most` ops before.
        """
        op = value.owner
        if not isinstance(op, GraphOp) or len(op.results) != 1 or op.regions:
            return None
        if not op.operands or not value.has_one_use() or op in self.plan:
            return None
        if len(sizes(tensor_type(value))) != len(order):
            # It is broadcast: the order has axes that the value lacks.
            return None
        # The order applies to the first operand only when it has as many axes.
        before = op.carry_back(order) if isinstance(op, ReshapeOp) else order
        if before is None or len(op.operand_sizes()[0]) != len(before):
            return None
        carried = op.carry(0, before)
        if carried is None or carried.result != order or carried.unmoved:
            return None
        # Permuting operands as large as the result gains nothing.
        pairs = zip(op.operands, carried.operands, strict=True)
        large = [each for each in pairs if elements(each[0]) >= elements(value)]
        return carried if all(self.is_permuted(*e, most) for e in large) else None

    def is_permuted(self, value: SSAValue, order: Order | None, most: int) -> bool:
        """Whether a value is permuted anyway, so that it may be to this order."""
        if order is None or value in self.orders or not most:
            return False
        if isinstance(value.owner, PermuteOp):
            return value.has_one_use()
        return self.led_back(value, order, most - 1) is not None

    def carry(self, op: GraphOp, carried: Carried) -> None:
        """
        Plans an op in another order, and the ops that supply its operands in their
        orders.
        """
        waiting = self.begin(op, carried)
        while waiting:
            _, value, order = waiting[-1]
            back = None
            if value not in self.orders and not _is_constant(value):
                back = self.led_back(value, order)
            if back is None:
                self.supply(*waiting.pop())
            else:
                assert isinstance(value.owner, GraphOp)
                waiting += self.begin(value.owner, back)

    def begin(
        self, op: GraphOp, carried: Carried
    ) -> list[tuple[GraphOp, SSAValue, Order]]:
        """
        Plans one op in another order; returns the operands to permute, the last first.
        """
        self.plan[op] = carried
        chain = self.chains[op] = _Chain([op])
        if carried.result != tuple(range(len(carried.result))):
            self.orders[op.results[0]] = carried.result
        if op.preferred is not None:
            bounds = (nest.bounds for nest in op.nests() or ())
            chain.points = sum(guess(product(each)) for each in bounds)
        operands = zip(op.operands, carried.operands, strict=True)
        return [(op, v, order) for v, order in operands if order is not None][::-1]

    def supply(self, op: GraphOp, value: SSAValue, order: Order) -> None:
        """Notes the cost of supplying an operand in an order, and joins its chain."""
        if value in self.orders:
            self.join(op, value.owner)
        if (value, order) not in self.permuted:
            self.permuted.add((value, order))
            self.chains[op].moved += self.cost(value, order)

    def join(self, op: Operation, other: Operation | Block) -> None:
        """Merges the chains of two ops."""
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
        """Notes the cost of permuting a value back for users in the original order."""
        assert isinstance(value.owner, Operation), "what is carried is a result"
        for use in value.uses:
            carried = self.plan.get(use.operation)
            if carried is None or carried.operands[use.index] is None:
                shape = ordered(sizes(tensor_type(value)), order)
                if not is_view(shape, inverse(order)):
                    self.chains[value.owner].moved += elements(value)
                return


def _is_constant(value: SSAValue) -> bool:
    """
    Whether a value has no operands, so that its permutation folds at compile time; or
    is one that a cast only widens, behind which the permutation goes (`sink-casts`).
    """
    if isinstance(value.owner, CastOp) and value.owner.only_widens:
        value = value.owner.input
    return isinstance(value.owner, GraphOp | WeightOp) and not value.owner.operands
