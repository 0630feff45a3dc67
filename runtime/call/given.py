"""Arguments that are given as a list and a dict, as `run(args, kwargs)` takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def positional(args: Any) -> Sequence[Any]:
    """
    The arguments by position; raises `TypeError` for what is no list or tuple. A single
    array is none, though it has a length.
    """
    if not isinstance(args, tuple | list):
        raise TypeError(
            "expected a list or tuple of arguments, got "
            f"{type(args).__name__}; run([x]) takes one"
        )
    return cast("Sequence[Any]", args)


def by_name(kwargs: Any) -> Mapping[str, Any]:
    """
    The arguments by name, none for None; raises `TypeError` for what is no mapping
    from strings.
    """
    if kwargs is None:
        return {}
    if not isinstance(kwargs, Mapping):
        raise TypeError(
            "expected a dict of arguments by name, or None, got "
            f'{type(kwargs).__name__}; run([x], {{"y": y}}) takes one'
        )
    named = cast("Mapping[Any, Any]", kwargs)
    for name in named:
        if not isinstance(name, str):
            raise TypeError(
                f"expected names of arguments as str, got {type(name).__name__}"
            )
    return named
