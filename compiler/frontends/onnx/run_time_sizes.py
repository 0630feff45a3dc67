"""Sizes that an input of a node holds: known ones, and those that the run computes."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import OpResult, SSAValue

from ....dialects import (
    Dim,
    Polynomial,
    divides,
    floordiv,
    maximum,
    primitive,
    product,
    sizes,
    tensor_type,
)
from ....dialects.graph import (
    CastOp,
    ConcatOp,
    DefineSymbolOp,
    DivOp,
    EqOp,
    LtOp,
    MaximumOp,
    MulOp,
    ReshapeOp,
    WhereOp,
    convert,
    quantity,
    taken,
)
from ..unsupported import NeedsValue
from .node import Node


def define(node: Node, value: SSAValue, what: str, high: Dim) -> Polynomial:
    """Builds the definition of a new symbol in 0 to `high` by an i64 tensor."""
    made = node.symbols.define(f"{node.name}_{what}")
    DefineSymbolOp(value, symbol=str(made), low="0", high=str(high))
    return made


def define_bounded(node: Node, values: Sequence[SSAValue], what: str) -> list[Dim]:
    """
    Builds the definitions of new symbols that only the user's bounds limit.

    Raises `Unsupported` with the names of all that have no bound.
    """
    made = [
        node.symbols.define(f"{node.name}_{what}{at if len(values) > 1 else ''}")
        for at in range(len(values))
    ]
    bounds = node.symbols.bounds
    if missing := [str(each) for each in made if str(each) not in bounds]:
        wanted = ", ".join(f"{each!r}: 4096" for each in missing)
        raise NeedsValue(
            values,
            f"a {what} that is computed when the model runs, which needs a bound: "
            f"compile with Options(bounds={{{wanted}}}), or whatever is the most",
        )
    for each, value in zip(made, values, strict=True):
        DefineSymbolOp(value, symbol=str(each), low="0", high=str(bounds[str(each)]))
    return list(made)


def run_time_sizes(node: Node, place: int, what: str) -> list[Dim]:
    """
    The elements of the input at this position as sizes: known ones, or new symbols with
    the user's bounds.
    """
    if node.known(place) is not None:
        return node.dims(place)
    found = [
        settled(node, node.operand(place), at) for at in range(_count(node, place))
    ]
    new = [at for at, each in enumerate(found) if each is None]
    values = [element(node, place, at) for at in new]
    defined = dict(zip(new, define_bounded(node, values, what), strict=True))
    return [defined[at] if each is None else each for at, each in enumerate(found)]


def run_time_shape(node: Node, keeps_zero: bool) -> list[Dim]:
    """
    The sizes of a Reshape whose shape the run computes, where 0 may keep a size and -1
    stand for the rest. Where one of them is not known, it is the rest.
    """
    old, count = node.shape(0), _count(node, 1)
    total = product(old)
    shape: list[Dim | None] = []
    values: list[SSAValue] = []
    negated = quantity(-1, i64)
    for at in range(count):
        size = settled(node, node.operand(1), at)
        copies = not keeps_zero and at < len(old)
        if copies and size == 0:
            size = old[at]
        elif copies and size is not None:
            require_no_zero(node, at, size)
        shape.append(None if size == -1 else size)
        value = element(node, 1, at) if size is None else quantity(size, i64)
        if copies and size is None:
            zero = quantity(0, i64)
            value = WhereOp(EqOp(value, zero), quantity(old[at], i64), value).result
        values.append(value)
        negated = MulOp(negated, value).result
    # Positive where the rest is not empty, and one size is -1; else none is found.
    rest, one = negated, quantity(1, i64)
    left = DivOp(quantity(total, i64), MaximumOp(rest, one))
    left = WhereOp(LtOp(rest, one), quantity(-1, i64), left)
    new = [at for at, each in enumerate(shape) if each is None]
    found = [WhereOp(_is_rest(values[at]), left, values[at]).result for at in new]
    if len(new) == 1:
        implied = floordiv(total, product(each for each in shape if each is not None))
        made = str(node.symbols.define(f"{node.name}_size"))
        only = str(implied)
        DefineSymbolOp(found[0], symbol=made, low=only, high=only)
        return [implied if each is None else each for each in shape]
    defined = dict(zip(new, define_bounded(node, found, "size"), strict=True))
    return [defined[at] if each is None else each for at, each in enumerate(shape)]


def require_no_zero(node: Node, at: int, size: Dim) -> None:
    """
    Builds the check that a size that a Reshape computes along an axis is not 0, where
    that would keep another size of the input.
    """
    old = node.shape(0)
    if at < len(old) and not keeps(size, old[at]):
        node.require(
            maximum(size - 1, old[at] * -1),
            f"a size {size} other than 0, which keeps the size {old[at]} of axis {at}",
            size,
            old[at],
        )


def keeps(size: Dim, old: Dim) -> bool:
    """Whether a size that a Reshape computes is not 0, or the size of the input is."""
    return isinstance(size, int) or divides(primitive(size), old)


def _is_rest(size: SSAValue) -> SSAValue:
    """Builds whether a size stands for what the others leave."""
    return EqOp(size, quantity(-1, i64)).result


def element(node: Node, place: int, at: int) -> SSAValue:
    """Builds one element of a vector input, as an i64."""
    return convert(taken(node.operand(place), 0, at), i64)


def settled(node: Node, value: SSAValue, at: int) -> Dim | None:
    """
    One element of a vector that the graph computes, where it is a number or follows
    from sizes; None when it is computed from data.
    """
    if (known := node.emitted.get(value)) is not None:
        return known.dims()[at]
    match value.owner if isinstance(value, OpResult) else None:
        case CastOp(input=inner):
            return settled(node, inner, at)
        case ReshapeOp(input=inner) if len(sizes(tensor_type(inner))) <= 1:
            return settled(node, inner, at)
        case ConcatOp() as op:
            for part in op.operands:
                (length,) = sizes(tensor_type(part))
                if not isinstance(length, int):
                    return None
                if at < length:
                    return settled(node, part, at)
                at -= length
            return None
        case _:
            return None


def _count(node: Node, place: int) -> int:
    """How many elements a vector input has; raises `NeedsValue` when that varies."""
    match node.shape(place):
        case (int(count),):
            return count
        case (other,):
            why = f"as many sizes as are known when the model runs, {other}"
            raise NeedsValue([node.operand(place)], why)
        case _:
            raise node.error(f"expected a vector of sizes, got {node.type(place)}")
