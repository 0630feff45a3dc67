"""
`Remade`: what is pickled and copied by being made again.

Machine code is of one process, and a pool of memory of one module. So a module is
pickled as what it was compiled from and how, which the compiler knows and hands over as
a `Recipe`; a module without one is neither pickled nor copied.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self, SupportsIndex, TypeAlias

Reduced: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function that pickle calls, and its arguments."""


class Recipe(Protocol):
    """How the module that has it was made."""

    def reduced(self) -> Reduced:
        """What makes the module in any process, without files of this machine."""
        ...


class Remade:
    """What is pickled and copied by its recipe."""

    recipe: Recipe | None = None
    """How it is made again; None where no compiler has set that."""

    maker: Callable[[Any, Any], Any] | None = None
    """What makes it here again, with other options of a run or, for None, the same."""

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Reduced:
        """What it was compiled from and how; raises `TypeError` without a compiler."""
        if self.recipe is None:
            raise self._not_made()
        return self.recipe.reduced()

    def __copy__(self) -> Self:
        """One of the same code and constants, with memory of its own."""
        if self.maker is None:
            raise self._not_made()
        return self.maker(self, None)

    def __deepcopy__(self, _: Any) -> Self:
        """The same, as nothing writes to constants."""
        return self.__copy__()

    def _not_made(self) -> TypeError:
        """The error of a module that no compiler made."""
        return TypeError(
            "expected a module that static_runtime.compile made, to pickle or to "
            f"copy it, got {self!r}, which was loaded without the compiler; hand "
            "over the path of its file, and load that there"
        )
