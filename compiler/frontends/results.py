"""Which of several results of a node an op computes, for messages."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import NameLoc, StringAttr
from xdsl.ir import Operation, SSAValue


def tell_apart(node: str, results: Iterable[object], names: Iterable[str]) -> None:
    """Adds to the location of each op that the name of its result, of several."""
    for value, name in zip(results, names, strict=False):
        owner = value.owner if isinstance(value, SSAValue) else None
        if not isinstance(owner, Operation) or len(owner.results) > 1:
            continue
        match owner.location:
            # Others are of operands that the node gives back.
            case NameLoc(desc=StringAttr(data=found)) as location if found == node:
                text = StringAttr(f"{node} ({name})")
                owner.location = NameLoc(text, location.location)
            case _:
                pass
