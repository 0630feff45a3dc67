"""The models that are stored as ONNX, with inputs and what torch computes from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

FOLDER = Path(__file__).parent / "onnx"
DIGITS = Path(__file__).parents[2] / "examples" / "digits"


@dataclass(frozen=True)
class Stored:
    """One model; axis 0 of every input is the batch."""

    dynamic: Path
    """The file that takes a batch of any size."""

    fixed: Path | None
    """The file that takes `batch` rows and no other number, where there is one."""

    batch: int

    names: tuple[str, ...]
    """Of the inputs, in order."""

    inputs: tuple[Array, ...]
    """With the rows of the largest batch."""

    outputs: Mapping[int, Array]
    """What torch computes from the first rows, by their number."""

    def rows(self, count: int) -> tuple[Array, ...]:
        """The first rows of every input, in memory of their own."""
        return tuple(each[:count].copy() for each in self.inputs)


def read(name: str) -> Stored:
    """A model that `export_models.py` wrote."""
    with np.load(FOLDER / f"{name}.npz") as arrays:
        names = tuple(sorted(each for each in arrays.files if each.startswith("in")))
        outputs = {
            int(each.removeprefix("out0_")): arrays[each]
            for each in arrays.files
            if each.startswith("out0_")
        }
        return Stored(
            FOLDER / f"{name}_dynamic.onnx",
            FOLDER / f"{name}.onnx",
            int(arrays["batch"]),
            names,
            tuple(arrays[each] for each in names),
            outputs,
        )


def read_digits() -> Stored:
    """The example model, on images that it was not trained on."""
    with np.load(DIGITS / "digits_test.npz") as arrays:
        images, logits = arrays["images"], arrays["logits"]
    outputs = {count: logits[:count] for count in (1, 3, len(images))}
    return Stored(
        DIGITS / "digits.onnx", None, len(images), ("image",), (images,), outputs
    )


STORED = {
    **{name: read(name) for name in ("add16", "sr_example", "mlp_small", "deep_wide")},
    "digits": read_digits(),
}
