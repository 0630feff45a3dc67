"""The front ends: each reads models of one format into the graph dialect."""

from __future__ import annotations

from .frameworks import add_frameworks
from .mlir import read_mlir
from .stored import constant

__all__ = [
    "add_frameworks",
    "constant",
    "read_mlir",
]
