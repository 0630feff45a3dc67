"""Merge selections: what one of them selects, the result selects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import reduce
from typing import Any, TypeAlias, cast

from ...runtime.library import Operator, Selection

_ByName: TypeAlias = Mapping[str, Any]


def merge(selections: Iterable[Selection]) -> Selection:
    """
    The union of selections, in which flags are true that are true in one of them.

    Neither the order nor how often a selection comes changes the result.
    """
    return reduce(_merge_two, selections, Selection())


def _merge_two(one: Selection, other: Selection) -> Selection:
    """The union of two selections, key by key."""
    return Selection(
        **{
            key.name: _union(getattr(one, key.name), getattr(other, key.name))
            for key in fields(Selection)
        }
    )


def _union(one: Any, other: Any) -> Any:
    """The union of two values of one key: flags, names, or names with values."""
    match one, other:
        case None, _:
            return other
        case _, None:
            return one
        case Mapping(), Mapping():
            return _by_name(cast(_ByName, one), cast(_ByName, other))
        case Operator(), Operator():
            return Operator(
                **{
                    key.name: _union(getattr(one, key.name), getattr(other, key.name))
                    for key in fields(Operator)
                }
            )
        case _:
            return one | other


def _by_name(one: _ByName, other: _ByName) -> _ByName:
    """The union of the values of each name."""
    shared = {
        name: _union(one[name], other[name]) for name in one.keys() & other.keys()
    }
    return {**one, **other, **shared}
