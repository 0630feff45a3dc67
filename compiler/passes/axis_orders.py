"""Compute ops in other orders of axes, as `assign-layouts` plans, by permutations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import sizes, tensor_type
from ...dialects.graph import (
    Carried,
    GraphOp,
    Order,
    PermuteOp,
    ReshapeOp,
    inverse,
    is_view,
    ordered,
    then,
    to_names,
)


def reorder(block: Block, plan: Mapping[Operation, Carried]) -> None:
    """Replaces each op of a plan by one that computes in the planned order."""
    builder = _Builder()
    for op in list(block.ops):
        if isinstance(op, GraphOp) and op in plan:
            builder.replace(op, plan[op])
    builder.finish()


@dataclass
class _Builder:
    """Builds ops in other orders, and the permutations between them."""

    carried: dict[SSAValue, tuple[SSAValue, Order]] = field(
        default_factory=dict[SSAValue, tuple[SSAValue, Order]]
    )
    """The new value and its order, for each value computed in another order."""

    made: dict[tuple[SSAValue, Order], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, Order], SSAValue]
    )
    """The permutations built so far."""

    def replace(self, op: GraphOp, carried: Carried) -> None:
        """Builds an op in another order; `finish` removes the old one."""
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
        """The value in an order, permuted before `at` if needed."""
        new, own = self.carried.get(value, (value, None))
        if own == order:
            return new
        if (value, order) not in self.made:
            needed = order if own is None else then(inverse(own), order)
            self.made[value, order] = _put(new, needed, at)
        return self.made[value, order]

    def finish(self) -> None:
        """
        Removes replaced ops; permutes values back for users in the original order.
        """
        for value, (new, order) in reversed(self.carried.items()):
            if value.uses:
                assert isinstance(new.owner, GraphOp)
                after = InsertPoint.after(new.owner)
                value.replace_all_uses_with(_put(new, inverse(order), after))
            assert isinstance(value.owner, GraphOp)
            Rewriter.erase_op(value.owner)


def _put(value: SSAValue, order: Order, at: InsertPoint) -> SSAValue:
    """Builds the permutation of a value; missing axes are added in front."""
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
