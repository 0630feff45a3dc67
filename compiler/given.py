"""`Given`: what a user says of a model that the model does not say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..dialects import Array


@dataclass(frozen=True)
class Given:
    """The bounds of symbols, and the values of inputs that are inputs no more."""

    bounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """The greatest value of each of these symbols."""

    constants: Mapping[str, Array] = field(default_factory=dict[str, Array])
    """The arrays that these inputs of the model are."""
