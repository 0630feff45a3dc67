"""Take one line away from a selection, for all lines that a model needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from static_runtime.runtime.library.selection import Selection


def without_one(made: Selection) -> Iterator[tuple[str, Selection]]:
    """
    What stands in a line, and the selection without it, for each line there is but
    those that say what a run makes use of where it is there: targets, and threads.
    """
    for name in made.operators:
        left = {k: v for k, v in made.operators.items() if k != name}
        yield name, replace(made, operators=left)
    for key in ("kernel_metadata", "et_kernel_metadata"):
        known: dict[str, frozenset[str]] = dict(getattr(made, key))
        for name, values in known.items():
            for each in values:
                rest = {**known, name: values - {each}}
                yield each, replace(made, **{key: rest})
    for name in made.build_features:
        if not name.startswith("isa:") and name != "threads":
            yield name, replace(made, build_features=made.build_features - {name})
