"""
Models of the suite as ONNX Runtime's quantiser makes them.

Weights have seven bits (`reduce_range`): of eight, ONNX Runtime adds up pairs of
products in 16 bits that saturate, where a processor has no VNNI, and is far from what
ONNX says. Ranges are those of seeded inputs. Files are kept in a folder, and made once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from .cases import Array

CALIBRATING = 4
"""How many inputs the ranges of static quantisation are found by."""

SEED = 99
"""The seed of inputs; those that are compared come after these."""

KINDS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "qdq": {"quant_format": "QDQ"},
        "qdq_channels": {"quant_format": "QDQ", "per_channel": True},
        "operators": {"quant_format": "QOperator"},
        "dynamic": {},
    }
)
"""How a model may be quantised. Without a format each run finds its own scales."""


def inputs_of(name: str, count: int) -> list[dict[str, Array]]:
    """The first inputs of a model of the suite, by name."""
    torch: Any = import_module("torch")
    model: Any = import_module("bench.suite").SUITE[name]
    torch.manual_seed(SEED)
    rows = (map(np.asarray, model.rows(model.batch)) for _ in range(count))
    return [{f"in{at}": each for at, each in enumerate(arrays)} for arrays in rows]


class Calibration:
    """The inputs by which the quantiser finds the ranges of all tensors."""

    def __init__(self, batches: Sequence[Mapping[str, Array]]):
        self.batches = iter(batches)

    def get_next(self) -> Mapping[str, Array] | None:
        """The next of them."""
        return next(self.batches, None)


def float_model(name: str, folder: Path) -> Path:
    """A model of the suite in f32, prepared as the quantiser asks for."""
    path = folder / f"{name}.float.onnx"
    if not path.exists():
        suite: Any = import_module("bench.suite")
        shapes: Any = import_module("onnxruntime.quantization.shape_inference")
        exported = folder / f"{name}.onnx"
        suite.export_onnx(suite.SUITE[name], exported, dynamic=False)
        shapes.quant_pre_process(str(exported), str(path))
        exported.unlink()
    return path


def quantized_model(name: str, kind: str, folder: Path) -> Path:
    """The file of a quantised model of the suite."""
    path = folder / f"{name}.{kind}.onnx"
    if path.exists():
        return path
    made: Any = import_module("onnxruntime.quantization")
    how = dict(KINDS[kind])
    how |= {"weight_type": made.QuantType.QInt8, "reduce_range": True}
    before = str(float_model(name, folder))
    if "quant_format" not in how:
        made.quantize_dynamic(before, str(path), **how)
        return path
    how["quant_format"] = made.QuantFormat[how["quant_format"]]
    how["activation_type"] = made.QuantType.QUInt8
    batches = Calibration(inputs_of(name, CALIBRATING))
    made.quantize_static(before, str(path), batches, **how)
    return path
