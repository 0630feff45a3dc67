"""ONNX ops that make tensors: constants, shapes, ranges and patterns."""

from __future__ import annotations

from math import ceil, isfinite

import numpy as np
from xdsl.dialects.builtin import f64, i64
from xdsl.ir import SSAValue

from ....dialects import DTYPES, ceildiv, greater, product
from ....dialects.graph import (
    AddOp,
    CeilOp,
    DivOp,
    EqOp,
    GeOp,
    LeOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    MulOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    at_index,
    convert,
    counted,
    filled,
    number,
    plus,
    progression,
    quantity,
    reshaped,
)
from ..known import Known
from ..unsupported import Unsupported, Varies
from .node import Handler, Node, Result
from .rounded import element_like
from .run_time_sizes import define_bounded, run_time_sizes

_MAX_SIZE = 1 << 24
"""The most elements of a range that is stored."""

_MAX_COUNT = 1 << 62
"""More numbers than any range has."""

_FORMS = ("value_float", "value_floats", "value_int", "value_ints")
"""The attributes other than a tensor that may hold a constant."""


def constant(node: Node) -> Result:
    """The tensor in an attribute."""
    if node.gives_attribute("value"):
        return Known.of(node.stored("value"))
    for name in _FORMS:
        if name not in node.signature.attributes or not node.gives_attribute(name):
            continue
        found = node.attribute(name)
        assert found is not None, "the node has the attribute"
        values = {
            "value_float": found.f,
            "value_floats": list(found.floats),
            "value_int": found.i,
            "value_ints": list(found.ints),
        }
        kind = np.float32 if "float" in name else np.int64
        return Known.of(np.array(values[name], kind))
    given = ", ".join(each.name for each in node.proto.attribute)
    if not given:
        raise node.error("expected the attribute value, got none")
    raise Unsupported(f"a constant in the attribute {given}")


def _constant_of_shape(node: Node) -> Result:
    """A tensor filled with one value."""
    shape = run_time_sizes(node, 0, "size")
    if any(isinstance(size, int) and size < 0 for size in shape):
        raise node.error(f"expected sizes of zero or more, got {shape}")
    value = np.zeros(1, np.float32)
    if node.gives_attribute("value"):
        value = node.stored("value")
    if value.size != 1:
        raise node.error(f"expected one value, got {value.size}")
    return filled(value.reshape(()), shape)


def _shape_of(node: Node) -> Result:
    """The dimensions of the input, or of a range of its axes."""
    start, end = 0, None
    if "start" in node.signature.attributes:
        start = node.integer("start")
        end = node.integer("end") if node.gives_attribute("end") else None
    return Known.of_dims(node.shape(0)[start:end])


def _size_of(node: Node) -> Result:
    """The number of elements of the input."""
    return Known.of_dims(product(node.shape(0)))


def range_of(node: Node) -> Result:
    """The numbers from a start to before a limit at a step."""
    if any(node.known_input(each) is None for each in range(3)):
        return _range_of_run(node)
    values = [node.require_known(each) for each in range(3)]
    if any(each.array.size != 1 for each in values):
        raise node.error(f"expected scalars, got {', '.join(map(str, values))}")
    kind = values[0].element
    if not any(each.is_symbolic for each in values):
        start, limit, delta = (each.array.item() for each in values)
        if delta == 0 or not all(map(isfinite, (start, limit, delta))):
            raise node.error(
                "expected finite numbers and a delta that is not zero, got "
                f"{start}, {limit} and {delta}"
            )
        steps = (limit - start) / delta
        if steps > _MAX_SIZE:
            raise Unsupported(f"{steps:.0f} numbers")
        count = max(ceil(steps), 0)
        if count > _MAX_SIZE:
            raise Unsupported(f"{count} numbers")
        return Known.of(start + np.arange(count, dtype=DTYPES[kind]) * delta)
    (first,), (last,), (step,) = (each.dims() for each in values)
    if not isinstance(step, int) or step == 0:
        raise Varies(f"a delta of {step}", step)
    room = last - first if step > 0 else first - last
    count = ceildiv(greater(room, 0), abs(step))
    return progression(node.tensor(Known.of_dims(first, kind)), step, count)


def _range_of_run(node: Node) -> Result:
    """The numbers from a start to before a limit at a step, which the run computes."""
    if any(product(node.shape(each)) != 1 for each in range(3)):
        types = ", ".join(str(node.type(each)) for each in range(3))
        raise node.error(f"expected scalars, got {types}")
    first, limit, step = (reshaped(node.operand(each), []) for each in range(3))
    wide = [convert(each, f64) for each in (first, limit, step)]
    count = CeilOp(DivOp(SubOp(wide[1], wide[0]), wide[2])).result
    # A step of zero is no range, and is refused as too many numbers.
    most = number(float(_MAX_COUNT), f64)
    count = WhereOp(EqOp(wide[2], number(0, f64)), most, count)
    kept = MinimumOp(MaximumOp(count, number(0, f64)), most).result
    (size,) = define_bounded(node, [convert(kept, i64)], "count")
    places = convert(counted(size, 0, 1), node.element(0))
    return AddOp(MulOp(places, step), first)


def _diagonal_of(node: Node) -> SSAValue:
    """Builds the number of the diagonal of each element of a matrix."""
    *_, rows, columns = node.shape(0)
    row, column = counted(rows, 0, 2), counted(columns, 1, 2)
    return SubOp(column, row).result


def _eye_like(node: Node) -> Result:
    """Ones on a diagonal, zeros elsewhere."""
    if node.rank(0) != 2:
        raise node.error(f"expected a matrix, got {node.type(0)}")
    kind = element_like(node)
    k = number(node.integer("k"), i64)
    return convert(EqOp(_diagonal_of(node), k).result, kind)


def _triangle(node: Node) -> Result:
    """The elements on one side of a diagonal of each matrix, zeros elsewhere."""
    if node.rank(0) < 2:
        raise node.error(f"expected matrices, got {node.type(0)}")
    k = quantity(node.dimension(1) if node.has(1) else 0, i64)
    inside = (GeOp if node.flag("upper") else LeOp)(_diagonal_of(node), k)
    return WhereOp(inside, node.operand(0), number(0, node.element(0)))


def one_hot(node: Node) -> Result:
    """One row for every index, with one value at the index and another elsewhere."""
    depth = node.dimension(1)
    if isinstance(depth, int) and not 0 < depth <= _MAX_SIZE:
        raise node.error(f"expected a depth from 1 to {_MAX_SIZE}, got {depth}")
    indices, kind = node.operand(0), node.element(0)
    wide = list(node.shape(0))
    axis = node.normalize(node.integer("axis"), len(wide) + 1)
    wide.insert(axis, 1)
    below = LtOp(indices, number(0, kind))
    places = WhereOp(below, plus(indices, depth), indices)
    numbers = counted(depth, axis, len(wide), kind)
    is_here = EqOp(reshaped(places.result, wide), numbers)
    if node.shape(2) != (2,):
        raise node.error(f"expected two values, got {node.type(2)}")
    off, on = (at_index(node.operand(2), 0, place) for place in (0, 1))
    return WhereOp(is_here, on, off)


HANDLERS: dict[str, Handler] = {
    "Constant": constant,
    "ConstantOfShape": _constant_of_shape,
    "EyeLike": _eye_like,
    "OneHot": one_hot,
    "Range": range_of,
    "Shape": _shape_of,
    "Size": _size_of,
    "Trilu": _triangle,
}
