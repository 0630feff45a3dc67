"""What classifiers and regressors of `ai.onnx.ml` make of scores."""

from __future__ import annotations

from math import pi

import numpy as np
from xdsl.ir import SSAValue

from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
    DivOp,
    EqOp,
    ExpOp,
    GtOp,
    IndexSelectOp,
    LogOp,
    LtOp,
    MulOp,
    ReduceMaxOp,
    SigmoidOp,
    SoftmaxOp,
    SqrtOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import number_like, plus, raised, times
from ..known import Known
from .ml_attributes import chosen, integers_of, texts_of
from .node import Node

TRANSFORMS = ("NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT")
"""What becomes of scores, by the numbers of `TreeEnsemble`."""

_ZERO = 1e-7
"""The magnitude up to which SOFTMAX_ZERO takes a score for zero."""

_ERF = 0.147
"""The constant of Winitzki's approximation of the error function, as is usual."""


def transform_of(node: Node) -> str:
    """The transform that a node names."""
    return chosen(node, "post_transform", TRANSFORMS)


def transformed(scores: SSAValue, transform: str) -> SSAValue:
    """Builds the scores of rows after a transform."""
    match transform:
        case "SOFTMAX":
            return SoftmaxOp(scores, axis=1).result
        case "LOGISTIC":
            return SigmoidOp(scores).result
        case "SOFTMAX_ZERO":
            return _softmax_of_others(scores)
        case "PROBIT":
            return _probit(scores)
        case _:
            return scores


def _softmax_of_others(scores: SSAValue) -> SSAValue:
    """Builds a softmax in which scores of zero stay zero, beside the others."""
    along = {"axes": (1,), "keepdims": True}
    most = ReduceMaxOp(scores, **along).result
    is_some = GtOp(raised(scores, 1), number_like(_ZERO, scores))
    large = ExpOp(SubOp(scores, most))
    small = MulOp(scores, ExpOp(times(most, -1)))
    parts = WhereOp(is_some, large, small).result
    total = SumOp(parts, **along).result
    shares = DivOp(parts, total)
    is_nothing = EqOp(total, number_like(0, total))
    return WhereOp(is_nothing, number_like(0.5, scores), shares).result


def _probit(scores: SSAValue) -> SSAValue:
    """Builds the quantiles of the normal distribution, by an approximation."""
    wide = plus(times(scores, 2), -1)
    one, zero = number_like(1, scores), number_like(0, scores)
    rest = MulOp(SubOp(one, wide), AddOp(one, wide)).result
    log = LogOp(rest).result
    half = plus(times(log, 0.5), 2 / (pi * _ERF))
    root = SqrtOp(SubOp(MulOp(half, half), times(log, 1 / _ERF)))
    size = times(SqrtOp(SubOp(root, half)).result, 2**0.5)
    signed = WhereOp(LtOp(wide, zero), times(size, -1), size).result
    return WhereOp(EqOp(rest, zero), zero, signed).result


def label_names(node: Node, ints: str, strings: str) -> tuple[int, list[int] | None]:
    """How many labels there are, and the labels where they are numbers."""
    if found := integers_of(node, ints).tolist():
        return len(found), found
    return len(texts_of(node, strings)), None


def labels(best: SSAValue, names: list[int] | None, node: Node) -> SSAValue | None:
    """
    Builds the labels of classes by their numbers; None where nothing asks for them.
    Labels that are texts are the numbers (`texts.py`).
    """
    if not node.gives(0):
        return None
    if names is None:
        return best
    table = node.tensor(Known.of(np.array(names, np.int64)))
    return IndexSelectOp(table, best, axis=0, wraps=False).result


def greatest(scores: SSAValue) -> SSAValue:
    """Builds the number of the first greatest score of each row, as an i64."""
    return ArgmaxOp(scores, axis=1, keepdims=False).result
