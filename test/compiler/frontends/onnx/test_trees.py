"""Ensembles of trees, beside ONNX's evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session.errors import CompileError

from .forests import (
    BY_ORDER,
    FEATURES,
    MODES,
    Forest,
    classifier,
    model_of,
    regressor,
    rows,
)
from .interpreter import Array, read


def check(made: ModelProto, x: Array, near: float = 1e-6) -> None:
    """The model computes what ONNX's evaluator does."""
    expected = ReferenceEvaluator(made).run(None, {"x": x})
    for got, wanted in zip(read(made).run(x), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=near)


@pytest.mark.parametrize("mode", MODES)
def test_each_comparison_is_onnxs(mode: str):
    check(regressor(Forest(modes=(mode,))), rows())


def test_comparisons_are_mixed_and_trees_are_many():
    check(regressor(Forest(trees=70)), rows())


@pytest.mark.parametrize("aggregate", ["AVERAGE", "SUM", "MIN", "MAX"])
@pytest.mark.parametrize("targets", [(0,), (0, 1, 2)])
def test_values_are_aggregated(aggregate: str, targets: tuple[int, ...]):
    forest = Forest(targets=targets)
    check(regressor(forest, len(targets), aggregate_function=aggregate), rows())


def test_a_base_is_added():
    base = [0.5, -1.0, 2.0]
    check(regressor(Forest(targets=(2, 0, 1)), 3, base_values=base), rows())


@pytest.mark.parametrize("transform", ["NONE", "SOFTMAX", "LOGISTIC", "PROBIT"])
def test_scores_of_classes_are_transformed(transform: str):
    forest = Forest(targets=(0, 1, 2), least=0.0 if transform == "PROBIT" else -1.0)
    # An approximation that differs by as much as it is off.
    near = 1e-4 if transform == "PROBIT" else 1e-6
    check(classifier(forest, 3, post_transform=transform), rows(), near)


def test_one_leaf_is_a_tree():
    check(regressor(Forest(depth=0)), rows())


def test_whole_numbers_are_features():
    made = regressor(Forest(modes=BY_ORDER))
    x = np.arange(4 * FEATURES).reshape(4, FEATURES) % 3
    expected = read(made).run(x.astype(np.float32))
    made.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64
    np.testing.assert_array_equal(read(made).run(x), expected)


def test_doubles_are_compared_as_doubles():
    made = regressor(Forest(modes=("BRANCH_LT",)))
    made.graph.input[0].type.tensor_type.elem_type = TensorProto.DOUBLE
    # As doubles, limits of floats are a bit above or below what was written.
    check(made, rows().astype(np.float64))


def ensemble(**changes: Any) -> ModelProto:
    """A `TreeEnsemble` of one node that asks for members, and one by order."""
    attributes: dict[str, Any] = {
        "n_targets": 2,
        "aggregate_function": 1,
        "post_transform": 0,
        "tree_roots": [0],
        "nodes_featureids": [0, 1],
        "nodes_modes": np.array([6, 0], np.uint8),
        "nodes_splits": np.array([0.0, 0.5], np.float32),
        "nodes_truenodeids": [1, 0],
        "nodes_trueleafs": [0, 1],
        "nodes_falsenodeids": [2, 1],
        "nodes_falseleafs": [1, 1],
        "leaf_targetids": [0, 1, 0],
        "leaf_weights": np.array([1.0, 10.0, 100.0], np.float32),
        "membership_values": np.array([1.5, 2.5, -3.0, np.nan], np.float32),
    }
    found = attributes | changes
    for name in ("nodes_modes", "nodes_splits", "leaf_weights", "membership_values"):
        found[name] = numpy_helper.from_array(found[name], name)
    return model_of("TreeEnsemble", {"y": TensorProto.FLOAT}, found, version=5)


def test_members_are_a_chain_of_comparisons():
    x = np.zeros((5, FEATURES), np.float32)
    x[:, 0], x[:, 1] = [1.5, 2.5, -3.0, 0.0, np.nan], [0.0, 1.0, 0.5, 0.0, 0.0]
    (y,) = read(ensemble()).run(x)
    np.testing.assert_array_equal(y, [[1, 0], [0, 10], [1, 0], [100, 0], [100, 0]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tree_roots": [7]}, r"expected roots that are nodes, got \[7\]"),
        ({"nodes_truenodeids": [9, 0]}, "nodes or leaves after each, got true others"),
        ({"nodes_trueleafs": [0, 0]}, "nodes that follow each other in a circle"),
        ({"nodes_featureids": [0, 5]}, "expected 6 features or more"),
        ({"nodes_featureids": [0, -1]}, "expected features from 0 on, got -1"),
        ({"nodes_featureids": [0]}, "expected 1 true, as featureids, got 2"),
        ({"leaf_targetids": [0, 1, 2]}, "expected targets below 2, got 2"),
        ({"aggregate_function": 4}, "expected aggregate_function from 0 to 3, got 4"),
        (
            {"nodes_modes": np.array([0, 9], np.uint8)},
            "expected modes from 0 to 6, got others",
        ),
        (
            {"membership_values": np.array([np.nan, np.nan], np.float32)},
            "expected 1 lists of members, got 2",
        ),
        ({"aggregate_function": 2}, "MIN over leaves without a value of each target"),
    ],
)
def test_what_is_no_tree_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(CompileError, match=message):
        read(ensemble(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"nodes_modes": ["BRANCH_ALL"]}, "expected modes of LEAF, .* got BRANCH_ALL"),
        ({"target_nodeids": [5]}, "nodes of the ensemble, got number 5 of tree 0"),
        (
            {"post_transform": "TWICE"},
            "expected post_transform of NONE, .*, got 'TWICE'",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(changes: dict[str, Any], message: str):
    with pytest.raises(CompileError, match=message):
        read(regressor(Forest(depth=0, trees=1), **changes))


def test_labels_may_be_texts():
    strings = {"classlabels_int64s": None, "classlabels_strings": ["a", "b", "c"]}
    made = classifier(Forest(targets=(0, 1, 2)), 3)
    (node,) = made.graph.node
    kept = [each for each in node.attribute if each.name not in strings]
    node.ClearField("attribute")
    node.attribute.extend(kept)
    node.attribute.append(helper.make_attribute("classlabels_strings", ["a", "b", "c"]))
    labels, scores = sr.compile(made)(x := rows())
    assert labels.tolist() == ["abc"[at] for at in scores.argmax(1)]
    node.output[0] = ""
    del made.graph.output[0]
    (alone,) = read(made).run(x)
    np.testing.assert_array_equal(alone, scores)


KINDS = {TensorProto.FLOAT: np.float32, TensorProto.DOUBLE: np.float64}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("times", [2, 3])
def test_what_one_target_lists_again_counts_once(times: int, kind: int):
    def repeated(**changes: Any) -> ModelProto:
        made = regressor(Forest(), **changes)
        made.graph.input[0].type.tensor_type.elem_type = kind
        return made

    (node,) = (once := repeated()).graph.node
    lists = {
        each.name: (list(each.ints) + list(each.floats)) * times
        for each in node.attribute
        if each.name.startswith("target_")
    }
    graph, wanted = read(repeated(**lists)), read(once)
    for batch in (20, 1, 0):
        x = rows()[:batch].astype(KINDS[kind])
        np.testing.assert_array_equal(graph.run(x), wanted.run(x))


def test_values_that_differ_or_are_of_several_targets_add_up():
    lists: dict[str, Any] = {
        f"target_{name}": [0] * 3 for name in ("treeids", "nodeids", "ids")
    }
    weights = [1.0, 2.0, 1.0]
    made = regressor(Forest(depth=0, trees=1), target_weights=weights, **lists)
    (y,) = read(made).run(x := rows()[:1])
    assert y.item() == 3
    made = regressor(Forest(depth=0, trees=1), 2, target_weights=weights, **lists)
    (y,) = read(made).run(x)
    assert y.tolist() == [[4, 0]]
