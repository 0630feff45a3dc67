"""
Which branches ops are in, and what then lives beside what.

    op       0    1     2   3   4   5
                  fork  a   a'  b   join      two branches: ops 2 and 3, and op 4

Ops are numbered in the order of the text. Two branches of one fork have no order, so a
value of one may live during all of the other. An order that is made of
series and of branches has dimension two: one op comes before another iff it does so in
the text, and in the text with the branches of each fork reversed. Within a branch the
second number of an op is the first and a shift.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from .record import Branch, Record

BranchRow: TypeAlias = tuple[int, int, int, int]
"""The first and the last op of a fork, then of one of its branches."""


def branches_of(rows: Iterable[BranchRow]) -> list[Branch]:
    """
    The branches that rows name, those first that others are in.

    Raises `ValueError` unless the branches of each fork are all that is in it, and each
    fork lies in one branch or in none.
    """
    forks: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for begin, end, first, last in sorted(rows, key=lambda row: (row[0] - row[1], row)):
        forks.setdefault((begin, end), []).append((first, last))
    found: list[Branch] = []
    for (begin, end), spans in forks.items():
        around = [each for each in found if begin <= each.last and each.first <= end]
        parent = around[-1] if around else None
        if parent and not (parent.first <= begin and end <= parent.last):
            raise ValueError(
                f"expected a fork in one branch, got ops {begin} to {end}, and a "
                f"branch from {parent.first} to {parent.last}"
            )
        shift = parent.shift if parent else 0
        at = begin + 1
        for first, last in spans:
            if first != at or last < first:
                at = -1
                break
            at = last + 1
            moved = shift + (end - at) - (first - begin - 1)
            found.append(Branch((begin, end), first, last, moved, parent))
        if at != end:
            raise ValueError(
                f"expected branches that are all of the fork from op {begin} to {end}, "
                f"got {spans}"
            )
    return found


def in_branches(records: Sequence[Record], rows: Sequence[BranchRow]) -> list[Record]:
    """
    The records with the branches, of those that rows name, that they live in.

    What lives in a branch and outside its fork lives as long as the whole fork. Raises
    `ValueError` as `branches_of` does.
    """
    forks: dict[tuple[int, int], list[Branch]] = {}
    for each in reversed(branches_of(rows)):
        forks.setdefault(each.fork, []).append(each)
    return [_in_branch(each, forks) for each in records] if forks else [*records]


def _in_branch(record: Record, forks: dict[tuple[int, int], list[Branch]]) -> Record:
    """The record in the innermost branch that has all of it; inner forks come first."""
    first, last = record.first, record.last
    for (begin, end), branches in forks.items():
        if last < begin or end < first:
            continue
        for each in branches:
            if each.first <= first and last <= each.last:
                return replace(record, first=first, last=last, branch=each)
        first, last = min(first, begin), max(last, end)
    return replace(record, first=first, last=last)


def branched_bound(records: Sequence[Record]) -> int:
    """
    The most bytes that may have to be in memory at one time; no plan takes less.

    That is what lives during one op; and of a fork, what lives during all of it, with
    the most of each of its branches, one after the other.
    """
    steps = max((record.last for record in records), default=0) + 2
    branches: dict[Branch, None] = {}
    for record in records:
        branch = record.branch
        while branch is not None:
            branches[branch] = None
            steps, branch = max(steps, branch.fork[1] + 2), branch.parent
    changes = np.zeros(steps, np.int64)
    for record in records:
        changes[record.first] += record.size
        changes[record.last + 1] -= record.size
    live = changes.cumsum()
    for branch in sorted(branches, key=lambda each: each.last - each.first):
        begin, end = branch.fork
        own = live[branch.first : branch.last + 1].max() - live[begin]
        live[end] += max(int(own), 0)
    return int(live.max())
