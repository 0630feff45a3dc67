"""`Given`: what a user says of a model that the model does not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

import numpy as np

from .options import check_is


@dataclass(frozen=True)
class Given:
    """The bounds of symbols, and the values of inputs that are inputs no more."""

    bounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """The greatest value of each of these symbols."""

    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The values that these inputs of the model are."""

    def with_constants(self, constants: Mapping[str, Any]) -> Given:
        """The same with more constants, as they are now."""
        check_is("constants such as {'axes': [1]}", Mapping, constants)
        own = {name: deepcopy(value) for name, value in constants.items()}
        return replace(self, constants={**self.constants, **own})

    def parts(self) -> Iterator[str]:
        """What of the constants compiled code depends on."""
        for name, value in sorted(self.constants.items()):
            array = np.asarray(value)
            yield f"constant {name} {type(value).__name__} {array.dtype} {array.shape}"
            yield sha256(array.tobytes()).hexdigest()
