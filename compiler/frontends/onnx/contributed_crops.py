"""The op of `com.microsoft` that cuts boxes out of images: `CropAndResize`."""

from __future__ import annotations

from ....dialects.graph.compose import sampling
from .node import Handler, Node, Result


def _crops(node: Node) -> Result:
    """Boxes of images, given in parts of these, each resized to one size."""
    if (node.rank(0), node.rank(1)) != (4, 2):
        raise node.error(f"expected NxCxHxW and Rx4, got {node.type(0)}")
    mode, counts = node.text("mode"), node.whole_numbers(3)
    if mode not in ("bilinear", "nearest"):
        raise node.error(f"expected a mode bilinear or nearest, got {mode!r}")
    if len(counts) != 2 or min(counts) < 1:
        raise node.error(f"expected a height and a width of 1 or more, got {counts}")
    return sampling.cropped(
        node.operand(0),
        node.operand(1),
        node.operand(2),
        (counts[0], counts[1]),
        node.number("extrapolation_value"),
        mode == "nearest",
    )


HANDLERS: dict[str, Handler] = {"CropAndResize": _crops}
