"""
Tell what a k-loop multiplies: the loads of its two factors, and what is made of them.

A factor is an element that is loaded, or what the k-loop computes of it alone, such as
a conversion. The factor B may be made of several loads: of steps, and of the scale and
the zero point of the group that these belong to, which move with the columns and with
some of the indices of the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import math
from xdsl.ir import Block, Operation, SSAValue

from .ops.memory import LoadOp
from .subscript import is_computed_in


@dataclass(frozen=True)
class Factors:
    """The loads of A and of B, and those beside it that B is made of as well."""

    a: LoadOp
    b: LoadOp
    beside: tuple[LoadOp, ...] = ()


def find_factors(block: Block) -> Factors | None:
    """
    The loads of A, which moves with the rows, and of B, which moves with the columns.

    None unless the k-loop is a product of two such elements, or of what is computed
    from each alone (`made_of`).
    """
    row, column, *_ = block.args
    loads = {op: op.indices for op in block.ops if isinstance(op, LoadOp)}
    across = [each for each, indices in loads.items() if column in indices]
    down = [each for each in loads if each not in across]
    if len(down) != 1 or not across or any(row in loads[each] for each in across):
        return None
    if any(is_computed_in(block, each) for found in loads.values() for each in found):
        return None
    (a,) = down
    if len(across) == 1:
        return Factors(a, across[0], ())
    # Of loads that move alike the first is of the steps.
    b = max(across, key=lambda each: len({*each.indices}))
    beside = tuple(each for each in across if each is not b)
    widths = {None if e.at.blocked is None else e.at.blocked.size for e in across}
    if len(widths) > 1 or any(not {*e.indices} <= {*b.indices} for e in beside):
        return None
    if beside and not _are_one_factor(block, a, across):
        return None
    return Factors(a, b, beside)


def made_of(block: Block, load: LoadOp) -> list[Operation]:
    """
    What the k-loop computes of one load alone, such as a conversion of it; of B with
    the loads beside it, if there are any.
    """
    known, found = {load.result}, list[Operation]()
    factors = find_factors(block)
    if factors is not None and factors.beside and load is factors.b:
        product = _product(block)
        assert product is not None, "B is made of several loads in a product"
        others = (_made_from(each) for each in product.operands[:2])
        inside = next(each for each in others if load in each)
        return [op for op in block.ops if op in inside and op is not load]
    for op in block.ops:
        if op.operands and op.results and known.issuperset(op.operands):
            known.update(op.results)
            found.append(op)
    return found


def _product(block: Block) -> math.FmaOp | None:
    """The multiply-add that a k-loop ends in, to what is summed so far."""
    end = block.last_op
    assert end is not None, "a k-loop yields"
    last = end.operands[0].owner
    if isinstance(last, math.FmaOp) and last.operands[2] is block.args[-1]:
        return last
    return None


def _are_one_factor(block: Block, a: LoadOp, across: Sequence[LoadOp]) -> bool:
    """
    Whether a k-loop multiplies what is made of A with what is made of all loads that
    move with the columns.
    """
    product = _product(block)
    if product is None:
        return False
    row, *_, so_far = block.args
    one, other = (_made_from(each) for each in product.operands[:2])
    if a in other:
        one, other = other, one
    used = {each for op in other for each in op.operands}
    return (
        a in one and other >= {*across} and not used & {row, so_far} and not one & other
    )


def _made_from(value: SSAValue) -> set[Operation]:
    """The ops of a block that a value is computed by, with what they take from it."""
    found, waiting = set[Operation](), [value]
    while waiting:
        owner = waiting.pop().owner
        if isinstance(owner, Operation) and owner not in found:
            if owner.parent is not None and _is_inside(owner, value):
                found.add(owner)
                waiting += owner.operands
    return found


def _is_inside(op: Operation, value: SSAValue) -> bool:
    """Whether an op stands in the block in which a value is computed."""
    return isinstance(value.owner, Operation) and op.parent is value.owner.parent
