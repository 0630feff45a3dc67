"""What loads the nodes of each framework, which is imported when one is loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Run: TypeAlias = Callable[
    [Sequence[npt.NDArray[Any]], Sequence[int]], Sequence[npt.NDArray[Any]]
]
"""Runs a node: its operands, and the values of its dimensions, to its results."""

Load: TypeAlias = Callable[[str, Sequence[str]], Run]
"""What runs a node of this text, which needs what these names say."""

_frameworks: dict[str, Load] = {}


def add_framework(name: str, load: Load) -> None:
    """Lets nodes of a framework run by what `load` returns."""
    _frameworks[name] = load


def load_node(framework: str, node: str, requires: Sequence[str]) -> Run:
    """
    What runs a node; raises `ImportError` where the framework, or what the node needs,
    is missing.
    """
    if framework not in _frameworks:
        known = ", ".join(sorted(_frameworks)) or "none"
        raise ImportError(f"expected a framework of {known}, got {framework}")
    return _frameworks[framework](node, requires)


def as_arrays(results: Sequence[Any]) -> tuple[npt.NDArray[Any], ...]:
    """What a framework returned, as arrays; a scalar has no axes."""
    return tuple(map(np.asarray, results))
