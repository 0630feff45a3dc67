"""Sizes that an input of a node holds: known ones, and those that the run computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerType, NameLoc, i64
from xdsl.ir import Operation, OpResult, SSAValue

from ....dialects import (
    Array,
    Dim,
    Element,
    Polynomial,
    divides,
    floordiv,
    maximum,
    primitive,
    product,
    sizes,
    symbols_of,
    tensor_type,
)
from ....dialects.graph import (
    CastOp,
    DefineSymbolOp,
    DivOp,
    EqOp,
    GraphOp,
    LtOp,
    MaximumOp,
    MulOp,
    WhereOp,
)
from ....dialects.graph.compose import at_index, convert, quantity
from ..known import MAX_EVALUATED
from ..unsupported import NeedsBound, NeedsValue
from .node import Node
from .size_bounds import bound_of
from .small_tensors import MOVERS


def define(node: Node, value: SSAValue, what: str, high: Dim) -> Polynomial:
    """Builds the definition of a new symbol in 0 to `high` by an i64 tensor."""
    made = node.symbols.define(f"{node.name}_{what}")
    DefineSymbolOp(value, symbol=str(made), low="0", high=str(high))
    return made


def define_bounded(node: Node, values: Sequence[SSAValue], what: str) -> list[Dim]:
    """
    Builds the definitions of new symbols that only the user's bounds limit.

    Raises `NeedsBound` with the names of all that have no bound.
    """
    made = [
        node.symbols.define(f"{node.name}_{what}{at if len(values) > 1 else ''}")
        for at in range(len(values))
    ]
    _bound(node, dict(zip(made, values, strict=True)), what)
    return list(made)


def _bound(node: Node, made: Mapping[Polynomial, SSAValue], what: str) -> None:
    """
    Builds the definitions of symbols by their values, whose bound is that of the user
    or follows from sizes; or raises `NeedsBound`.
    """
    given = node.symbols.bounds
    bounds = {
        each: given[str(each)] if str(each) in given else bound_of(node, value)
        for each, value in made.items()
    }
    if missing := [each for each in made if bounds[each] is None]:
        why = f"a {what} that is computed when the model runs, which needs a bound"
        values = [made[each] for each in missing]
        raise NeedsBound(values, why, map(str, missing))
    for each, value in made.items():
        DefineSymbolOp(value, symbol=str(each), low="0", high=str(bounds[each]))


def run_time_sizes(node: Node, place: int, what: str) -> list[Dim]:
    """
    The elements of the input at this position as sizes: known ones, or symbols with
    the user's bounds, which are the same for all nodes that read the same element.
    """
    if node.known_input(place) is not None:
        return node.dims(place)
    found: list[Dim] = []
    made: dict[Polynomial, SSAValue] = {}
    known = node.symbols.run_time
    for at in range(_count(node, place)):
        size = settled(node, node.operand(place), at)
        if size is None:
            value = element(node, place, at)
            source = _source(node, node.operand(place), at)
            # A symbol is known in the block that defines it.
            key = value.owner.parent_block(), *source
            if is_new := key not in known:
                known[key] = node.symbols.define(_name_of(*source))
            size = known[key]
            is_bounded = str(size) in node.symbols.bounds
            if is_new or not (is_bounded or bound_of(node, value) is not None):
                made[size] = value
        found.append(size)
    _bound(node, made, what)
    return found


def _name_of(value: SSAValue, at: int) -> str:
    """The name of an element after the input of the model, or the node it is of."""
    owner = value.owner
    name = value.name_hint or "size"
    if isinstance(owner, Operation) and isinstance(owner.location, NameLoc):
        name = owner.location.desc.data
    return name if product(sizes(tensor_type(value))) == 1 else f"{name}_{at}"


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
    found: list[SSAValue] = []
    for size in (values[at] for at in new):
        is_rest = EqOp(size, quantity(-1, i64))
        found.append(WhereOp(is_rest, left, size).result)
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


def element(node: Node, place: int, at: int) -> SSAValue:
    """Builds one element of a vector input, as an i64."""
    return convert(at_index(node.operand(place), 0, at), i64)


def settled(node: Node, value: SSAValue, at: int) -> Dim | None:
    """
    One element of a tensor that the graph computes, where it is a number or follows
    from sizes; None when it is computed from data.
    """
    source, at = _source(node, value, at)
    known = node.emitted.get(source)
    return None if known is None else known.dims()[at]


def _source(node: Node, value: SSAValue, at: int) -> tuple[SSAValue, int]:
    """The value that an element of a tensor is taken from as it is, and its place."""
    op = value.owner if isinstance(value, OpResult) else None
    if value in node.emitted:
        return value, at
    if isinstance(op, CastOp) and isinstance(_element(op.input), IntegerType):
        return _source(node, op.input, at)
    if isinstance(op, MOVERS) and (origin := _moved_from(op, at)) is not None:
        return _source(node, *origin)
    return value, at


def _moved_from(op: GraphOp, at: int) -> tuple[SSAValue, int] | None:
    """
    The operand of an op that moves elements, and the place there, that an element of
    its result is from; None where that is not known.
    """
    if any(map(symbols_of, op.dimensions())):
        return None
    origins: list[tuple[SSAValue, int]] = []
    arrays: list[Array] = []
    for each in op.operands:
        shape = [size for size in sizes(tensor_type(each)) if isinstance(size, int)]
        first, count = len(origins), prod(shape)
        if len(shape) < len(sizes(tensor_type(each))) or first + count > MAX_EVALUATED:
            return None
        origins += [(each, place) for place in range(count)]
        arrays.append(np.arange(first, first + count).reshape(shape))
    moved: list[int] = op.run_reference(arrays, {})[0].ravel().tolist()
    return origins[moved[at]]


def _element(value: SSAValue) -> Element:
    return tensor_type(value).element_type


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
