"""One model of the suite: how it is made, and which sizes of its inputs may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import torch
from torch import Tensor, nn
from torch.export import Dim

SEED = 1234

Inputs: TypeAlias = tuple[Tensor, ...]


@dataclass(frozen=True)
class SuiteModel:
    """How to make one module and inputs for it."""

    build: Callable[[], nn.Module]

    rows: Callable[[int], Inputs]
    """Inputs with that many rows, from torch's generator."""

    batch: int
    """The number of rows that is measured."""

    axes: tuple[int | None, ...] = (0,)
    """Of each input, the axis along which the rows lie; None where it has none."""

    def make(self) -> tuple[nn.Module, Inputs]:
        """The module in eval mode, and the inputs that are measured."""
        torch.manual_seed(SEED)
        module = self.build().eval()
        return module, self.rows(self.batch)

    def example(self) -> Inputs:
        """Inputs to trace with; `torch.export` takes a single row for a constant."""
        return self.rows(max(2, self.batch))

    def dynamic_shapes(self) -> tuple[dict[int, Dim], ...]:
        """For `torch.export.export`: one size, 1 to 4096, for all rows."""
        batch = Dim("batch", min=1, max=4096)
        return tuple({} if axis is None else {axis: batch} for axis in self.axes)
