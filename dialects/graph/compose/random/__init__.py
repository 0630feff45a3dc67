"""Numbers at random, by the seed of the model, which the pass `bind-seed` gives it."""

from __future__ import annotations

from .draws import (
    SEED,
    RandomUniformOp,
    choices,
    dropped,
    happens,
    integers,
    normal,
    uniform_between,
)

__all__ = [
    "SEED",
    "RandomUniformOp",
    "choices",
    "dropped",
    "happens",
    "integers",
    "normal",
    "uniform_between",
]
