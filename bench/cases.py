"""
What is measured: a model as an ONNX file, with inputs and the results that torch has.

They lie in a folder, so that the process of a peer reads them without torch.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[Any]

TOLERANCE = 1e-4
"""How far from torch a result of 32 bits may be, relative to the greatest element."""

REDUCED_TOLERANCE = 2e-2
"""The same of a result of fewer bits."""


@dataclass(frozen=True)
class Case:
    """One model in a folder."""

    folder: Path
    name: str

    @property
    def model(self) -> Path:
        """The ONNX file."""
        return self.folder / f"{self.name}.onnx"

    @property
    def arrays(self) -> Path:
        """The file with inputs and results."""
        return self.folder / f"{self.name}.npz"

    def keep(self, inputs: Sequence[Array], results: Sequence[Array]) -> None:
        """Writes the inputs and the results."""
        named = {f"in{number}": each for number, each in enumerate(inputs)}
        named |= {f"out{number}": each for number, each in enumerate(results)}
        np.savez(self.arrays, **named)  # pyright: ignore[reportArgumentType]

    def inputs(self) -> list[Array]:
        """The inputs, in order."""
        return self.kept("in")

    def results(self) -> list[Array]:
        """What they should come to."""
        return self.kept("out")

    def kept(self, kind: str) -> list[Array]:
        """The arrays whose names begin like this."""
        with np.load(self.arrays) as file:
            count = sum(name.startswith(kind) for name in file.files)
            return [file[f"{kind}{number}"] for number in range(count)]

    def error(self, got: Sequence[Array]) -> float:
        """
        How far results are from those of torch, relative to the greatest; infinite when
        they are not numbers, or not of the same shape.
        """
        wanted = self.results()
        if [each.shape for each in got] != [each.shape for each in wanted]:
            return float("inf")
        errors = [
            float(np.abs(np.subtract(x, y, dtype=np.float64)).max(initial=0))
            / (float(np.abs(y).max(initial=0)) or 1.0)
            for x, y in zip(got, wanted, strict=True)
        ]
        largest = max(errors, default=0.0)
        return float("inf") if np.isnan(errors).any() else largest


def several(result: Any) -> Sequence[Any]:
    """What a model returned, as a sequence even of one."""
    return result if isinstance(result, list | tuple) else [result]  # pyright: ignore[reportUnknownVariableType]


def suite_case(name: str, folder: Path) -> Case:
    """A model of the suite, exported, with what torch makes of its inputs."""
    import torch

    from .suite import DEEP, SUITE, export_onnx

    case, model = Case(folder, name), {**SUITE, **DEEP}[name]
    export_onnx(model, case.model, dynamic=False)
    module, inputs = model.make()
    with torch.inference_mode():
        results = several(module(*inputs))
    case.keep(list(map(np.asarray, inputs)), list(map(np.asarray, results)))
    return case
