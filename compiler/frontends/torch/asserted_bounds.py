"""What a program of torch says about how great a number of the run may be."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, cast

from torch import SymInt, fx

from ....dialects import Dim
from ..unsupported import Unsupported
from .sizes import Sizes


def asserted_bounds(sizes: Sizes, node: fx.Node) -> list[Dim]:
    """The upper bounds that the program asserts for a number of the run."""
    found: list[Dim] = []
    for user in node.users:
        if getattr(user.target, "__name__", "") == "le" and user.args[0] is node:
            limit: Any = user.args[1]
            value = limit.meta["val"] if isinstance(limit, fx.Node) else limit
            if isinstance(value, int | SymInt):
                found.append(sizes.dim(value))
    return found or _split(sizes, node)


def _split(sizes: Sizes, node: fx.Node) -> list[Dim]:
    """The sizes of the axes that are split into pieces, where a piece has this size."""
    found: list[Dim] = []
    for user in node.users:
        if str(user.target) == "aten.split_with_sizes.default":
            whole, _, *axis = user.args
            size = cast(fx.Node, whole).meta["val"].shape[axis[0] if axis else 0]
            with suppress(Unsupported):
                found.append(sizes.dim(size))
    return found
