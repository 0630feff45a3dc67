"""Ensembles of decision trees in `ai.onnx.ml`: `TreeEnsemble` and what came before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from ....dialects import Array, is_float
from ....dialects.graph import (
    AddOp,
    DescendOp,
    GtOp,
    IndexSelectOp,
    NegOp,
    ReduceMaxOp,
    ReduceMinOp,
    SubOp,
    SumOp,
)
from ....dialects.graph.compose import (
    convert,
    joined,
    number_like,
    reshaped,
    shape_of,
    times,
)
from ..known import Known
from ..unsupported import Unsupported
from .forest import LEAF, MEMBER, Forest, Nodes, members_apart, tables_of
from .ml_attributes import chosen, floats_of, integers_of, rows_of, texts_of
from .ml_scores import (
    TRANSFORMS,
    greatest,
    label_names,
    labels,
    transform_of,
    transformed,
)
from .node import Handler, Node, Results

_MODES = tuple(
    f"BRANCH_{each}" for each in ("LEQ", "LT", "GTE", "GT", "EQ", "NEQ", "MEMBER")
)
"""The comparisons by their numbers."""

_AGGREGATES = ("AVERAGE", "SUM", "MIN", "MAX")
"""What becomes of the values of trees, by the numbers of `TreeEnsemble`."""

_MOST_VALUES = 1 << 26
"""The most values of leaves."""


def _input(node: Node) -> SSAValue:
    """Builds the rows, as floats."""
    x = node.operand(0)
    return rows_of(node, x if is_float(node.type(0)) else convert(x, f32))


def _same_length(node: Node, names: Sequence[str], arrays: Sequence[Array]) -> None:
    """Raises `CompileError` for attributes that are not as long as the first one."""
    for name, each in zip(names, arrays, strict=True):
        if len(each) != len(arrays[0]):
            raise node.error(
                f"expected {len(arrays[0])} {name}, as {names[0]}, got {len(each)}"
            )


def _places(node: Node, trees: Array, numbers: Array) -> dict[tuple[int, int], int]:
    """The place of each node by its tree and its number there."""
    pairs = zip(trees.tolist(), numbers.tolist(), strict=True)
    found = {pair: place for place, pair in enumerate(pairs)}
    if len(found) < len(trees):
        raise node.error("expected one node of each number in a tree, got two")
    return found


def _named_nodes(node: Node, prefix: str, kind: np.dtype[np.floating]) -> Forest:
    """The trees of a node that numbers the nodes of each tree."""
    names = ("treeids", "nodeids", "featureids", "truenodeids", "falsenodeids")
    lists = [integers_of(node, f"nodes_{each}") for each in names]
    trees, numbers, features, yes, no = lists
    limits, modes = floats_of(node, "nodes_values"), texts_of(node, "nodes_modes")
    tracks = integers_of(node, "nodes_missing_value_tracks_true")
    tracks = tracks if len(tracks) else np.zeros(len(trees), np.int64)
    several = [*lists, limits, np.array(modes), tracks]
    _same_length(node, [*names, "values", "modes", "tracks"], several)
    known = {"LEAF": LEAF, **{each: at for at, each in enumerate(_MODES)}}
    if wrong := set(modes) - known.keys() | (set(modes) & {_MODES[MEMBER]}):
        raise node.error(f"expected modes of {', '.join(known)}, got {min(wrong)}")
    codes = np.array([known[each] for each in modes], np.int64)
    places = _places(node, trees, numbers)
    try:
        after = [
            [
                place if code == LEAF else places[tree, number]
                for place, (code, tree, number) in enumerate(
                    zip(codes.tolist(), trees.tolist(), each.tolist(), strict=True)
                )
            ]
            for each in (yes, no)
        ]
        ends = [
            integers_of(node, f"{prefix}_{each}") for each in ("treeids", "nodeids")
        ]
        pairs = zip(ends[0].tolist(), ends[1].tolist(), strict=True)
        leaves = np.array([places[pair] for pair in pairs], np.int64)
    except KeyError as error:
        tree, number = error.args[0]
        raise node.error(
            f"expected nodes of the ensemble, got number {number} of tree {tree}"
        ) from error
    _, firsts = np.unique(trees, return_index=True)
    nodes = Nodes(
        codes,
        features,
        limits.astype(kind),
        np.array(after[0], np.int64),
        np.array(after[1], np.int64),
        tracks != 0,
    )
    targets = integers_of(node, f"{prefix}_ids")
    values = floats_of(node, f"{prefix}_weights").astype(kind)
    _same_length(node, ["nodeids", "ids", "weights"], [leaves, targets, values])
    return Forest(nodes, np.sort(firsts), leaves, targets, values)


def _numbered_nodes(node: Node, kind: np.dtype[np.floating]) -> Forest:
    """The trees of a `TreeEnsemble`, whose nodes and leaves are numbered apart."""
    features = integers_of(node, "nodes_featureids")
    modes = node.stored("nodes_modes").astype(np.int64)
    limits = node.stored("nodes_splits").astype(kind)
    count, targets = len(features), integers_of(node, "leaf_targetids")
    values = node.stored("leaf_weights").astype(kind)
    after: list[Array] = []
    for side in ("true", "false"):
        numbers = integers_of(node, f"nodes_{side}nodeids")
        is_leaf = integers_of(node, f"nodes_{side}leafs")
        _same_length(node, ["featureids", side, "leafs"], [features, numbers, is_leaf])
        most = np.where(is_leaf != 0, len(values), count)
        if not ((numbers >= 0) & (numbers < most)).all():
            raise node.error(f"expected nodes or leaves after each, got {side} others")
        after.append(numbers + count * (is_leaf != 0))
    tracks = integers_of(node, "nodes_missing_value_tracks_true")
    tracks = tracks if len(tracks) else np.zeros(count, np.int64)
    several = [features, modes, limits, tracks]
    _same_length(node, ["featureids", "modes", "splits", "tracks"], several)
    _same_length(node, ["leaf_targetids", "leaf_weights"], [targets, values])
    if count and not 0 <= modes.min() <= modes.max() <= MEMBER:
        raise node.error(f"expected modes from 0 to {MEMBER}, got others")
    inner = Nodes(modes, features, limits, after[0], after[1], tracks != 0)
    leaves = count + np.arange(len(values))
    ends = np.zeros(len(values), np.int64)
    outer = Nodes(
        np.full(len(values), LEAF), ends, ends.astype(kind), leaves, leaves, ends != 0
    )
    nodes = members_apart(inner.and_more(outer), _members(node, modes, kind))
    roots = integers_of(node, "tree_roots")
    if not len(roots) or not 0 <= roots.min() <= roots.max() < count:
        raise node.error(f"expected roots that are nodes, got {roots.tolist()}")
    return Forest(nodes, roots, leaves, targets, values)


def _members(node: Node, modes: Array, kind: np.dtype[np.floating]) -> list[Array]:
    """The members that each node asks for which asks for some; NaN ends a list."""
    wanted = int((modes == MEMBER).sum())
    if not node.gives_attribute("membership_values"):
        found: list[Array] = []
    else:
        values = node.stored("membership_values").astype(kind)
        found = [each[~np.isnan(each)] for each in _split(values)]
    if len(found) != wanted:
        raise node.error(f"expected {wanted} lists of members, got {len(found)}")
    return found


def _split(values: Array) -> list[Array]:
    """The lists in an array in which NaN ends each; the last may have no end."""
    parts = np.split(values, np.flatnonzero(np.isnan(values)) + 1)
    return parts if len(parts[-1]) else parts[:-1]


def _scores(
    node: Node, x: SSAValue, forest: Forest, count: int, aggregate: str
) -> SSAValue:
    """Builds the values of all trees for each row, of `count` targets."""
    try:
        tables = tables_of(forest.nodes, forest.roots)
    except ValueError as error:
        raise node.error(str(error)) from error
    places, kind = len(tables.features), forest.values.dtype
    if places * count > _MOST_VALUES:
        raise Unsupported(f"{places * count} values of leaves")
    targets = forest.targets
    if len(targets) and not 0 <= targets.min() <= targets.max() < count:
        raise node.error(f"expected targets below {count}, got {targets.max()}")
    _check_features(node, x, tables.features)
    size = max(len(forest.nodes.modes), int(tables.places.max()) + 1)
    values = np.zeros((size, count), kind)
    np.add.at(values, (forest.leaves, targets), forest.values)
    if aggregate in ("MIN", "MAX"):
        given = np.zeros((size, count), bool)
        given[forest.leaves, targets] = True
        if not given[: len(forest.nodes.modes)][forest.nodes.modes == LEAF].all():
            raise Unsupported(f"{aggregate} over leaves without a value of each target")
    found = (tables.features, tables.limits, tables.next, tables.starts)
    operands = [node.tensor(Known.of(each)) for each in found]
    leaves = DescendOp(x, *operands, walks=tables.walks, steps=tables.steps).result
    values = values[tables.places]
    table = node.tensor(Known.of(values if count != 1 else values[:, 0]))
    chosen_values = IndexSelectOp(table, leaves, axis=0, wraps=False).result
    reduced = {"MIN": ReduceMinOp, "MAX": ReduceMaxOp}.get(aggregate, SumOp)
    total = reduced(chosen_values, axes=(1,), keepdims=count == 1).result
    if aggregate == "AVERAGE":
        total = times(total, 1 / max(len(forest.roots), 1))
    return total


def _check_features(node: Node, x: SSAValue, features: Array) -> None:
    """Requires that the rows have every feature that a node asks for."""
    width = node.shape(0)[-1]
    most = int(features.max(initial=0))
    if len(features) and features.min() < 0:
        raise node.error(f"expected features from 0 on, got {features.min()}")
    node.require(width - most - 1, f"{most + 1} features or more in {node.type(0)}")
    if isinstance(width, int) and width <= most:
        raise node.error(f"expected {most + 1} features or more, got {node.type(0)}")


def _kind(node: Node) -> np.dtype[np.floating]:
    """The type that scores have: that of the rows, if these are floats."""
    wide = node.element(0) == f64
    return np.dtype(np.float64 if wide else np.float32)


def _based(node: Node, scores: SSAValue, base: Array) -> SSAValue:
    """Builds the scores with the base of each target, or of all."""
    if not len(base):
        return scores
    table = node.tensor(Known.of(base.astype(_kind(node))))
    return AddOp(scores, table).result


def _ensemble(node: Node) -> Results:
    """The values of trees, aggregated for each target."""
    forest, count = _numbered_nodes(node, _kind(node)), node.integer("n_targets")
    aggregate, transform = (
        node.integer("aggregate_function"),
        node.integer("post_transform"),
    )
    for name, value, known in (
        ("aggregate_function", aggregate, _AGGREGATES),
        ("post_transform", transform, TRANSFORMS),
    ):
        if not 0 <= value < len(known):
            raise node.error(f"expected {name} from 0 to {len(known) - 1}, got {value}")
    scores = _scores(node, _input(node), forest, count, _AGGREGATES[aggregate])
    return transformed(scores, TRANSFORMS[transform])


def _regressor(node: Node) -> Results:
    """The values of trees, aggregated for each target, with a base."""
    count = node.integer("n_targets") if node.gives_attribute("n_targets") else 1
    aggregate = chosen(node, "aggregate_function", _AGGREGATES)
    forest = _named_nodes(node, "target", _kind(node))
    forest = forest.once() if count == 1 else forest
    scores = _scores(node, _input(node), forest, count, aggregate)
    scores = _based(node, scores, floats_of(node, "base_values"))
    return convert(transformed(scores, transform_of(node)), f32)


def _classifier(node: Node) -> Results:
    """The class that the values of trees are greatest for, and these."""
    forest = _named_nodes(node, "class", _kind(node))
    count, names = label_names(node, "classlabels_int64s", "classlabels_strings")
    transform, base = transform_of(node), floats_of(node, "base_values")
    used = np.unique(forest.targets)
    if count == 2 and len(used) == 1:
        return _binary(node, forest, transform, base, names)
    scores = _based(node, _scores(node, _input(node), forest, count, "SUM"), base)
    best = greatest(scores)
    return _results(node, best, names, transformed(scores, transform))


def _binary(
    node: Node, forest: Forest, transform: str, base: Array, names: list[int] | None
) -> Results:
    """
    The class and the scores where trees have values of one of two classes alone, as
    runtimes have them: with values of the first class, which count for the second, the
    other score is made of it.
    """
    first = int(forest.targets[0]) == 0
    if transform == "PROBIT" or len(base) > first:
        raise Unsupported("PROBIT or base_values with values of one of two classes")
    alone = replace(forest, targets=np.zeros_like(forest.targets))
    score = _based(node, _scores(node, _input(node), alone, 1, "SUM"), base)
    is_share = bool((forest.values >= 0).all())
    limit = number_like(0.5 if is_share else 0, score)
    best = reshaped(convert(GtOp(score, limit).result, i64), [shape_of(score)[0]])
    if not first:
        pair = joined([times(score, 0), score], 1)
        return _results(node, best, names, transformed(pair, transform))
    other = NegOp(score).result
    if transform == "LOGISTIC":
        other, score = transformed(other, transform), transformed(score, transform)
    elif is_share:
        other = SubOp(number_like(1, score), score).result
    return _results(node, best, names, joined([other, score], 1))


def _results(
    node: Node, best: SSAValue, names: list[int] | None, scores: SSAValue
) -> Results:
    """The label of each row, where it is asked for, and its scores."""
    named = labels(best, names, node)
    return [best if named is None else named, convert(scores, f32)]


HANDLERS: dict[str, Handler] = {
    "ai.onnx.ml.TreeEnsemble": _ensemble,
    "ai.onnx.ml.TreeEnsembleClassifier": _classifier,
    "ai.onnx.ml.TreeEnsembleRegressor": _regressor,
}
