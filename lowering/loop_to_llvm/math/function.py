"""What a math function is: how it is written and how far its result may be off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from .writer import Element, MathValue, Writer

Recipe = Callable[..., MathValue]
"""Takes a writer and a value for each argument, writes the function, is the result."""


@dataclass(frozen=True)
class Ulp:
    """Bounds on an error, in units in the last place of the exact result."""

    fused: float
    """Where the target has a fused multiply-add."""

    split: float
    """Where it has not."""


@dataclass(frozen=True)
class Function:
    """A function of numbers, element by element."""

    name: str
    """As in MLIR's math dialect, without `math.`."""

    recipe: Recipe
    f32: Ulp
    f64: Ulp
    note: str
    """The method, and the range of the bound where that is not all numbers."""

    arity: int = 1

    def ulp(self, element: Element, fma: bool) -> float:
        """The largest error of a result."""
        bounds = self.f32 if element == "f32" else self.f64
        return bounds.fused if fma else bounds.split

    def write(self, writer: Writer, *arguments: MathValue) -> MathValue:
        """Writes the function's instructions; the result."""
        return self.recipe(writer, *arguments)
