"""
`ModuleRecipe`: from what and how a module was compiled, for `pickle` and `copy`.

A pickle has the model as its front end made it, with options and the name of the
target, and no path and no machine code. Where it is read, an artifact that was made
from the same model is loaded, and no pass runs; elsewhere the model is compiled again.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Protocol, TypeAlias

from ..runtime import Cache
from ..runtime.call import StaticModule
from ..runtime.files import Array
from .kept_model import Kept, keep_in_cache
from .origin import Origin, Source, read_again
from .session import CompileError, GraphModel, Options

_FORMAT = 1
"""The number of the form of a pickle; one of another form is refused."""

Reduced: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


class Compilation(Source, Protocol):
    """What compiles a model."""

    target: str
    options: Options
    cache: Cache | None


@dataclass
class ModuleRecipe:
    """How one module was compiled."""

    restore: Callable[[bytes, str, str, dict[str, Array]], StaticModule]
    """What makes a module of the arguments that a pickle has."""

    compilation: Compilation
    origin: Origin
    kept: Kept | None
    """Where the model is; None while the source is to be read again for it."""

    def reduced(self) -> Reduced:
        """What makes the module in any process, and its arguments."""
        model, made = self.model(), self.compilation
        facts = (made.target, made.options, self.origin, model.digest)
        return self.restore, (*sealed(facts), model.text, dict(model.weights))

    def model(self) -> GraphModel:
        """The model as its front end made it."""
        if self.kept is not None:
            try:
                return self.kept()
            except CompileError:
                # The cache removed it; its source may still be there.
                if self.compilation.model is None:
                    raise
        model = read_again(self.compilation, self.origin)
        # The next time no front end runs, and the file may be gone.
        self.kept = keep_in_cache(model, self.compilation.cache)
        return model


def sealed(facts: Sequence[object]) -> tuple[bytes, str]:
    """Facts as bytes, and their digest."""
    data = pickle.dumps((_FORMAT, *facts))
    return data, sha256(data).hexdigest()


def opened(data: bytes, digest: str) -> tuple[Any, ...]:
    """
    The facts that were sealed; raises `pickle.UnpicklingError` for what was damaged,
    and for what another version of the compiler has sealed in another form.
    """
    if sha256(data).hexdigest() != digest:
        raise _damaged()
    form, *facts = pickle.loads(data)
    if form != _FORMAT:
        raise pickle.UnpicklingError(
            f"expected a pickled module of form {_FORMAT}, got {form}, of another "
            "version of static_runtime; pickle it with this one"
        )
    return (*facts,)


def checked(model: GraphModel) -> GraphModel:
    """The model of a pickle; raises `pickle.UnpicklingError` if it was damaged."""
    if not model.is_whole:
        raise _damaged()
    return model


def _damaged() -> pickle.UnpicklingError:
    """The error of a pickle that has other bytes than were written."""
    return pickle.UnpicklingError(
        "expected a pickled module as it was written, got one that was changed since; "
        "pickle it again"
    )
