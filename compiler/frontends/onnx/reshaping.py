"""ONNX ops that reshape, permute or broadcast a tensor."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import permutations

from ....dialects import Dim, broadcast, floordiv, maximum, product, tensor
from ....dialects.graph import PermuteOp
from ....dialects.graph.compose import expanded, permuted, repeated, reshaped
from .node import Handler, Node, Result
from .run_time_sizes import keeps, require_no_zero, run_time_shape, run_time_sizes


def _identity(node: Node) -> Result:
    """The input."""
    return node.value(0)


def flatten(node: Node) -> Result:
    """The input as a matrix: axes before `axis` become rows, the others columns."""
    shape, axis = node.shape(0), node.integer("axis")
    if not -len(shape) <= axis <= len(shape):
        raise node.error(
            f"expected an axis from {-len(shape)} to {len(shape)}, got {axis}"
        )
    place = axis + len(shape) if axis < 0 else axis
    return reshaped(node.operand(0), [product(shape[:place]), product(shape[place:])])


def reshape(node: Node) -> Result:
    """The input with another shape, in which 0 copies a size and -1 is inferred."""
    keeps_zero = "allowzero" in node.signature.attributes and node.flag("allowzero")
    if node.known_input(1) is None:
        return reshaped(node.operand(0), run_time_shape(node, keeps_zero))
    old, wanted = node.shape(0), node.dims(1)
    shape: list[Dim] = []
    for place, size in enumerate(wanted):
        if isinstance(size, int) and size == 0 and not keeps_zero:
            if place >= len(old):
                raise node.error(
                    f"expected a size for axis {place}, got 0, which keeps the size "
                    f"that {node.type(0)} has there"
                )
            size = old[place]
        shape.append(size)
    open_places = [place for place, size in enumerate(shape) if size == -1]
    if open_places:
        rest = product(size for size in shape if size != -1)
        if len(open_places) > 1 or rest == 0:
            got = ", ".join(map(str, wanted))
            raise node.error(f"expected a shape with one size to find, got {got}")
        total = product(old)
        count = floordiv(total, rest)
        if rest * count != total:
            node.require(rest - 1, f"sizes beside -1 whose product {rest} is not 0")
        elif not keeps_zero:
            for place, size in enumerate(shape):
                require_no_zero(node, place, size)
        node.require(
            rest * count - total,
            f"{total} elements to be a multiple of {rest}",
            total,
            rest,
        )
        shape[open_places[0]] = count
    elif not keeps_zero:
        _require_one_reading(node, shape)
    return reshaped(node.operand(0), shape)


def _require_one_reading(node: Node, shape: Sequence[Dim]) -> None:
    """
    Builds the checks that no computed size of 0 could keep a size of the input instead.

    As all sizes are given, that reading has as many elements as the input, none, only
    if another axis keeps a size of 0. Else what was computed is what is meant.
    """
    pairs = list(zip(shape, node.shape(0), strict=False))
    for (size, old), (other, zero) in permutations(pairs, 2):
        if keeps(size, old):
            continue
        amount = reduce(maximum, (size - 1, old * -1, other - 1, zero - 1))
        node.require(
            amount,
            f"sizes {size} and {other} that are not both 0, which keeps the sizes "
            f"{old} and {zero} of the input",
            size,
            other,
        )


def squeeze(node: Node) -> Result:
    """The input without some of its axes of size one, or without all of them."""
    shape = node.shape(0)
    if (axes := node.axes(1)) is None:
        dropped = {place for place, size in enumerate(shape) if _is_one(node, size)}
    else:
        dropped = {node.normalize(each, len(shape)) for each in axes}
        for place in sorted(dropped):
            node.agreed(shape[place], 1)
    kept = [size for place, size in enumerate(shape) if place not in dropped]
    return reshaped(node.operand(0), kept)


def _is_one(node: Node, size: Dim) -> bool:
    """
    Whether an axis of a size is removed. The rank is that of all runs: an open size is
    1 in none of them, or in all where the rest of the model fits that alone.
    """
    if isinstance(size, int):
        return size == 1
    if node.forks.is_one(size):
        node.agreed(size, 1)
        return True
    node.require(
        maximum(size - 2, -size),
        f"a size {size} other than 1, by which an axis goes (make it 1 in the model)",
    )
    return False


def unsqueeze(node: Node) -> Result:
    """The input with axes of size one inserted at the given axes of the result."""
    shape, axes = node.shape(0), node.axes(1)
    if axes is None:
        raise node.error("expected axes, got none")
    rank = len(shape) + len(axes)
    added = {node.normalize(each, rank) for each in axes}
    if len(added) < len(axes):
        raise node.error(f"expected axes that differ, got {axes}")
    rest = iter(shape)
    wide = [1 if place in added else next(rest) for place in range(rank)]
    return reshaped(node.operand(0), wide)


def transpose(node: Node) -> Result:
    """The input with its axes permuted, reversed by default."""
    order = node.integers("perm")
    if order is None:
        order = tuple(reversed(range(node.rank(0))))
    return PermuteOp(node.operand(0), order=order)


def expand(node: Node) -> Result:
    """The input broadcast together with a shape."""
    wanted = run_time_sizes(node, 1, "size")
    if any(isinstance(size, int) and size < 0 for size in wanted):
        raise node.error(f"expected sizes of zero or more, got {wanted}")
    with node.assuming():
        shape = broadcast(node.type(0), tensor(node.element(0), *wanted))
    return expanded(node.operand(0), shape)


def _tile(node: Node) -> Result:
    """The input repeated along each axis."""
    shape, repeats = node.shape(0), run_time_sizes(node, 1, "repeat")
    if len(repeats) != len(shape):
        raise node.error(f"expected {len(shape)} repeats, got {len(repeats)}")
    return repeated(node.operand(0), repeats)


def _depth_to_space(node: Node) -> Result:
    """Blocks of channels moved to squares of the spatial axes."""
    n, c, h, w, block = _image(node)
    if isinstance(c, int) and c % (block * block):
        raise node.error(f"expected channels in squares of {block}, got {c}")
    depth = floordiv(c, block * block)
    if "mode" in node.signature.attributes and node.text("mode") == "CRD":
        parts, order = [n, depth, block, block, h, w], (0, 1, 4, 2, 5, 3)
    else:
        parts, order = [n, block, block, depth, h, w], (0, 3, 4, 1, 5, 2)
    moved = permuted(reshaped(node.operand(0), parts), order)
    return reshaped(moved, [n, depth, h * block, w * block])


def _space_to_depth(node: Node) -> Result:
    """Squares of the spatial axes moved to channels."""
    n, c, h, w, block = _image(node)
    high, wide = floordiv(h, block), floordiv(w, block)
    parts = [n, c, high, block, wide, block]
    keeps = "mode" in node.signature.attributes and node.text("mode") == "CRD"
    order = (0, 1, 3, 5, 2, 4) if keeps else (0, 3, 5, 1, 2, 4)
    moved = permuted(reshaped(node.operand(0), parts), order)
    return reshaped(moved, [n, c * block * block, high, wide])


def _image(node: Node) -> tuple[Dim, Dim, Dim, Dim, int]:
    """The dimensions of an image, and the size of the squares in it."""
    block = node.integer("blocksize")
    match node.shape(0):
        case (n, c, h, w) if block > 0:
            return n, c, h, w, block
        case _:
            raise node.error(f"expected NxCxHxW, got {node.type(0)} and {block}")


HANDLERS: dict[str, Handler] = {
    "DepthToSpace": _depth_to_space,
    "Expand": expand,
    "Flatten": flatten,
    "Identity": _identity,
    "Reshape": reshape,
    "SpaceToDepth": _space_to_depth,
    "Squeeze": squeeze,
    "Tile": _tile,
    "Transpose": transpose,
    "Unsqueeze": unsqueeze,
}
