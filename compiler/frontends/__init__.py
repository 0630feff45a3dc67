"""The front ends: each reads models of one format into the graph dialect."""

from __future__ import annotations

from .mlir import read_mlir

__all__ = [
    "read_mlir",
]
