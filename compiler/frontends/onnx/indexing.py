"""ONNX ops that read or update elements of a tensor at indices."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from ....dialects.graph import (
    AddOp,
    GatherNdOp,
    GatherOp,
    GtOp,
    IndexSelectOp,
    LtOp,
    ScatterNdOp,
    ScatterOp,
    SubOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    along,
    convert,
    counted,
    expanded,
    plus,
    quantity,
    reshaped,
    times,
)
from ..known import Known
from ..unsupported import Varies
from .node import Handler, Node, Result


def _gather_elements(node: Node) -> Result:
    """The elements at indices along one axis."""
    axis = node.normalize(node.integer("axis"), node.rank(0))
    return GatherOp(node.operand(0), node.operand(1), axis=axis, wraps=True)


def _numbers_of_block(node: Node, batch_dims: int) -> tuple[int, ...]:
    """The axes after the batch axes that the index tuples of a node address."""
    if node.rank(1) == 0:
        raise node.error("expected indices with an axis, got a scalar")
    count = node.shape(1)[-1]
    if not isinstance(count, int):
        raise Varies(f"indices of {count} numbers each, which varies", count)
    if not 0 <= batch_dims <= batch_dims + count <= node.rank(0):
        raise node.error(
            f"expected at most {node.rank(0)} axes of batches and numbers, got "
            f"{batch_dims} and {count}"
        )
    return tuple(range(batch_dims, batch_dims + count))


def gather_nd(node: Node) -> Result:
    """The block of the tensor that each tuple of indices selects."""
    is_batched = "batch_dims" in node.signature.attributes
    batch_dims = node.integer("batch_dims") if is_batched else 0
    return GatherNdOp(
        node.operand(0),
        node.operand(1),
        axes=_numbers_of_block(node, batch_dims),
        batch_dims=batch_dims,
        wraps=True,
    )


def _reduction_of(node: Node) -> str:
    """The name of the operation that combines an update with an element."""
    has_one = "reduction" in node.signature.attributes
    return node.text("reduction") if has_one else "none"


def _scatter_elements(node: Node) -> Result:
    """The tensor with each update applied at its index along an axis."""
    axis = node.normalize(node.integer("axis"), node.rank(0))
    return ScatterOp(
        *node.operands(), axis=axis, wraps=True, reduction=_reduction_of(node)
    )


def scatter_nd(node: Node) -> Result:
    """The tensor with each update applied to the block that its indices select."""
    return ScatterNdOp(
        *node.operands(),
        axes=_numbers_of_block(node, 0),
        wraps=True,
        reduction=_reduction_of(node),
    )


def _tensor_scatter(node: Node) -> Result:
    """The tensor with consecutive updates written from a start index of each batch."""
    whole, shape = node.shape(0), node.shape(1)
    rank = len(whole)
    axis = node.normalize(node.integer("axis"), rank)
    if axis == 0 or len(shape) != rank:
        raise node.error(
            f"expected updates of {rank} axes and an axis after the first, got "
            f"{node.type(1)} and axis {axis}"
        )
    size = shape[axis]
    places = counted(size, axis, rank)
    if node.has(2):
        if len(node.shape(2)) != 1:
            raise node.error(
                f"expected a start index of each batch, got {node.type(2)}"
            )
        start = convert(node.operand(2), i64)
        places = AddOp(along(start, 0, rank), places).result
    mode = node.text("mode")
    if mode == "circular":
        end = node.tensor(Known.of_dims(whole[axis]))
        inside = LtOp(places, end)
        places = WhereOp(inside, places, SubOp(places, end)).result
    elif mode != "linear":
        raise node.error(f"expected a mode linear or circular, got {mode!r}")
    at = expanded(places, shape)
    return ScatterOp(
        node.operand(0),
        at,
        node.operand(1),
        axis=axis,
        wraps=False,
        reduction="none",
    )


def _reverse_sequence(node: Node) -> Result:
    """The first elements of each sequence in reverse order, as many as its length."""
    shape, axes = node.shape(0), (node.integer("time_axis"), node.integer("batch_axis"))
    if len(shape) < 2 or sorted(axes) != [0, 1]:
        raise node.error(f"expected the axes 0 and 1 of two or more, got {axes}")
    time, batch = axes
    length, count = shape[time], shape[batch]
    if node.rank(1) != 1:
        raise node.error(f"expected a vector of lengths, got {node.type(1)}")
    node.agreed(node.shape(1)[0], count)
    lengths = reshaped(node.operand(1), [1, count] if batch else [count, 1])
    place = counted(length, time, 2)
    turned = SubOp(plus(lengths, -1), place)
    turned = WhereOp(LtOp(place, lengths), turned, place).result
    number = counted(count, batch, 2)
    row = AddOp(times(turned, count), number) if batch else None
    row = row or AddOp(times(number, length), turned)
    # A length beyond the end is an error of the run: no row has that number.
    beyond = quantity(length * count, i64)
    rows = WhereOp(GtOp(lengths, quantity(length, i64)), beyond, row)
    flat = reshaped(node.operand(0), [length * count, *shape[2:]])
    places = reshaped(rows.result, [length * count])
    return reshaped(IndexSelectOp(flat, places, axis=0, wraps=False).result, shape)


HANDLERS: dict[str, Handler] = {
    "GatherElements": _gather_elements,
    "GatherND": gather_nd,
    "ReverseSequence": _reverse_sequence,
    "Scatter": _scatter_elements,
    "ScatterElements": _scatter_elements,
    "ScatterND": scatter_nd,
    "TensorScatter": _tensor_scatter,
}
