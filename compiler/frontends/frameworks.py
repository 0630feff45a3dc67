"""Register the frameworks that run nodes, and import none of them."""

from __future__ import annotations

from ...dialects.graph.frameworks import add_framework
from .foreign import ONNX, ONNXRUNTIME, TORCH
from .onnx import run_by_reference, run_by_session
from .torch import run_by_torch


def add_frameworks() -> None:
    """Lets all frameworks run nodes."""
    add_framework(ONNX, run_by_reference)
    add_framework(ONNXRUNTIME, run_by_session)
    add_framework(TORCH, run_by_torch)
