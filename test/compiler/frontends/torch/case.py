"""A function to compile, with inputs, and whether it takes inputs of other sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import torch
from torch import Tensor, nn

Function: TypeAlias = (
    Callable[[Any], Any]
    | Callable[[Any, Any], Any]
    | Callable[[Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any], Any]
    | Callable[[Any, Any, Any, Any, Any], Any]
)

GENERATOR = torch.Generator().manual_seed(0)


@dataclass(frozen=True)
class Case:
    """One function and inputs for it."""

    function: Callable[..., Any]
    inputs: tuple[Tensor, ...]

    dim: Any = None
    """What axis 0 of the first input is, and of others as long, if it is no number."""


class Wrapped(nn.Module):
    """A function as a module."""

    def __init__(self, function: Function):
        super().__init__()
        self.function: Callable[..., Any] = function

    def forward(self, *inputs: Tensor) -> Any:
        """What the function returns."""
        return self.function(*inputs)


def fixed(function: Function, *inputs: Tensor) -> Case:
    """A case for inputs of these sizes."""
    return Case(function, inputs)


def dynamic(function: Function, *inputs: Tensor) -> Case:
    """A case for any size of axis 0."""
    return Case(function, inputs, torch.export.Dim("batch"))


def automatic(function: Function, *inputs: Tensor) -> Case:
    """A case for those sizes of axis 0 that torch finds to be right."""
    return Case(function, inputs, torch.export.Dim.AUTO)


def floats(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """Numbers of both signs."""
    return torch.randn(shape, generator=GENERATOR).to(dtype)


def positive(*shape: int) -> Tensor:
    """Numbers above zero."""
    return floats(*shape).abs() + 0.1


def whole(*shape: int, low: int = -4, high: int = 5) -> Tensor:
    """Whole numbers, i64."""
    return torch.randint(low, high, shape, generator=GENERATOR)


def truths(*shape: int) -> Tensor:
    """Booleans of both kinds."""
    return floats(*shape) > 0


def arrays(values: Any) -> list[Any]:
    """The arrays of a result, or of several."""
    several: list[Any] = [*values] if isinstance(values, tuple | list) else [values]
    return [np.asarray(each) for each in several]
