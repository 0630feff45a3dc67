"""The most that a number of data may be, as far as a program asserts it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, cast

from torch import SymInt, fx

from ....dialects import Dim
from ..unsupported import Unsupported
from .sizes import Expression, Sizes


def asserted_bounds(sizes: Sizes, node: fx.Node) -> list[Dim]:
    """
    The upper bounds of a number: those that the program asserts of it, and of sums with
    numbers that are not negative, as of the parts into which a tensor is split.
    """
    found: list[Dim] = []
    for limit in (*_limits(sizes, node), *_axes(node)):
        with suppress(Unsupported):  # a size that is computed later, or has no form
            found.append(sizes.dim(limit))
    return found


def _limits(sizes: Sizes, node: fx.Node) -> Iterator[int | SymInt]:
    """What a number is at most, as PyTorch has it."""
    for user in node.users:
        if len(user.args) != 2:
            continue
        a, b = user.args
        match getattr(user.target, "__name__", ""):
            case "add" if _least(sizes, b if a is node else a) >= 0:
                yield from _limits(sizes, user)
            case "lt" | "le" | "eq" if a is node and _is_asserted(user):
                value: Any = b.meta["val"] if isinstance(b, fx.Node) else b
                if isinstance(value, int | SymInt):
                    yield value
            case _:
                pass


def _axes(node: fx.Node) -> Iterator[int | SymInt]:
    """The sizes of axes that are split into pieces, where one of these is a number."""
    for user in node.users:
        if str(user.target) == "aten.split_with_sizes.default":
            whole, _, *axis = user.args
            yield cast(fx.Node, whole).meta["val"].shape[axis[0] if axis else 0]


def _is_asserted(truth: fx.Node) -> bool:
    """Whether each run checks a truth of sizes."""
    return any(
        str(user.target) == "aten._assert_scalar.default" for user in truth.users
    )


def _least(sizes: Sizes, number: Any) -> float:
    """The least that a number or a sum may be, as far as PyTorch knows."""
    if not isinstance(number, fx.Node):
        return number
    if getattr(number.target, "__name__", "") == "add":
        return sum(_least(sizes, each) for each in number.args)
    value: Any = number.meta["val"]
    if not isinstance(value, SymInt):
        return value
    expression: Expression = value.node.expr
    known = expression in sizes.bounds
    return sizes.limits(expression)[0] if known else -math.inf
