"""Values that branches and trips hand on, whose sizes must be those of one type."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, SSAValue

from ...agreement import agreed, agreed_shape
from ...dims import Dim
from ...shape import sizes, tensor, tensor_type
from .shaping import retyped


def may_be(value: SSAValue, type: Attribute) -> bool:
    """Whether a value has a type in some run."""
    here, there = tensor_type(value), tensor_type(type)
    return (
        here.element_type == there.element_type
        and agreed_shape(sizes(here), sizes(there)) is not None
    )


def retype_yields(
    block: Block,
    first: int,
    types: Sequence[Attribute],
    op: str,
    location: LocationAttr,
) -> None:
    """
    Gives what a block yields, from number `first` on, these types; `op` requires their
    sizes.
    """
    end = block.last_op
    assert end is not None, "a block ends with what it yields"
    before = end.prev_op
    end.detach()
    with ImplicitBuilder(block):
        for number, type in enumerate(types, first):
            value, shape = end.operands[number], sizes(tensor_type(type))
            end.operands[number] = retyped(value, shape, op)
    built = block.first_op if before is None else before.next_op
    while built is not None:
        built.location = location
        built = built.next_op
    block.add_op(end)


def unite(
    blocks: Sequence[Block],
    op: str,
    location: LocationAttr,
    either: Callable[[Dim, Dim], Dim | None] = agreed,
) -> bool:
    """
    Gives what two branches yield one type each, which a branch that runs must yield;
    false where they have none. Sizes that differ become what is made of `either`.
    """
    ends = [end for block in blocks if (end := block.last_op) is not None]
    types: list[Attribute] = []
    for pair in zip(*(end.operands for end in ends), strict=True):
        first, second = map(tensor_type, pair)
        shape = _shape_of_either(sizes(first), sizes(second), either)
        if shape is None or first.element_type != second.element_type:
            return False
        types.append(tensor(first.element_type, *shape))
    for block in blocks:
        retype_yields(block, 0, types, op, location)
    return True


def _shape_of_either(
    a: Sequence[Dim], b: Sequence[Dim], either: Callable[[Dim, Dim], Dim | None]
) -> tuple[Dim, ...] | None:
    """The shape of what is `a` in some runs and `b` in others; None if none is."""
    if len(a) != len(b):
        return None
    found = [x if x == y else either(x, y) for x, y in zip(a, b, strict=True)]
    known = tuple(each for each in found if each is not None)
    return known if len(known) == len(found) else None
