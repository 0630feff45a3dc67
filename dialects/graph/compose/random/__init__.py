"""Numbers at random, by the seed of the model, which the pass `bind-seed` gives it."""

from __future__ import annotations

from .draws import (
    SEED,
    RandomUniformOp,
    choices,
    choices_once,
    dropped,
    exponential,
    happens,
    integers,
    normal,
    permutation,
    uniform_between,
)

__all__ = [
    "SEED",
    "RandomUniformOp",
    "choices",
    "choices_once",
    "dropped",
    "exponential",
    "happens",
    "integers",
    "normal",
    "permutation",
    "uniform_between",
]
