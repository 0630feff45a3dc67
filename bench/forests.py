"""
Measure ensembles of 200 decision trees beside the peers or another version.

    python -m bench.forests
    python -m bench.forests boosted_1 --before ../another-checkout

`boosted` trees have 31 leaves and one target, as those of LightGBM do by default. Trees
of a `forest` tell ten classes apart, and are grown until a leaf has one or two of 1,000
rows, as scikit-learn's are. Features are random, but a threshold is the median of the
rows that reach it, so that walks are as deep as those of trained trees. Names end in
the rows of a call. Rows of the table are those of `python -m bench`; the limits of a
machine, which count each constant once, say nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from onnx import ModelProto, TensorProto, helper, save

from .cases import Array, Case
from .peers import OURS
from .rows import print_rows

FEATURES = 28


@dataclass
class Tree:
    """A tree whose nodes are numbered; what is below a leaf is the leaf itself."""

    features: list[int] = field(default_factory=list[int])
    thresholds: list[float] = field(default_factory=list[float])
    lower: list[int] = field(default_factory=list[int])
    upper: list[int] = field(default_factory=list[int])

    def add(self) -> int:
        """Adds a leaf; its number."""
        at = len(self.features)
        self.features.append(0)
        self.thresholds.append(0.0)
        self.lower.append(at)
        self.upper.append(at)
        return at

    def is_leaf(self, at: int) -> bool:
        """Whether a node is a leaf."""
        return self.lower[at] == at

    def leaves_of(self, x: Array) -> Array:
        """f32[n, features] -> i64[n], the leaf that each row comes to."""
        at = np.zeros(len(x), np.int64)
        features, thresholds = np.array(self.features), np.array(self.thresholds, "f")
        lower, upper = np.array(self.lower), np.array(self.upper)
        while True:
            is_lower = x[np.arange(len(x)), features[at]] <= thresholds[at]
            below = np.where(is_lower, lower[at], upper[at])
            if (below == at).all():
                return at
            at = below


def grown(x: Array, leaves: int, random: np.random.Generator) -> Tree:
    """A tree that splits the rows of its largest leaf until it has enough leaves."""
    tree = Tree()
    rows = {tree.add(): np.arange(len(x))}
    while len(rows) < leaves:
        at = max(rows, key=lambda each: len(rows[each]))
        own = rows.pop(at)
        feature = int(random.integers(FEATURES))
        threshold = float(np.float32(np.median(x[own, feature])))
        is_lower = x[own, feature] <= threshold
        tree.features[at], tree.thresholds[at] = feature, threshold
        for below, part in ((tree.lower, own[is_lower]), (tree.upper, own[~is_lower])):
            below[at] = tree.add()
            rows[below[at]] = part
    return tree


@dataclass(frozen=True)
class Forest:
    """Trees of some leaves, for some rows; of one target, or of several classes."""

    rows: int
    leaves: int
    classes: int = 1
    trees: int = 200

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with inputs and results."""
        case, random = Case(folder, name), np.random.default_rng(0)
        sample = random.standard_normal((1000, FEATURES)).astype("f")
        x = random.standard_normal((self.rows, FEATURES)).astype("f")
        trees = [grown(sample, self.leaves, random) for _ in range(self.trees)]
        most = max(len(each.features) for each in trees)
        ids = random.integers(self.classes, size=(self.trees, most))
        weights = (random.random((self.trees, most)) / self.trees).astype("f")
        sums = np.zeros((self.rows, self.classes))
        for at, tree in enumerate(trees):
            leaf = tree.leaves_of(x)
            sums[np.arange(self.rows), ids[at][leaf]] += weights[at][leaf]
        results = [sums.astype("f")]
        if self.classes > 1:
            results.insert(0, sums.argmax(1))
        save(self._model(trees, ids, weights), case.model)
        case.keep([x], results)
        return case

    def _model(self, trees: Sequence[Tree], ids: Array, weights: Array) -> ModelProto:
        """The model of trees, with the class and the weight of each leaf."""
        nodes = [
            (at, n) for at, tree in enumerate(trees) for n in range(len(tree.features))
        ]
        leaves = [(at, n) for at, n in nodes if trees[at].is_leaf(n)]
        modes = ["LEAF" if trees[at].is_leaf(n) else "BRANCH_LEQ" for at, n in nodes]
        kind = "target" if self.classes == 1 else "class"
        known: dict[str, Any] = {
            "nodes_treeids": [at for at, _ in nodes],
            "nodes_nodeids": [n for _, n in nodes],
            "nodes_featureids": [trees[at].features[n] for at, n in nodes],
            "nodes_values": [trees[at].thresholds[n] for at, n in nodes],
            "nodes_modes": modes,
            "nodes_truenodeids": [
                0 if trees[at].is_leaf(n) else trees[at].lower[n] for at, n in nodes
            ],
            "nodes_falsenodeids": [
                0 if trees[at].is_leaf(n) else trees[at].upper[n] for at, n in nodes
            ],
            f"{kind}_treeids": [at for at, _ in leaves],
            f"{kind}_nodeids": [n for _, n in leaves],
            f"{kind}_ids": [int(ids[each]) for each in leaves],
            f"{kind}_weights": [float(weights[each]) for each in leaves],
        }
        outputs = [("y", TensorProto.FLOAT, [self.rows, self.classes])]
        if self.classes == 1:
            op, known["n_targets"] = "TreeEnsembleRegressor", 1
        else:
            op = "TreeEnsembleClassifier"
            known["classlabels_int64s"] = [*range(self.classes)]
            outputs.insert(0, ("label", TensorProto.INT64, [self.rows]))
        node = helper.make_node(
            op,
            ["in0"],
            [each for each, *_ in outputs],
            domain="ai.onnx.ml",
            **known,
        )
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            [node],
            "forest",
            [info("in0", TensorProto.FLOAT, [self.rows, FEATURES])],
            [info(*each) for each in outputs],
        )
        opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=9)


FORESTS: Mapping[str, Forest] = MappingProxyType(
    {
        **{f"boosted_{rows}": Forest(rows, 31) for rows in (1, 1000)},
        **{f"forest_{rows}": Forest(rows, 600, 10) for rows in (1, 1000)},
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each ensemble."""
    makers = {name: each.case for name, each in FORESTS.items()}
    print_rows(makers, args, (OURS, "onnxruntime"))


if __name__ == "__main__":
    main()
