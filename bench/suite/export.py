"""Writing a model of the suite as ONNX."""

from __future__ import annotations

import warnings
from pathlib import Path

import onnx
import torch
from torch import nn

from .model import Inputs, SuiteModel
from .recurrent import Recurrent, recurrent_onnx


def export_onnx(model: SuiteModel, path: Path, *, dynamic: bool) -> None:
    """
    Writes the model as ONNX with inputs in0, in1, … and output out0.

    With `dynamic`, the inputs take any number of rows. Nothing is folded or fused on
    the way, so that each runtime shows what it makes of the model itself.
    """
    module, inputs = model.make()
    if isinstance(module, Recurrent):
        steps, rows, _ = inputs[0].shape
        onnx.save(recurrent_onnx(module, steps, "batch" if dynamic else rows), path)
        return
    trace(module, inputs, model.axes if dynamic else (), path)


def trace(
    module: nn.Module, inputs: Inputs, axes: tuple[int | None, ...], path: Path
) -> None:
    """Writes what torch's older exporter sees of a call of the module."""
    names = [f"in{number}" for number in range(len(inputs))]
    rows = {
        name: {axis: "batch"}
        for name, axis in zip(names, axes, strict=False)
        if axis is not None
    }
    with warnings.catch_warnings():
        # The newer exporter, which torch points to, folds batch norms, or else computes
        # the shapes around them.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            inputs,
            path,
            input_names=names,
            output_names=["out0"],
            dynamic_axes=rows,
            opset_version=18,
            training=torch.onnx.TrainingMode.PRESERVE,
            do_constant_folding=False,
            dynamo=False,
        )
