"""Probabilities of classes of what is known of pairs of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ..ops.arithmetic import AbsOp
from ..ops.binary import AddOp, DivOp, MulOp, SubOp
from ..ops.compare import EqOp, GeOp
from ..ops.constant import ConstantOp
from ..ops.index_select import IndexSelectOp
from ..ops.logical import LogicalAndOp
from ..ops.reduce import ReduceMaxOp, SumOp
from ..ops.where import WhereOp
from .counting import counted
from .looping import while_any
from .matrices.stepping import at, stepped
from .number import convert, element_of, number_like, plus, times
from .parts import joined
from .shaping import expanded, reshaped, shape_of

_MOST_SWEEPS = 100
"""The most times that all probabilities are improved."""

_ERROR = 0.005
"""The error at which a row is done, times the number of classes."""


def of_pairs(above: SSAValue, below: SSAValue, count: int) -> SSAValue:
    """
    Builds matrices `[rows, count, count]`: `above` `[rows, pairs]` has what stands
    above the diagonal, from row to row, `below` what stands at the mirrored places; the
    diagonal is zero.
    """
    first, second = np.triu_indices(count, 1)
    pairs = len(first)
    places = np.full((count, count), 2 * pairs, np.int64)
    places[first, second] = range(pairs)
    places[second, first] = range(pairs, 2 * pairs)
    zero = expanded(number_like(0, above), [shape_of(above)[0], 1])
    table = ConstantOp(value=places).result
    every = joined([above, below, zero], 1)
    return IndexSelectOp(every, table, axis=1, wraps=False).result


def coupled(shares: SSAValue, count: int) -> SSAValue:
    """
    Builds the probabilities `[rows, count]` of classes of `shares` `[rows, pairs]`, the
    probability of the first class of each pair where it is one of the two, above zero
    and below one.

    They are what libsvm computes: the second method of Wu, Lin and Weng, "Probability
    Estimates for Multi-class Classification by Pairwise Coupling", 2004, algorithm 2.
    A row is done when its error is below 0.005 / `count`, or after 100 sweeps, so that
    the probabilities are not exact, not even of two classes.
    """
    one = number_like(1, shares)
    others = SubOp(one, shares).result
    wins, losses = (
        of_pairs(*pair, count) for pair in ((shares, others), (others, shares))
    )
    own = SumOp(MulOp(losses, losses), axes=(2,), keepdims=True).result
    is_own = EqOp(counted(count, 1, 3), counted(count, 2, 3)).result
    table = WhereOp(is_own, own, times(MulOp(wins, losses).result, -1)).result
    start = expanded(number_like(1 / count, shares), [shape_of(shares)[0], count])
    found = while_any(
        lambda states, _: states[-1],
        lambda states, captured: _better(states, captured[0], count),
        _measured(start, table, count),
        [table],
        _MOST_SWEEPS,
    )
    return found[0]


def _measured(chances: SSAValue, table: SSAValue, count: int) -> list[SSAValue]:
    """
    Builds the probabilities `[rows, count]` after them the gradient that each has by
    the table `[rows, count, count]`, half of it, the half of it that all have together,
    and whether these are apart.
    """
    rows = shape_of(chances)[0]
    wide = MulOp(table, reshaped(chances, [rows, 1, count]))
    slopes = SumOp(wide, axes=(2,), keepdims=False).result
    mean = SumOp(MulOp(chances, slopes), axes=(1,), keepdims=True).result
    error = AbsOp(SubOp(slopes, mean)).result
    most = ReduceMaxOp(error, axes=(1,), keepdims=True).result
    return [chances, slopes, mean, GeOp(most, number_like(_ERROR / count, most)).result]


def _better(states: Sequence[SSAValue], table: SSAValue, count: int) -> list[SSAValue]:
    """Builds the states after one sweep over the classes; rows that are done stay."""
    *parts, goes_on = states
    (swept, *_), _ = stepped(count, _step, parts, [table])
    kept = WhereOp(goes_on, swept, states[0]).result
    *others, is_apart = _measured(kept, table, count)
    return [*others, LogicalAndOp(is_apart, goes_on).result]


def _step(
    number: SSAValue,
    states: Sequence[SSAValue],
    _: Sequence[SSAValue],
    captured: Sequence[SSAValue],
) -> tuple[list[SSAValue], list[SSAValue]]:
    """Builds the states once the probability of one class is better."""
    chances, slopes, mean = states
    (table,) = captured
    rows, count = shape_of(chances)
    row = at(table, number, 1)
    own, slope = (reshaped(at(each, number, 1), [rows, 1]) for each in (row, slopes))
    change = DivOp(SubOp(mean, slope), own).result
    whole = plus(change, 1)
    gain = AddOp(MulOp(change, own), times(slope, 2))
    mean = AddOp(mean, MulOp(change, gain)).result
    mean = DivOp(DivOp(mean, whole), whole).result
    slopes = DivOp(AddOp(slopes, MulOp(change, row)), whole).result
    is_this = convert(EqOp(counted(count, 1, 2), number).result, element_of(chances))
    chances = DivOp(AddOp(chances, MulOp(change, is_this)), whole).result
    return [chances, slopes, mean], []
