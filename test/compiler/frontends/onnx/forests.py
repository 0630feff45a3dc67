"""Models of random decision trees, as converters of scikit-learn write them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper

FEATURES = 5

BY_ORDER = ("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT")
MODES = (*BY_ORDER, "BRANCH_EQ", "BRANCH_NEQ")


@dataclass
class Forest:
    """Trees whose nodes are numbered in each tree."""

    modes: tuple[str, ...] = MODES
    tracks: bool = False
    """Whether NaN counts as true at some nodes."""
    targets: tuple[int, ...] = (0,)
    """What each leaf has a value of."""
    least: float = -1.0
    trees: int = 6
    depth: int = 4
    random: np.random.Generator = field(
        default_factory=lambda: np.random.default_rng(0)
    )

    def attributes(self, prefix: str) -> dict[str, list[Any]]:
        """The nodes, and the values of leaves under names with a prefix."""
        names = ("treeids", "nodeids", "featureids", "values", "modes")
        names += ("truenodeids", "falsenodeids", "missing_value_tracks_true")
        nodes: dict[str, list[Any]] = {f"nodes_{name}": [] for name in names}
        leaves: dict[str, list[Any]] = {
            f"{prefix}_{name}": [] for name in ("treeids", "nodeids", "ids", "weights")
        }
        for tree in range(self.trees):
            self.grow(tree, self.depth, nodes, leaves)
        return nodes | leaves

    def grow(
        self,
        tree: int,
        depth: int,
        nodes: dict[str, list[Any]],
        leaves: dict[str, list[Any]],
    ) -> int:
        """Adds a node or a leaf, and those after it; its number in the tree."""
        number = nodes["nodes_treeids"].count(tree)
        place, random = len(nodes["nodes_treeids"]), self.random
        is_leaf = depth == 0 or (depth < self.depth and random.random() < 0.3)
        # Limits are few, so that elements are equal to some.
        limit = float(np.round(random.standard_normal(), 1))
        mode = "LEAF" if is_leaf else str(random.choice(self.modes))
        tracks = int(self.tracks and random.random() < 0.5)
        row = (tree, number, int(random.integers(FEATURES)), limit, mode, 0, 0, tracks)
        for name, value in zip(nodes, row, strict=True):
            nodes[name].append(value)
        if is_leaf:
            for target in self.targets:
                value = float(random.uniform(self.least, 1) / self.trees)
                for name, each in zip(
                    leaves, (tree, number, target, value), strict=True
                ):
                    leaves[name].append(each)
            return number
        for side in ("true", "false"):
            after = self.grow(tree, depth - 1, nodes, leaves)
            nodes[f"nodes_{side}nodeids"][place] = after
        return number


def regressor(forest: Forest, count: int = 1, **attributes: Any) -> ModelProto:
    """The model of a `TreeEnsembleRegressor` with this many targets."""
    found = forest.attributes("target") | {"n_targets": count} | attributes
    return model_of("TreeEnsembleRegressor", {"y": TensorProto.FLOAT}, found)


def classifier(forest: Forest, count: int = 2, **attributes: Any) -> ModelProto:
    """The model of a `TreeEnsembleClassifier` with this many classes."""
    labels = {"classlabels_int64s": [10 * each + 3 for each in range(count)]}
    found = forest.attributes("class") | labels | attributes
    outputs = {"label": TensorProto.INT64, "y": TensorProto.FLOAT}
    return model_of("TreeEnsembleClassifier", outputs, found)


def model_of(
    op: str,
    outputs: dict[str, int],
    attributes: dict[str, Any],
    element: int = TensorProto.FLOAT,
    version: int = 3,
) -> ModelProto:
    """The model of one node of `ai.onnx.ml` on rows of features."""
    node = helper.make_node(op, ["x"], [*outputs], domain="ai.onnx.ml", **attributes)
    results = [helper.make_tensor_value_info(n, t, None) for n, t in outputs.items()]
    x = helper.make_tensor_value_info("x", element, ["n", FEATURES])
    sets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", version)]
    graph = helper.make_graph([node], "g", [x], results)
    return helper.make_model(graph, opset_imports=sets, ir_version=8)


def rows(
    count: int = 40, missing: bool = False
) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Rows of features, some of them infinite, and some NaN where asked for."""
    random = np.random.default_rng(1)
    x = np.round(random.standard_normal((count, FEATURES)), 1).astype(np.float32)
    x[0], x[1] = np.inf, -np.inf
    if missing:
        x[random.random(x.shape) < 0.2] = np.nan
    return x
