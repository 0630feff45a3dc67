"""
Make a nest as shallow as possible: drop axes of size one, join contiguous axes.

    for i to 4, j to 1, k to 8: out[8 * i + k] = in[8 * i + k]
    for i to 32:                out[i]         = in[i]

Two adjacent axes of one kind (parallel, reduced, reduced in turn, ordered) join when in
every position one step of the outer axis moves as far as all steps of the inner. An
elementwise op on whole tensors becomes one loop. Axes whose points store tiles stay.
"""

from __future__ import annotations

from dataclasses import replace

from ..dims import Dim
from ..graph import Linear
from .expression import KernelNest, Moved, linears
from .reach import join, renumber


def collapse(nest: KernelNest) -> KernelNest:
    """
    The equivalent nest over as few axes as possible, with the points in the same order.
    """
    if nest.also or nest.clamped:
        return nest
    positions = list(linears(*nest.roots))
    parallel = len(nest.bounds) - nest.reductions

    def kind(axis: int) -> tuple[bool, bool, bool]:
        return axis < parallel, axis in nest.ordered, axis in nest.in_turn

    kept: list[int] = []
    bounds: dict[int, Dim] = {}
    reaches = nest.reaches
    for axis, bound in enumerate(nest.bounds):
        if bound == 1:
            continue
        if kept and kind(kept[-1]) == kind(axis):
            outer = kept[-1]
            if all(
                _factor(each, outer) == _factor(each, axis) * bound
                for each in positions
            ):
                bounds[axis] = bounds.pop(outer) * bound
                reaches = join(reaches, outer, axis, bound)
                kept[-1] = axis
                continue
        kept.append(axis)
        bounds[axis] = bound

    number_of = {axis: number for number, axis in enumerate(kept)}

    def change(position: Linear) -> Linear:
        factors = tuple(
            (number_of[axis], factor)
            for axis, factor in position.factors
            if axis in number_of
        )
        return Linear(tuple(sorted(factors, key=lambda each: each[0])), position.offset)

    return replace(
        Moved(change).nest(nest),
        bounds=tuple(bounds[axis] for axis in kept),
        reductions=sum(axis >= parallel for axis in kept),
        ordered=frozenset(number_of[axis] for axis in kept if axis in nest.ordered),
        in_turn=frozenset(number_of[axis] for axis in kept if axis in nest.in_turn),
        reaches=renumber(reaches, number_of),
    )


def _factor(position: Linear, axis: int) -> Dim:
    """The stride of a position along an axis."""
    return dict(position.factors).get(axis, 0)
