"""Compositions run op by op by their references, on numbers that are easily wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.builder import ImplicitBuilder
from xdsl.ir import Block, SSAValue

from static_runtime.dialects.dims import symbol
from static_runtime.dialects.graph.ops.fusion import YieldOp
from static_runtime.dialects.graph.region import run_block
from static_runtime.dialects.shape import ELEMENTS, tensor

Array = npt.NDArray[Any]

Build: TypeAlias = (
    Callable[[], SSAValue]
    | Callable[[Any], SSAValue]
    | Callable[[Any, Any], SSAValue]
    | Callable[[Any, Any, Any], SSAValue]
)
"""What builds a composition of a number of values."""

FLOATS = (np.float32, np.float64)


def run_all(
    build: Callable[[Sequence[Any]], Sequence[SSAValue]], *arrays: Array
) -> Sequence[Array]:
    """What a composition with several results computes from arrays."""
    block = Block(arg_types=[tensor(ELEMENTS[x.dtype], *x.shape) for x in arrays])
    with ImplicitBuilder(block):
        YieldOp(*build(block.args))
    block.verify()
    with np.errstate(all="ignore"):
        return [np.asarray(each) for each in run_block(block, list(arrays), {})]


def run(build: Build, *arrays: Array) -> Array:
    """What a composition computes from arrays."""
    function: Callable[..., SSAValue] = build
    return run_all(lambda values: [function(*values)], *arrays)[0]


def run_open(build: Build, *arrays: Array) -> Array:
    """What a composition of tensors of open sizes computes from arrays."""
    names = [[f"s{n}_{axis}" for axis in range(x.ndim)] for n, x in enumerate(arrays)]
    block = Block(
        arg_types=[
            tensor(ELEMENTS[x.dtype], *map(symbol, row))
            for x, row in zip(arrays, names, strict=True)
        ]
    )
    function: Callable[..., SSAValue] = build
    with ImplicitBuilder(block):
        YieldOp(function(*block.args))
    block.verify()
    sizes = {
        name: size
        for x, row in zip(arrays, names, strict=True)
        for name, size in zip(row, x.shape, strict=True)
    }
    with np.errstate(all="ignore"):
        return np.asarray(run_block(block, list(arrays), sizes)[0])


def special(kind: type[np.floating[Any]]) -> Array:
    """Zeros of both signs, infinities, NaN, the least and the greatest, and others."""
    limits = np.finfo(kind)
    least, normal, most = limits.smallest_subnormal, limits.smallest_normal, limits.max
    magnitudes = [0, least, normal, 1e-9, 0.3, 1, 2.5, 3, 17, 88.5, 745, 1e19, most]
    numbers = np.array([*magnitudes, np.inf], kind)
    return np.concatenate([numbers, -numbers, np.array([np.nan], kind)])


def assert_close(actual: Array, expected: Sequence[float], ulps: float) -> None:
    """
    Asserts that every element is as many units in the last place from what it should
    be at most, and that zeros, infinities and NaN are the same, with their signs.
    """
    with np.errstate(over="ignore", under="ignore"):
        wanted = np.array(expected, actual.dtype)
    assert actual.shape == wanted.shape
    assert np.array_equal(np.isnan(actual), np.isnan(wanted))
    known = ~np.isnan(wanted)
    actual, wanted = actual[known], wanted[known]
    exact = np.isinf(wanted) | (wanted == 0)
    np.testing.assert_array_equal(actual[exact], wanted[exact])
    np.testing.assert_array_equal(np.signbit(actual), np.signbit(wanted))
    actual, wanted = actual[~exact], wanted[~exact]
    # Not of the number itself: the greatest one has no neighbour.
    unit = np.spacing(np.nextafter(np.abs(wanted), actual.dtype.type(0)))
    errors = np.abs(actual - wanted) / unit
    assert errors.max(initial=0) <= ulps, (actual, wanted)
