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
back through an op to what it is computed from, when that is no larger. Permutations
remain where a chain begins and ends; `fold-constants` computes those of weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects.dims import guess, product
from ....dialects.graph.literal import to_names
from ....dialects.graph.op import GraphOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.graph.order import Carried, Order, inverse, ordered, then
from ....dialects.graph.shape import sizes, tensor_type


@dataclass(frozen=True)
class AssignLayouts(ModulePass):
    """Computes chains of ops in the order of axes that they are computed best in."""

    name = "assign-layouts"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in [each for each in op.walk() if isinstance(each, func.FuncOp)]:
            if not function.is_declaration:
                Layouts().assign(function.body.block)


@dataclass
class Layouts:
    """The orders in which the values of one block are computed."""

    carried: dict[SSAValue, tuple[SSAValue, Order]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, Order]]
    )
    """What is computed in another order: by which value, and in which order."""

    made: dict[tuple[SSAValue, Order], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Order], SSAValue]
    )
    """What has been put in an order."""

    def assign(self, block: Block) -> None:
        """Carries every op that is better computed in another order."""
        for op in list(block.ops):
            if isinstance(op, GraphOp) and (carried := self.wanted(op)) is not None:
                self.rebuild(op, carried, InsertPoint.before(op))
        for value, (new, order) in reversed(self.carried.items()):
            if value.uses:
                assert isinstance(new.owner, GraphOp)
                after = InsertPoint.after(new.owner)
                value.replace_all_uses_with(put(new, inverse(order), after))
            assert isinstance(value.owner, GraphOp)
            Rewriter.erase_op(value.owner)

    def wanted(self, op: GraphOp) -> Carried | None:
        """How the op is computed in another order, when it should be."""
        if len(op.results) != 1 or op.regions:
            return None
        if (preferred := op.preferred) is not None:
            return op.carry(0, preferred)
        for number, operand in enumerate(op.operands):
            if operand in self.carried:
                _, order = self.carried[operand]
                carried = op.carry(number, order)
                if carried is not None and self.pays(op, carried):
                    return carried
        return None

    def pays(self, op: GraphOp, carried: Carried) -> bool:
        """Whether no more has to be put in order than is in order already."""
        ready = missing = 0
        for operand, order in zip(op.operands, carried.operands, strict=True):
            if order is not None:
                cost = self.cost(operand, order)
                missing += cost
                ready += elements(operand) if operand in self.carried else 0
        return missing <= ready

    def cost(self, value: SSAValue, order: Order) -> int:
        """How many elements have to be moved to have a value in an order."""
        if value in self.carried:
            new, own = self.carried[value]
            return 0 if is_view(new, then(inverse(own), order)) else elements(new)
        if is_constant(value) or is_view(value, order):
            return 0
        carried = self.led_back(value, order)
        return elements(value) if carried is None else self.total(value, carried)

    def total(self, value: SSAValue, carried: Carried) -> int:
        """How many elements have to be moved to compute a value so."""
        assert isinstance(value.owner, GraphOp)
        operands = zip(value.owner.operands, carried.operands, strict=True)
        return sum(self.cost(each, o) for each, o in operands if o is not None)

    def led_back(self, value: SSAValue, order: Order) -> Carried | None:
        """
        How a value is computed in this order, when less is moved than to move it.
        """
        op = value.owner
        if not isinstance(op, GraphOp) or len(op.results) != 1 or op.regions:
            return None
        if not op.operands or not value.has_one_use():
            return None
        carried = op.carry(0, order)
        if carried is None or carried.result != order:
            return None
        # Operands that are as large as the result gain nothing.
        largest = max(map(elements, op.operands))
        return carried if largest < elements(value) else None

    def in_order(self, value: SSAValue, order: Order, at: InsertPoint) -> SSAValue:
        """The value in an order; what makes it stands at this place or before."""
        if value in self.carried:
            new, own = self.carried[value]
            if own == order:
                return new
        if (value, order) not in self.made:
            if value in self.carried:
                new, own = self.carried[value]
                made = put(new, then(inverse(own), order), at)
            elif (carried := self.led_back(value, order)) is not None:
                assert isinstance(value.owner, GraphOp)
                made = self.rebuild(value.owner, carried, at)
            else:
                made = put(value, order, at)
            self.made[value, order] = made
        return self.made[value, order]

    def rebuild(self, op: GraphOp, carried: Carried, at: InsertPoint) -> SSAValue:
        """Builds an op in another order; its new result."""
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
        return new.results[0]


def elements(value: SSAValue) -> int:
    """About how many elements a value has."""
    return guess(product(sizes(tensor_type(value))))


def is_constant(value: SSAValue) -> bool:
    """Whether a value is made of nothing, so that it is put in order beforehand."""
    return isinstance(value.owner, GraphOp) and not value.owner.operands


def is_view(value: SSAValue, order: Order) -> bool:
    """Whether only axes of one element change their places."""
    shape = sizes(tensor_type(value))
    more = len(order) - len(shape)
    wide = [each - more for each in order if each >= more and shape[each - more] != 1]
    return wide == sorted(wide)


def put(value: SSAValue, order: Order, at: InsertPoint) -> SSAValue:
    """Builds the value in an order; axes that it lacks come first."""
    shape = sizes(tensor_type(value))
    ones = (1,) * (len(order) - len(shape))
    if is_view(value, order):
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
