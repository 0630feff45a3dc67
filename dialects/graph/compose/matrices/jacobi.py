"""
Singular values and eigenvalues by Jacobi's rotations.

A sweep rotates each pair of columns once, so that they become orthogonal; pairs that
have no column in common are rotated in one step. After some sweeps nothing is left to
rotate, as what is left is squared by each.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from ....shape import Array, tensor_type
from ...ops.arithmetic import AbsOp, SqrtOp
from ...ops.binary import AddOp, DivOp, MulOp, SubOp
from ...ops.compare import EqOp, GtOp
from ...ops.constant import ConstantOp
from ...ops.index_select import IndexSelectOp
from ...ops.polar import CopysignOp
from ...ops.reduce import SumOp
from ...ops.where import WhereOp
from ..number import number_like
from ..shaping import shape_of
from .stepping import as_row, entries_of, stepped
from .triangular import identity

_SWEEPS = 12
"""As many sweeps as leave nothing of matrices of some hundred columns."""


def _partners(size: int) -> Array:
    """
    The partner of each column in each step of a sweep, which is itself when it has
    none: a tournament, in which all but the last go round.
    """
    even = size + size % 2
    ring, rounds = list(range(even)), list[list[int]]()
    for _ in range(max(even - 1, 0)):
        found = list(range(size))
        for a, b in zip(ring[: even // 2], reversed(ring[even // 2 :]), strict=True):
            if max(a, b) < size:
                found[a], found[b] = b, a
        rounds.append(found)
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return np.array(rounds, np.int64).reshape(len(rounds), size)


def orthogonalized(x: SSAValue, size: int) -> tuple[SSAValue, SSAValue]:
    """
    Builds a stack of matrices with orthogonal columns, and the rotation that makes them
    of `x`.
    """
    stack = shape_of(x)[0]
    start = identity(stack, size, tensor_type(x).element_type)
    rounds = _partners(size)
    if not len(rounds):
        return x, start
    table = ConstantOp(value=np.tile(rounds, (_SWEEPS, 1))).result

    def step(
        _: SSAValue, states: Sequence[SSAValue], rows: Sequence[SSAValue], __: object
    ) -> tuple[list[SSAValue], list[SSAValue]]:
        (partner,) = rows
        others = [_taken(each, partner, 2) for each in states]
        cosine, sine = _angles(states[0], others[0], partner)
        after: list[SSAValue] = [
            AddOp(MulOp(each, cosine), MulOp(other, sine)).result
            for each, other in zip(states, others, strict=True)
        ]
        return after, []

    (after, turn), _ = stepped(len(rounds) * _SWEEPS, step, [x, start], (), [table])
    return after, turn


def _taken(x: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """Builds the slices of a tensor at indices."""
    return IndexSelectOp(x, indices, axis=axis, wraps=False).result


def _angles(
    x: SSAValue, others: SSAValue, partner: SSAValue
) -> tuple[SSAValue, SSAValue]:
    """
    Builds what each column and its partner are multiplied by, so that the sums are
    orthogonal.
    """
    size = shape_of(x)[2]
    one, zero, two = (number_like(each, x) for each in (1, 0, 2))
    mine = SumOp(MulOp(x, x), axes=(1,), keepdims=False).result
    common = SumOp(MulOp(x, others), axes=(1,), keepdims=False).result
    its = _taken(mine, partner, 1)
    is_first = GtOp(partner, entries_of(size))
    apart = SubOp(its, mine).result
    apart = WhereOp(is_first, apart, SubOp(mine, its)).result
    ratio = DivOp(apart, MulOp(common, two)).result
    root = SqrtOp(AddOp(MulOp(ratio, ratio), one))
    tangent = DivOp(CopysignOp(one, ratio), AddOp(AbsOp(ratio), root)).result
    keeps = EqOp(common, zero).result
    is_alone = EqOp(partner, entries_of(size)).result
    tangent = WhereOp(keeps, zero, tangent).result
    tangent = WhereOp(is_alone, zero, tangent).result
    cosine = DivOp(one, SqrtOp(AddOp(MulOp(tangent, tangent), one))).result
    sine = MulOp(cosine, tangent).result
    signed = WhereOp(is_first, SubOp(zero, sine), sine).result
    return as_row(cosine), as_row(signed)
