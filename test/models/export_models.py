"""
Store the models of `torch_models.py` as ONNX, with inputs and what torch computes.

    python test/models/export_models.py

writes to `test/models/onnx/`, for tests that run without torch: NAME.onnx for one batch
size, NAME_dynamic.onnx for any, and NAME.npz. That holds in0, in1, … with the rows of
the largest batch; for each batch size B the result on the first B rows, as out0_B; and
as `batch` the size that NAME.onnx is made for.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from export_onnx import export_onnx
from torch_models import MODELS, TorchModel

FOLDER = Path(__file__).parent / "onnx"


def store(name: str, model: TorchModel) -> None:
    """Writes the three files of one model."""
    module, example = model.make()
    for suffix, dynamic in (("", False), ("_dynamic", True)):
        export_onnx(module, example, FOLDER / f"{name}{suffix}.onnx", dynamic=dynamic)
    batches = sorted({model.batch, *model.others})
    inputs = model.inputs(batches[-1])
    arrays = {f"in{number}": each.numpy() for number, each in enumerate(inputs)}
    arrays["batch"] = np.array(model.batch)
    for batch in batches:
        with torch.inference_mode():
            result = module(*(each[:batch] for each in inputs))
        arrays[f"out0_{batch}"] = result.numpy()
    np.savez_compressed(FOLDER / f"{name}.npz", allow_pickle=False, **arrays)


def main() -> None:
    """Stores every model."""
    FOLDER.mkdir(exist_ok=True)
    for name, model in MODELS.items():
        store(name, model)


if __name__ == "__main__":
    main()
