"""`Given`: what a user says of a model that the model does not say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, cast

import numpy as np

from .form import Form
from .option_values import check_is
from .options import Options


@dataclass(frozen=True)
class Given:
    """The bounds of symbols, and the values of inputs that are inputs no more."""

    bounds: Mapping[str, int] = field(default_factory=dict[str, int])
    """The greatest value of each of these symbols."""

    constants: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The values that these inputs of the model are."""

    fallback: str = "error"
    """What becomes of nodes that have no op of ours: `Options.fallback`."""

    foreign_ops: tuple[str, ...] = ()
    """What runs nodes of the user's own domains: `Options.foreign_ops`."""

    draws: bool = False
    """Whether there is a seed for numbers at random: `Options.seed`."""

    @staticmethod
    def of(options: Options) -> Given:
        """What options say of a model."""
        return Given(
            options.bounds,
            {},
            options.fallback,
            tuple(options.foreign_ops),
            options.seed is not None,
        )

    def with_constants(self, constants: Mapping[str, Any]) -> Given:
        """The same with more constants, as they are now."""
        check_is("constants such as {'axes': [1]}", Mapping, constants)
        for name in constants:
            check_is("names of constants as str", str, name)
        own = {name: deepcopy(value) for name, value in constants.items()}
        return replace(self, constants={**self.constants, **own})

    def key_parts(self) -> Iterator[str]:
        """What of the constants compiled code depends on."""
        for name in sorted(self.constants):
            value = self.constants[name]
            if isinstance(value, Form):
                yield f"constant {name} {value!r}"
                continue
            if isinstance(value, list | tuple):
                several = [np.asarray(each) for each in cast("list[Any]", value)]
                yield f"constant {name} {[(e.dtype, e.shape) for e in several]}"
                for each in several:
                    yield sha256(each.tobytes()).hexdigest()
                continue
            array = np.asarray(value)
            if array.dtype == object:
                # Texts have their bytes elsewhere.
                array = array.astype(str)
            yield f"constant {name} {type(value).__name__} {array.dtype} {array.shape}"
            yield sha256(array.tobytes()).hexdigest()
