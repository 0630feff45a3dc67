"""Support vector machines, beside ONNX's evaluator and beside formulas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto
from onnx.reference import ReferenceEvaluator

from static_runtime.compiler.session.errors import CompileError

from ....dialects.graph.compose.pairwise import coupled
from .interpreter import Array, read
from .machines import (
    FEATURES,
    KERNELS,
    KINDS,
    classifier,
    drawn,
    labels_of,
    linear_classifier,
    model_of,
    regressor,
    rows,
)


def check(made: ModelProto, x: Array, seen: Array | None = None) -> None:
    """The model computes what ONNX's evaluator does, which may be given other rows."""
    expected = ReferenceEvaluator(made).run(None, {"x": x if seen is None else seen})
    for got, wanted in zip(read(made).run(x), expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-5)


def check_chances(sizes: tuple[int, ...], x: Array, **more: Any) -> Array:
    """
    Probabilities are made of the decisions of the same machine that knows none: what
    ONNX's evaluator makes of three classes and more is wrong.
    """
    count = len(sizes)
    label, scores = read(classifier("RBF", sizes, True, **more)).run(x)
    same, decisions = read(classifier("RBF", sizes, **more)).run(x)
    decisions = decisions[:, 1:] if count == 2 else decisions
    a, b = (
        np.array([start - step * each for each in range(decisions.shape[1])])
        for start, step in ((-1.5, 0.5), (-0.25, -0.25))
    )
    shares = 1 / (1 + np.exp(decisions * a + b))
    expected = [coupled(each, count)[0] for each in shares]
    np.testing.assert_array_equal(label, same)
    np.testing.assert_allclose(scores, expected, rtol=1e-4, atol=1e-5)
    return scores


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_regressor_is_onnxs(kernel: str):
    check(regressor(kernel), rows())


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_a_kernel_has_any_degree(degree: int):
    check(regressor("POLY", degree), rows())


def test_a_kernel_without_parameters_has_zeros():
    check(regressor("SIGMOID", kernel_params=[]), rows())


@pytest.mark.parametrize("kernel", KERNELS)
def test_one_class_is_inside_or_outside(kernel: str):
    made = regressor(kernel, one_class=1, rho=[-0.01])
    x = rows()
    check(made, x)
    assert {*read(made).run(x)[0].ravel().tolist()} == {-1.0, 1.0}


def test_a_score_of_zero_is_outside():
    zeros: dict[str, Any] = {"coefficients": [0.0] * 7, "rho": [0.0]}
    (y,) = read(regressor("RBF", one_class=1, **zeros)).run(rows(2))
    assert y.tolist() == [[-1.0], [-1.0]]


def test_a_regressor_may_have_coefficients_of_features():
    found = {"coefficients": drawn(FEATURES), "rho": [-0.5], "kernel_type": "RBF"}
    made = model_of("SVMRegressor", found)
    x = rows()
    (y,) = read(made).run(x)
    expected = x @ np.array(drawn(FEATURES), np.float32)[:, None] - 0.5
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("element", KINDS)
def test_rows_are_taken_as_f32(element: int):
    x = rows(6, element)
    seen = x.astype(np.float32)
    check(regressor("RBF", element=element), x, seen)
    check(classifier("POLY", element=element), x, seen)


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("sizes", [(3, 2), (2, 1, 3), (1, 2, 1, 2)])
@pytest.mark.parametrize("kernel", KERNELS)
def test_pairs_of_classes_vote(kernel: str, sizes: tuple[int, ...]):
    made = classifier(kernel, sizes)
    x = rows(40)
    assert len({*read(made).run(x)[0].tolist()}) > 1
    check(made, x)


@pytest.mark.parametrize("sizes", [(3, 2), (2, 1, 3), (1, 2, 1, 2)])
def test_probabilities_are_made_of_pairs(sizes: tuple[int, ...]):
    scores = check_chances(sizes, rows())
    np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-5)


def test_probabilities_of_two_classes_are_onnxs():
    check(classifier("RBF", (3, 2), True), rows())


def test_probabilities_are_not_quite_zero_or_one():
    made = classifier("RBF", (3, 2), True, prob_a=[0.0], prob_b=[100.0])
    (_, scores) = read(made).run(rows(1))
    assert 0 < scores[0, 0] < 1e-6


@pytest.mark.parametrize("kernel", ["LINEAR", "RBF"])
def test_a_class_may_have_no_vectors(kernel: str):
    check(classifier(kernel, (2, 0, 3)), rows())
    check(classifier(kernel, (2, 3, 0)), rows())


@pytest.mark.parametrize("transform", ["LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"])
@pytest.mark.parametrize(("sizes", "knows"), [((3, 2), True), ((2, 1, 3), False)])
def test_scores_are_transformed(sizes: tuple[int, ...], knows: bool, transform: str):
    check(classifier("RBF", sizes, knows, post_transform=transform), rows(5))


@pytest.mark.parametrize("batch", ["n", 1, 3])
def test_batches_are_open_or_known(batch: str | int):
    for count in (1, 3) if batch == "n" else (int(batch),):
        check(classifier("RBF", batch=batch), rows(count))
        check_chances((2, 1, 3), rows(count), batch=batch)


@pytest.mark.parametrize("knows", [False, True])
@pytest.mark.parametrize("batch", ["n", 0])
def test_no_rows_have_no_labels(batch: str | int, knows: bool):
    graph = read(classifier("RBF", knows=knows, batch=batch))
    label, scores = graph.run(rows(0))
    assert (label.shape, scores.shape) == ((0,), (0, 3))


def test_the_first_class_of_most_votes_is_chosen():
    # Each class beats the next one, in a circle; then all lose against the last.
    found: dict[str, Any] = {"coefficients": [0.0] * 12}
    x = rows(2)
    for rho, place in (([1.0, -1.0, 1.0], 0), ([0.0, 0.0, 0.0], 2)):
        label, scores = read(classifier("RBF", **found, rho=rho)).run(x)
        assert label.tolist() == [labels_of(3)[place]] * 2
        assert scores.tolist() == [rho] * 2


def test_of_two_classes_the_first_has_the_decision_against_it():
    found: dict[str, Any] = {"coefficients": [0.0] * 5}
    made = classifier("RBF", (3, 2), **found, rho=[0.75])
    label, scores = read(made).run(rows(1))
    assert (label.tolist(), scores.tolist()) == ([labels_of(2)[0]], [[-0.75, 0.75]])


def test_many_features_have_a_greatest_score():
    check(linear_classifier(3), rows())


@pytest.mark.parametrize(
    ("coefficients", "rho", "place"),
    [
        ([1.0, -1.0], 0.5, 1),  # what is above zero counts for the second class
        ([1.0, -1.0], -1.5, 0),
        ([-1.0, 0.5], -1.5, 1),
        ([1.0, 0.25], 0.0, 1),  # from 0.5 on, where no coefficient is below zero
        ([1.0, 0.25], -0.5, 1),
        ([1.0, 0.25], -0.75, 0),
    ],
)
def test_of_two_scores_the_second_class_is_likely(
    coefficients: list[float], rho: float, place: int
):
    table = np.zeros((2, FEATURES))
    table[:, 0] = coefficients
    more = {"coefficients": table.ravel().tolist(), "rho": [rho]}
    x = np.eye(1, FEATURES, dtype=np.float32)
    label, scores = read(linear_classifier(2, **more)).run(x)
    np.testing.assert_allclose(scores, [np.array(coefficients) + rho])
    assert label.tolist() == [labels_of(2)[place]]


def test_a_vector_is_one_row():
    made = regressor("RBF")
    x = made.graph.input[0].type.tensor_type.shape.dim
    del x[0]
    (y,) = read(made).run(rows(1)[0])
    np.testing.assert_allclose(y, read(regressor("RBF")).run(rows(1))[0], rtol=1e-6)


@pytest.mark.parametrize(
    ("made", "message"),
    [
        (regressor("COSINE"), "expected kernel_type of LINEAR, POLY, RBF, SIGMOID"),
        (regressor("RBF", post_transform="LOGISTIC"), "post_transform LOGISTIC"),
        (regressor("RBF", kernel_params=[1.0]), "3 kernel_params or none, got 1"),
        (regressor("RBF", support_vectors=[1.0] * 8), "of 7 vectors, got 8"),
        (regressor("RBF", support_vectors=[1.0] * 21), "expected equal sizes"),
        (regressor("RBF", coefficients=[1.0] * 6), "7 coefficients or more, got 6"),
        (regressor("RBF", rho=[]), "expected 1 rho or more, got 0"),
        (classifier("RBF", rho=[1.0]), "expected 3 rho or more, got 1"),
        (classifier("RBF", (3,)), "1 labels"),
        (
            classifier("RBF", (3, 2), classlabels_ints=[1, 2, 3]),
            r"vectors_per_class of 3 classes, got \[3, 2\]",
        ),
        (
            classifier("RBF", (3, 2), post_transform="SOFTMAX"),
            "post_transform SOFTMAX of one decision for two classes",
        ),
        (
            classifier("RBF", prob_a=[1.0] * 3),
            "expected 3 prob_b or more, got 0",
        ),
        (
            linear_classifier(3, coefficients=[1.0] * 8),
            "expected coefficients of 3 classes, got 8",
        ),
    ],
)
def test_what_has_no_meaning_is_refused(made: ModelProto, message: str):
    with pytest.raises(CompileError, match=message):
        read(made)


def test_labels_may_be_left_out():
    made = classifier("RBF")
    made.graph.node[0].output[0] = ""
    del made.graph.output[0]
    (scores,) = read(made).run(rows(3))
    expected: Any = read(classifier("RBF")).run(rows(3))[1]
    np.testing.assert_array_equal(scores, expected)


def test_a_model_of_doubles_has_scores_of_f32():
    made = classifier("RBF", element=TensorProto.DOUBLE)
    assert read(made).run(rows(2, TensorProto.DOUBLE))[1].dtype == np.float32
