"""Writing a torch module as ONNX, for the tests."""

from __future__ import annotations

import warnings
from pathlib import Path

import torch
from torch import Tensor, nn


def export_onnx(
    module: nn.Module, inputs: tuple[Tensor, ...], path: Path, *, dynamic: bool
) -> None:
    """
    Writes `module` as ONNX with inputs in0, in1, … and output out0.

    Nothing is folded or fused on the way. With `dynamic`, axis 0 of each input and of
    the output has any size; the inputs share theirs.
    """
    names = [f"in{number}" for number in range(len(inputs))]
    with warnings.catch_warnings():
        # The newer exporter, which torch points to, folds batch norms, or else computes
        # the shapes around them.
        warnings.simplefilter("ignore", DeprecationWarning)
        torch.onnx.export(
            module,
            inputs,
            path,
            input_names=names,
            output_names=["out0"],
            dynamic_axes={name: {0: "batch"} for name in names} if dynamic else None,
            opset_version=18,
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            dynamo=False,
        )
