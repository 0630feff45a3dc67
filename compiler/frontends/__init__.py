"""The front ends: each reads models of one format into the graph dialect."""

from __future__ import annotations

from .mlir import read_mlir
from .stored import constant

__all__ = [
    "constant",
    "read_mlir",
]
