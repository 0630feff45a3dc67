"""
Measure what goes down the columns of a tensor beside another version, or the peers.

    python -m bench.columns --before ../another-checkout
    python -m bench.columns

Sums, maxima, sums so far and softmax along an axis that is not the last, and a softmax
of rows that are shorter than a vector. Its table is that of `python -m bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from .rows import print_rows
from .strides import Strided

Array: TypeAlias = np.ndarray[Any, Any]


def combined(op: str, by: Callable[..., Array], *shape: int, axis: int = 0) -> Strided:
    """A tensor that is combined along an axis."""
    total = partial(by, axis=axis)
    return Strided(shape, op, total, ([axis],), {"keepdims": 0})


def summed_up(*shape: int, axis: int) -> Strided:
    """The sums so far along an axis."""
    return Strided(shape, "CumSum", partial(np.cumsum, axis=axis), ([axis],))


def normalized(*shape: int, axis: int) -> Strided:
    """A softmax along an axis."""

    def softmax(x: Array) -> Array:
        powers = np.exp(x - x.max(axis, keepdims=True))
        return powers / powers.sum(axis, keepdims=True)

    return Strided(shape, "Softmax", softmax, (), {"axis": axis})


def length(x: Array, axis: int) -> Array:
    """The root of the sum of squares."""
    return np.sqrt(np.square(x).sum(axis))


COLUMNS: Mapping[str, Strided] = MappingProxyType(
    {
        "sum_1024x1024": combined("ReduceSum", np.sum, 1024, 1024),
        "mean_1024x1024": combined("ReduceMean", np.mean, 1024, 1024),
        "max_1024x1024": combined("ReduceMax", np.max, 1024, 1024),
        "length_1024x1024": combined("ReduceL2", length, 1024, 1024),
        "sum_of_tokens": combined("ReduceSum", np.sum, 1, 128, 768, axis=1),
        "sum_of_channels": combined("ReduceSum", np.sum, 16, 256, 196, axis=1),
        "cumsum_1000x256": summed_up(1000, 256, axis=0),
        "cumsum_of_channels": summed_up(1, 21, 256, 256, axis=1),
        "softmax_of_channels": normalized(1, 21, 256, 256, axis=1),
        "softmax_1000x256": normalized(1000, 256, axis=0),
        "softmax_of_10": normalized(4096, 10, axis=1),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each of them."""
    print_rows({name: each.case for name, each in COLUMNS.items()}, args)


if __name__ == "__main__":
    main()
