"""
Which value a kernel copies unchanged, and for which sizes.

    %1 = graph.permute %0 : a x b -> b x a      %0, where a = 1 or b = 1
    %1 = graph.expand %0 : 1 x n -> m x n       %0, where m = 1
    %1 = graph.slice %0 : n x 4 -> m x 4        %0, whatever n and m are
    %1 = graph.concat %0, %x : a + b            %0, where b = 0; and %x, where a = 0
    %1 = graph.relu %0                          none

The answer is read off the nests, and names no op. A nest stores the element that it
loaded at the same position if along each axis both positions move equally far, or the
axis has one element. In a kernel of several nests all but one must be empty.

A condition is a conjunction of clauses; a clause is a disjunction of quantities that
must be zero. Clauses are never multiplied into one polynomial, since a product may be
zero in 64 bits when none of its factors is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import SSAValue

from ..dims import Dim, evaluate, is_nonnegative
from ..graph import FusionOp, GraphOp, Linear, same
from ..multiples import divides, primitive
from ..shape import tensor_type
from .expression import Accumulator, Apply, Constant, Expression, KernelNest, Load
from .group import Group

Clause: TypeAlias = tuple[Dim, ...]
"""Quantities; one of them must be zero."""

Condition: TypeAlias = tuple[Clause, ...]
"""Clauses that must all hold; one without clauses always holds."""

MOST_CLAUSES = 16
"""
The most clauses of a condition. That more hold together, as that all parts of a long
concatenation but one are empty, is rare, and to compare them takes quadratic time for
each part.
"""


@dataclass(frozen=True)
class Identity:
    """The elements of a value that a kernel copies in order, from `offset` on."""

    source: SSAValue
    offset: Dim
    when: Condition


def only_moves(op: GraphOp) -> bool:
    """
    Whether a nest of each op of a group passes an element on, or combines some: then it
    is worth while to look for identities.
    """
    ops = op.ops if isinstance(op, FusionOp) else (op,)
    return all(any(nest.body is same for nest in each.nests() or ()) for each in ops)


def identities_of(group: Group) -> tuple[Identity, ...]:
    """The values that a group may copy unchanged, each with its condition."""
    found: list[Identity] = []
    for survivor, emptied in _survivors(group.nests):
        one = _identity_of(survivor, moves=len(group.nests) == 1)
        if one is None or not has_its_elements(group, one.source):
            continue
        # An index is checked even if nothing is stored at it.
        unchecked = ((each.count,) for each in group.checks)
        when = conjunction((*emptied, *unchecked, *one.when))
        if when is not None:
            found.append(Identity(one.source, one.offset, when))
    return tuple(found)


def _survivors(nests: Sequence[KernelNest]) -> Iterator[tuple[KernelNest, Condition]]:
    """
    The nests beside which all others may be empty, each with when they are. A nest that
    is empty then too, as a part of a concatenation that is as large as another, copies
    nothing.
    """
    times: Counter[Clause] = Counter()
    told: list[tuple[KernelNest, Clause]] = []
    for nest in nests:
        clause = _simplified(_bounds_of_stores(nest))
        if clause is None:
            continue
        times[clause] += 1
        # Beside any nest one of two that are empty together tells it of all of them.
        if times[clause] <= 2:
            told.append((nest, clause))
    if len(times) > MOST_CLAUSES + 1:
        return
    for nest in nests:
        others = dict.fromkeys(clause for each, clause in told if each is not nest)
        own = _simplified(_bounds_of_stores(nest))
        is_empty = own is None or any(_implies(each, own) for each in others)
        if () not in others and not (others and is_empty):
            yield nest, tuple(others)


def conjunction(clauses: Iterable[Clause]) -> Condition | None:
    """
    The condition that all clauses hold, without those that always do or that another
    implies; None when one never holds, or when there are more than `MOST_CLAUSES`.
    """
    left: dict[Clause, None] = {}
    for clause in clauses:
        kept = _simplified(clause)
        if kept is None:
            continue
        if not kept:
            return None
        left[kept] = None
        if len(left) > MOST_CLAUSES:
            return None
    needed = list(left)
    for clause in left:
        others = [each for each in needed if each is not clause]
        if any(_implies(each, clause) for each in others):
            needed = others
    return tuple(needed)


def holds(when: Condition, symbols: Mapping[str, int]) -> bool:
    """Whether a condition holds for sizes that are known."""
    return all(any(evaluate(q, symbols) == 0 for q in clause) for clause in when)


def _simplified(clause: Clause) -> Clause | None:
    """The quantities that may be zero, in their order; None when one always is."""
    if 0 in clause:
        return None
    simple = sorted({*map(primitive, clause)}, key=str)
    return tuple(each for each in simple if not _is_never_zero(each))


def _is_never_zero(quantity: Dim) -> bool:
    """Whether a quantity is provably above or below zero."""
    return any(is_nonnegative(each, {}) for each in (quantity - 1, quantity * -1 - 1))


def _implies(clause: Clause, other: Clause) -> bool:
    """Whether each quantity of a clause divides one of another."""
    return all(any(divides(a, b) for b in other) for a in clause)


def has_its_elements(group: Group, value: SSAValue) -> bool:
    """Whether a value has elements of the type of the result of a group."""
    types = tensor_type(value), tensor_type(group.result)
    return len({each.element_type for each in types}) == 1


def _bounds_of_stores(nest: KernelNest) -> Clause:
    """The bounds of a nest; it stores nothing when one of them is zero."""
    return nest.bounds[: len(nest.bounds) - nest.reductions]


def _identity_of(nest: KernelNest, moves: bool) -> Identity | None:
    """
    What one nest copies unchanged; the elements begin at an offset only if it `moves`.
    """
    load = moved(nest)
    if load is None or nest.stages or nest.onto is not None:
        return None
    if load.lookups or nest.store.lookups:
        return None
    offset = load.at.offset - nest.store.at.offset
    clauses = [*stays(nest, load.at)]
    if not moves or nest.store.at.offset != 0:
        clauses.append((offset,))
        offset = 0
    when = conjunction(clauses)
    return None if when is None else Identity(load.buffer, offset, when)


def stays(nest: KernelNest, at: Linear) -> Iterator[Clause]:
    """That along each axis a load moves as far as the store, or the axis has one."""
    read, written = dict(at.factors), dict(nest.store.at.factors)
    parallel = len(nest.bounds) - nest.reductions
    for axis, bound in enumerate(nest.bounds):
        differ = read.get(axis, 0) - written.get(axis, 0)
        yield (bound - 1, differ) if axis < parallel else (bound - 1,)


def moved(nest: KernelNest) -> Load | None:
    """The load whose element a nest stores; None when it computes another."""
    value = _plain(nest.epilogue)
    if isinstance(value, Accumulator) and _starts_from_identity(nest):
        value = _plain(nest.element)
    return value if isinstance(value, Load) else None


def filled(nest: KernelNest) -> Constant | None:
    """The number that a nest stores at each point; None when it computes others."""
    value = _plain(nest.epilogue)
    return value if isinstance(value, Constant) else None


def _starts_from_identity(nest: KernelNest) -> bool:
    """
    Whether a reduction of one element is that element: a sum of floats starts from 0.0,
    and turns -0.0 into that.
    """
    return nest.combine is not None and not (
        nest.combine == "add" and isinstance(nest.type, AnyFloat)
    )


def _plain(value: Expression) -> Expression:
    """The expression below bodies that pass their operand on."""
    while isinstance(value, Apply) and value.body is same:
        (value,) = value.operands
    return value
