"""Tell whether an op computes each row of its result of the same row of operands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from ...dialects import Dim, dim, sizes, symbols_of, tensor, tensor_type
from ...dialects.graph import (
    Extent,
    GraphOp,
    Linear,
    Lookup,
    Nest,
    Position,
    Read,
    RegionOp,
    ReshapeOp,
    Where,
    axis,
    texts,
    to_names,
)


def has_rows(value: SSAValue, count: Dim) -> bool:
    """
    Whether the first axis of a tensor has `count` rows; of a symbol no other size
    depends.
    """
    first, *rest = sizes(tensor_type(value)) or (0,)
    return first == count and is_free(rest, count)


def is_free(shape: Iterable[Dim], count: Dim) -> bool:
    """Whether sizes have nothing to do with the symbols of a number of rows."""
    return all(symbols_of(each).isdisjoint(symbols_of(count)) for each in shape)


def is_row_wise(op: GraphOp, rows: Set[SSAValue], count: Dim) -> bool:
    """
    Whether each of `count` rows of the result of an op is computed of the same row of
    those operands that are `rows`, and of all of the others, which have no such size.
    """
    if isinstance(op, RegionOp) or len(op.results) != 1:
        return False
    others = [each for each in op.operands if each not in rows]
    free = all(is_free(sizes(tensor_type(each)), count) for each in others)
    if not free or not has_rows(op.results[0], count):
        return False
    if not _takes_one_row(op, rows, count):
        return False
    if isinstance(op, ReshapeOp):
        # Rows are parts of the same memory before and after.
        return not others
    nests, are_rows = op.nests(), [each in rows for each in op.operands]
    return bool(nests) and all(_goes_by_row(e, are_rows, count) for e in nests or ())


def properties_of_row(op: GraphOp, count: Dim) -> dict[str, Attribute]:
    """The properties of an op whose result has one row instead of `count`."""
    shapes = {name: to_names(each) for name, each in _shapes_of_row(op, count).items()}
    return {**op.properties, **shapes}


def _shapes_of_row(op: GraphOp, count: Dim) -> dict[str, list[Dim]]:
    """The properties that are shapes of a result which has one row."""
    rank, found = len(sizes(tensor_type(op.results[0]))), dict[str, list[Dim]]()
    for name in {*op.DIM_PROPERTIES} & op.properties.keys():
        value = op.values()[name]
        shape = [] if isinstance(value, str) else [*map(dim, texts(value))]
        if len(shape) == rank and shape[0] == count:
            found[name] = [1, *shape[1:]]
    return found


def _takes_one_row(op: GraphOp, rows: Set[SSAValue], count: Dim) -> bool:
    """Whether an op makes one row of one row."""
    shapes, values = _shapes_of_row(op, count), op.values()
    for name in {*op.DIM_PROPERTIES} & op.properties.keys():
        if not is_free(shapes.get(name, map(dim, texts(values[name]))), count):
            return False
    types = [_type_of_row(e) if e in rows else e.type for e in op.operands]
    try:
        made = op.infer_types(types, properties_of_row(op, count))
    except VerifyException:
        return False
    return made == (_type_of_row(op.results[0]),)


def _type_of_row(value: SSAValue) -> Attribute:
    """The type of one row of a tensor."""
    type = tensor_type(value)
    return tensor(type.element_type, 1, *sizes(type)[1:])


def _goes_by_row(nest: Nest, are_rows: Sequence[bool], count: Dim) -> bool:
    """Whether each point of a nest reads and writes elements of one row alone."""
    first = nest.write[0]
    if not isinstance(first, Linear) or len(first.factors) != 1:
        return False
    ((row, _),) = first.factors
    is_parallel = row < len(nest.bounds) - nest.reductions
    others = [each for number, each in enumerate(nest.bounds) if number != row]
    if first != axis(row) or not is_parallel or nest.bounds[row] != count:
        return False

    def is_of_row(at: Sequence[Position], of_rows: bool) -> bool:
        start, rest = (at[:1], at[1:]) if of_rows else ((), at)
        return [*start] == [axis(row)] * of_rows and all(
            is_of_row(each.at, are_rows[each.operand]) and is_free([each.bound], count)
            if isinstance(each, Lookup)
            else _stays(each, row, count)
            for each in rest
        )

    return (
        is_free(others, count)
        and is_of_row(nest.write, True)
        and all(is_of_row(each, True) for each in nest.also)
        and all(_stays(at, row, count) for at, _ in nest.clamped)
        and is_free([bound for _, bound in nest.clamped], count)
        and all(
            is_of_row(source.at, are_rows[source.operand])
            if isinstance(source, Read)
            else _is_alike(source, row, count)
            for source in nest.sources
        )
    )


def _is_alike(source: Extent | Where, row: int, count: Dim) -> bool:
    """Whether a number is the same for all rows, however many there are."""
    if isinstance(source, Extent):
        return source.size != count and is_free([source.size], count)
    return _stays(source.position, row, count)


def _stays(position: Linear, row: int, count: Dim) -> bool:
    """Whether a position does not move from row to row, however many there are."""
    return all(axis != row for axis, _ in position.factors) and is_free(
        [position.offset, *(factor for _, factor in position.factors)], count
    )
