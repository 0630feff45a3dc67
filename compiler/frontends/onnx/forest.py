"""
Decision trees as flat tables, in which every node compares by `<=`.

A place in the tables is a node or a leaf. A leaf is followed by itself, so that every
walk may take as many steps as the deepest tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from ....dialects import Array

LEQ, LT, GTE, GT, EQ, NEQ, MEMBER = range(7)
"""How the element of a node is compared with its limit, as `TreeEnsemble` counts."""

LEAF = -1
"""The mode of a leaf."""

_LANES = 16
"""The walks that vectors of every target hold side by side."""

_MOST_GROUPS = 8
"""The most groups of walks; each group is a loop of its own."""


@dataclass(frozen=True)
class Nodes:
    """What each place of trees has: a number, a limit, and places that are next."""

    modes: Array
    features: Array
    limits: Array
    yes: Array
    """The place after a comparison that is true."""
    no: Array
    tracks: Array
    """Whether NaN counts as true."""

    def and_more(self, more: Nodes) -> Nodes:
        """These places, and more after them."""
        names = [each.name for each in fields(self)]
        pairs = [(getattr(self, name), getattr(more, name)) for name in names]
        return Nodes(*(np.concatenate(each) for each in pairs))

    def at(self, places: Array) -> Nodes:
        """The nodes at some places."""
        return Nodes(*(getattr(self, each.name)[places] for each in fields(self)))


@dataclass(frozen=True)
class Forest:
    """Trees, and the values of their leaves."""

    nodes: Nodes
    roots: Array
    leaves: Array
    """The place of each value."""
    targets: Array
    """The column of each value."""
    values: Array

    def once(self) -> Forest:
        """
        The same trees, in which a leaf has each value of a target once.

        With its option `decision_leaf` skl2onnx lists the number of a leaf of one
        target once for each class. ONNX Runtime gives that number where there is one
        target; where there are several, it adds up all that is listed.
        """
        lists = (self.leaves, self.targets, self.values)
        order = np.lexsort(lists[::-1])
        is_same = [np.diff(each[order], prepend=np.nan) == 0 for each in lists]
        kept = np.sort(order[~np.logical_and.reduce(is_same)])
        leaves, targets, values = (each[kept] for each in lists)
        return replace(self, leaves=leaves, targets=targets, values=values)


@dataclass(frozen=True)
class Tables:
    """What `graph.descend` takes."""

    places: Array
    """What the places are among the nodes; those beyond are no leaves."""
    features: Array
    limits: Array
    next: Array
    starts: Array
    """Where walks begin, those through shallow trees first."""
    walks: tuple[int, ...]
    steps: tuple[int, ...]


def members_apart(nodes: Nodes, members: Sequence[Array]) -> Nodes:
    """
    The nodes with a chain of comparisons in the place of each that asks for members,
    which are given for each such node in order.
    """
    asked = np.flatnonzero(nodes.modes == MEMBER)
    modes, limits, no = nodes.modes.copy(), nodes.limits.copy(), nodes.no.copy()
    modes[asked] = EQ
    count, chains = len(modes), [nodes.at(asked[:0])]
    for place, values in zip(asked.tolist(), members, strict=True):
        # Nothing is equal to NaN.
        limits[place], *others = values if len(values) else [np.nan]
        rest = nodes.at(np.full(len(others), place))
        after = np.arange(count, count + len(others))
        ends = np.append(after, no[place])
        no[place] = ends[0]
        equal = np.full(len(others), EQ)
        chain = Nodes(
            equal,
            rest.features,
            np.array(others, limits.dtype),
            rest.yes,
            ends[1:],
            rest.tracks,
        )
        chains.append(chain)
        count += len(others)
    made = Nodes(modes, nodes.features, limits, nodes.yes, no, nodes.tracks)
    for each in chains:
        made = made.and_more(each)
    return made


def tables_of(nodes: Nodes, roots: Array) -> Tables:
    """
    The tables of trees that begin at these places; raises `ValueError` for places that
    are no trees.
    """
    places, limits = _places_after(nodes)
    features = np.append(nodes.features, nodes.features[_equalities(nodes)])
    visits = _visits(places, roots)
    order = np.argsort(visits.depths, kind="stable")
    walks, steps = _groups(visits.depths[order])
    old = visits.in_order(order)
    new = np.full(len(places), -1)
    new[old] = np.arange(len(old))
    after = new[places[old]]
    limits, is_leaf = limits[old], _are_leaves(places)[old]
    ways = 3 if (after[:, 2] != after[:, 1]).any() else 2
    if ways == 2 and visits.is_apart:
        # The second place is the one after the first: NaN has a leaf go to itself.
        ways = 1
        limits = np.where(is_leaf, np.nan, limits).astype(limits.dtype)
        after[is_leaf] -= 1
    return Tables(
        old,
        features[old].astype(np.int32),
        limits,
        np.ascontiguousarray(after[:, :ways].astype(np.int32)),
        new[roots[order]].astype(np.int32),
        walks,
        steps,
    )


def _equalities(nodes: Nodes) -> Array:
    """The nodes that compare by equality: each becomes two."""
    return np.flatnonzero((nodes.modes == EQ) | (nodes.modes == NEQ))


def _places_after(nodes: Nodes) -> tuple[Array, Array]:
    """
    Of each place those after an element that is not above the limit, that is above it,
    and that is NaN; and the limits.
    """
    modes, yes, no, count = nodes.modes, nodes.yes, nodes.no, len(nodes.modes)
    is_turned = (modes == GTE) | (modes == GT)
    first, second = np.where(is_turned, no, yes), np.where(is_turned, yes, no)
    # No comparison with NaN is true, but for that which asks for others.
    second = np.where(is_turned & np.isnan(nodes.limits), no, second)
    third = np.where(nodes.tracks | (modes == NEQ), yes, no)
    below = np.nextafter(nodes.limits, nodes.limits.dtype.type(-np.inf))
    below[np.isneginf(nodes.limits)] = np.nan
    limits = np.where((modes == LT) | (modes == GTE), below, nodes.limits)
    asked = _equalities(nodes)
    others = np.where(modes == EQ, no, yes)[asked]
    first[asked] = count + np.arange(len(asked))
    second[asked] = others
    same = np.where(modes == EQ, yes, no)[asked]
    leaves = np.flatnonzero(modes == LEAF)
    for each in (first, second, third):
        each[leaves] = leaves
    after = np.stack([first, second, third], 1)
    more = np.stack([others, same, same], 1)
    return np.concatenate([after, more]), np.append(limits, below[asked])


def _are_leaves(places: Array) -> Array:
    """Whether each place is followed by itself."""
    return (places == np.arange(len(places))[:, None]).all(1)


@dataclass(frozen=True)
class _Visits:
    """The places of trees, level by level; those after a place are side by side."""

    places: Array
    trees: Array
    levels: Array
    depths: Array
    """The most steps from each root to a leaf."""

    @property
    def is_apart(self) -> bool:
        """Whether no place is met twice."""
        return len(np.unique(self.places)) == len(self.places)

    def in_order(self, order: Array) -> Array:
        """
        Each place once, tree by tree in this order, level by level; places that are met
        twice stand where they are met first.
        """
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        sorting = np.lexsort((self.levels, rank[self.trees]))
        found = self.places[sorting]
        _, first = np.unique(found, return_index=True)
        return found[np.sort(first)]


def _visits(places: Array, roots: Array) -> _Visits:
    """The places met from each root; raises `ValueError` if they are no trees."""
    if not len(roots):
        raise ValueError("expected a tree, got none")
    depths = np.zeros(len(roots), np.int64)
    is_leaf = _are_leaves(places)
    here, trees = roots, np.arange(len(roots))
    levels: list[tuple[Array, Array, Array]] = []
    for depth in range(len(places)):
        levels.append((here, trees, np.full(len(here), depth)))
        depths[trees] = depth
        inner = ~is_leaf[here]
        here, trees = here[inner], trees[inner]
        if not len(here):
            met, of, at = (np.concatenate(each) for each in zip(*levels, strict=True))
            return _Visits(met, of, at, depths)
        after, trees = places[here], np.repeat(trees, 3)
        is_new = np.ones(after.shape, bool)
        is_new[:, 1] = after[:, 1] != after[:, 0]
        is_new[:, 2] = (after[:, 2] != after[:, 0]) & (after[:, 2] != after[:, 1])
        here, trees = after[is_new], trees[is_new.reshape(-1)]
        # Several nodes may be before one.
        _, first = np.unique(np.stack([trees, here]), axis=1, return_index=True)
        here, trees = here[np.sort(first)], trees[np.sort(first)]
    raise ValueError("expected trees, got nodes that follow each other in a circle")


def _groups(depths: Array) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Walks in rising order of their steps, in groups; and the most steps of each."""
    share = -(-len(depths) // _MOST_GROUPS)
    size = max(-(-share // _LANES), 1) * _LANES
    walks: list[int] = []
    steps: list[int] = []
    for first in range(0, len(depths), size):
        part = depths[first : first + size]
        most = int(part[-1])
        if steps and steps[-1] == most:
            walks[-1] += len(part)
        else:
            walks.append(len(part))
            steps.append(most)
    return tuple(walks), tuple(steps)
