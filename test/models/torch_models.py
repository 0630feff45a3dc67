"""
Torch modules that the tests compile, each with seeded weights and inputs.

They are those of the benchmarks, `bench/suite`; the seed is the same as well, so that
results can be compared.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import torch
from torch import Tensor, nn

if "bench" not in sys.modules:
    # The benchmarks are not installed, and the folder that they are in may not be
    # searched for modules: `import compiler` would find one there.
    package = ModuleType("bench")
    package.__path__ = [str(Path(__file__).parents[2] / "bench")]
    sys.modules["bench"] = package

from bench.suite import SEED, SUITE, SuiteModel, export_onnx
from bench.suite.open import OPEN, export_open
from bench.suite.small import Add16, DeepWide, MlpSmall, SrExample

__all__ = [
    "MODELS",
    "OPEN",
    "SUITE",
    "SuiteModel",
    "TorchModel",
    "export_onnx",
    "export_open",
]


@dataclass(frozen=True)
class TorchModel:
    """How to make one module and inputs for it; axis 0 of every input is the batch."""

    build: Callable[[], nn.Module]

    shapes: tuple[tuple[int, ...], ...]
    """Of each input, without the batch."""

    batch: int
    """The size that a compilation for one size is made for; 2 or more, since
    `torch.export` takes a size of 1 in the example for a constant."""

    others: tuple[int, ...]
    """Further sizes that a compilation for any size has to serve."""

    def make(self) -> tuple[nn.Module, tuple[Tensor, ...]]:
        """The module in eval mode, and f32 inputs for it with `batch` rows."""
        torch.manual_seed(SEED)
        module = self.build().eval()
        return module, self.inputs(self.batch)

    def inputs(self, batch: int) -> tuple[Tensor, ...]:
        """Inputs with `batch` rows, standard normal, from torch's generator."""
        return tuple(torch.randn(batch, *shape) for shape in self.shapes)

    def dynamic_shapes(self) -> tuple[dict[int, torch.export.Dim], ...]:
        """For `torch.export.export`: one size, 1 to 4096, on axis 0 of every input."""
        batch = torch.export.Dim("batch", min=1, max=4096)
        return tuple({0: batch} for _ in self.shapes)


MODELS = {
    "add16": TorchModel(Add16, ((), ()), 16, (1, 7, 37)),
    "sr_example": TorchModel(SrExample, ((32,),) * 5, 64, (1, 5)),
    "mlp_small": TorchModel(MlpSmall, ((64,),), 64, (1, 3, 17)),
    "deep_wide": TorchModel(DeepWide, ((1, 32), (1, 32), (50,)), 20, (1, 8, 200)),
}
