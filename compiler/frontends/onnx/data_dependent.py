"""ONNX ops whose results have sizes that are computed at run time."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, ceildiv, product, sizes, tensor_type
from ....dialects.graph import (
    AddOp,
    DivOp,
    IndexSelectOp,
    LtOp,
    MaximumOp,
    MinimumOp,
    PermuteOp,
    SliceOp,
    SubOp,
    WhereOp,
    to_names,
)
from ....dialects.graph.compose import (
    part,
    permuted,
    quantity,
    reshaped,
    true_indices,
    truths,
)
from ..known import Known
from ..unsupported import NeedsValue
from .node import Handler, Node, Result
from .run_time_sizes import define, element


def places(node: Node, mask: SSAValue, what: str) -> SSAValue:
    """Builds the indices of the true elements of a tensor, as rows."""
    return true_indices(mask, lambda count, most: define(node, count, what, most))


def nonzero(node: Node) -> Result:
    """The indices of the elements that are not zero, a row for each axis."""
    x = truths(node.operand(0))
    if not node.rank(0):
        flat = places(node, reshaped(x, [1]), "count")
        return part(permuted(flat, (1, 0)), 0, 0, 0)
    return PermuteOp(places(node, x, "count"), order=(1, 0))


def compress(node: Node) -> Result:
    """The slices along an axis, or the elements, where a condition is true."""
    x, shape = node.operand(0), node.shape(0)
    if node.gives_attribute("axis"):
        axis = node.normalize(node.integer("axis"), len(shape))
    else:
        axis, shape = 0, (product(shape),)
        x = reshaped(x, shape)
    if node.rank(1) != 1:
        raise node.error(f"expected a condition of one axis, got {node.type(1)}")
    (length,) = node.shape(1)
    if isinstance(more := length - shape[axis], int) and more > 0:
        raise node.error(f"expected {shape[axis]} conditions at most, got {length}")
    condition = node.known_input(1)
    if condition is not None and not condition.is_symbolic:
        kept = node.tensor(Known.of(np.flatnonzero(condition.array)))
    else:
        rows = places(node, node.operand(1), "count")
        count = sizes(tensor_type(rows))[:1]
        kept = reshaped(rows, count)
    return IndexSelectOp(x, kept, axis=axis, wraps=False)


def is_sliced_by_run(node: Node) -> bool:
    """Whether a Slice has starts or ends that are computed at run time."""
    return "starts" not in node.signature.attributes and any(
        node.known_input(place) is None for place in (1, 2)
    )


def run_time_slice(node: Node) -> Result:
    """The slice of a tensor between starts and ends that are computed at run time."""
    shape = node.shape(0)
    count = _count_of_starts(node)
    axes = node.whole_numbers(3) if node.has(3) else range(count)
    steps = node.whole_numbers(4) if node.has(4) else [1] * count
    if any(step <= 0 for step in steps):
        raise NeedsValue(
            [node.operand(1), node.operand(2)],
            "starts that are computed when the model runs, with steps backwards",
        )
    if not count == len(axes) == len(steps):
        raise node.error(f"expected {count} axes and steps, got {axes} and {steps}")
    starts: list[Dim] = [0] * len(shape)
    counts, strides = list(shape), [1] * len(shape)
    for at, (axis, step) in enumerate(zip(axes, steps, strict=True)):
        place = node.normalize(axis, len(shape))
        starts[place], counts[place] = _bounds(node, at, shape[place], step)
        strides[place] = step
    return SliceOp(
        node.operand(0),
        starts=to_names(starts),
        sizes=to_names(counts),
        steps=tuple(strides),
    )


def _count_of_starts(node: Node) -> int:
    """How many axes are sliced: the length of each input, which one at least has."""
    given = [place for place in (1, 2, 3, 4) if node.has(place)]
    for place in given:
        if node.rank(place) != 1:
            raise node.error(f"expected vectors of numbers, got {node.type(place)}")
    lengths = [node.shape(place)[0] for place in given]
    known = next((each for each in lengths if isinstance(each, int)), None)
    if known is None:
        why = f"as many starts as are known when the model runs, {lengths[0]}"
        raise NeedsValue([node.operand(1), node.operand(2)], why)
    for each in lengths:
        node.agreed(each, known, f"expected {known} numbers for each input, got {each}")
    return known


def _bounds(node: Node, at: int, size: Dim, step: int) -> tuple[Dim, Dim]:
    """
    The start and the count of elements of a slice of an axis; slices between the same
    values have the same symbols.
    """
    ends = _known_or_value(node, 1, at), _known_or_value(node, 2, at)
    low, high = (_bounded(element(node, which, at), size) for which in (1, 2))
    # A symbol is known in the block that defines it.
    key = high.owner.parent_block(), at, *ends, size, step
    if (found := node.symbols.slices.get(key)) is not None:
        return found
    if ends[0] == 0:
        start, length = 0, high
    else:
        start = define(node, low, f"start{at}", size)
        length = MaximumOp(SubOp(high, low), quantity(0, i64)).result
    if step > 1:
        more = AddOp(length, quantity(step - 1, i64))
        length = DivOp(more, quantity(step, i64)).result
    made = start, define(node, length, f"size{at}", ceildiv(size, step))
    node.symbols.slices[key] = made
    return made


def _known_or_value(node: Node, place: int, at: int) -> Dim | SSAValue:
    """An element of a vector input if it is known, else the vector."""
    known = node.known_input(place)
    return node.operand(place) if known is None else known.dims()[at]


def _bounded(place: SSAValue, size: Dim) -> SSAValue:
    """Builds an index counted from the front and clamped to 0 to `size`."""
    zero, end = quantity(0, i64), quantity(size, i64)
    from_front = WhereOp(LtOp(place, zero), AddOp(place, end), place)
    return MinimumOp(MaximumOp(from_front, zero), end).result


HANDLERS: dict[str, Handler] = {"Compress": compress, "NonZero": nonzero}
