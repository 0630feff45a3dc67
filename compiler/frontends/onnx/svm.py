"""Support vector machines of `ai.onnx.ml`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Array
from ....dialects.graph import (
    AddOp,
    ExpOp,
    GeOp,
    GtOp,
    IndexSelectOp,
    LogicalNotOp,
    MatmulOp,
    MaximumOp,
    MulOp,
    PowOp,
    ReduceMaxOp,
    SigmoidOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    activation,
    bounds,
    convert,
    coupling,
    joined,
    near_power,
    number,
    number_like,
    part,
    plus,
    reshaped,
    shape_of,
    times,
)
from ..known import Known
from ..unsupported import Unsupported
from .ml_attributes import chosen, floats_of, integers_of, rows_of
from .ml_scores import greatest, label_names, labels, transform_of, transformed
from .node import Handler, Node, Result, Results

_LEAST_SHARE = 1e-7
"""How far the probability of one of two classes is from zero and from one, at least."""


def _rows(node: Node) -> SSAValue:
    """Builds rows of features as f32, as runtimes have them; a vector is one row."""
    return rows_of(node, convert(node.operand(0), f32))


def _least(node: Node, name: str, count: int) -> Array:
    """The first `count` numbers of an attribute, which must have these."""
    found = floats_of(node, name)
    if len(found) < count:
        raise node.error(f"expected {count} {name} or more, got {len(found)}")
    return found[:count]


def _constant(node: Node, values: Array) -> SSAValue:
    """A tensor of numbers, as f32."""
    return node.tensor(Known.of(values.astype(np.float32)))


def _product(node: Node, x: SSAValue, table: Array) -> SSAValue:
    """Builds the products of rows with the columns of a table."""
    node.agreed(shape_of(x)[1], len(table))
    return MatmulOp(x, _constant(node, np.ascontiguousarray(table))).result


@dataclass(frozen=True)
class _Machine:
    """Support vectors `[vectors, features]`, and what is computed of each and a row."""

    node: Node
    kernel: str
    vectors: Array
    gamma: float
    offset: float
    degree: float

    @classmethod
    def of(cls, node: Node, count: int) -> _Machine:
        """The `count` support vectors of a node."""
        kernel = chosen(node, "kernel_type", ("LINEAR", "POLY", "RBF", "SIGMOID"))
        given = floats_of(node, "kernel_params").tolist()
        if len(given) not in (0, 3):
            raise node.error(f"expected 3 kernel_params or none, got {len(given)}")
        numbers = floats_of(node, "support_vectors")
        if not len(numbers) or len(numbers) % count:
            raise node.error(
                f"expected support_vectors of {count} vectors, got {len(numbers)}"
            )
        vectors = numbers.reshape(count, -1)
        node.agreed(node.shape(0)[-1], vectors.shape[1])
        return cls(node, kernel, vectors, *(given or (0.0, 0.0, 0.0)))

    def combined(self, x: SSAValue, table: Array) -> SSAValue:
        """Builds sums over the vectors by the columns of a table `[vectors, sums]`."""
        if self.kernel == "LINEAR":
            return _product(self.node, x, self.vectors.T.astype(np.float64) @ table)
        return _product(self.node, self.similar(x), table)

    def similar(self, x: SSAValue) -> SSAValue:
        """Builds what a kernel but the linear one makes of each row and each vector."""
        if self.kernel == "RBF":
            rows, width = shape_of(x)
            vectors = _constant(self.node, self.vectors)
            apart = SubOp(reshaped(x, [rows, 1, width]), vectors).result
            square = SumOp(MulOp(apart, apart), axes=(2,), keepdims=False).result
            return ExpOp(times(square, -self.gamma)).result
        product = _product(self.node, x, self.vectors.T)
        scaled = plus(times(product, self.gamma), self.offset)
        if self.kernel == "SIGMOID":
            return activation.scaled_tanh(scaled, 1, 1)
        near = near_power(scaled, self.degree)
        if near is not None:
            return near
        return PowOp(scaled, number_like(self.degree, scaled)).result


def _regressor(node: Node) -> Result:
    """A sum of coefficients times the kernel of each support vector."""
    if (transform := transform_of(node)) != "NONE":
        raise Unsupported(f"post_transform {transform}, which runtimes leave out")
    x, count = _rows(node), node.integer("n_supports")
    if count > 0:
        table = _least(node, "coefficients", count)[:, None]
        total = _Machine.of(node, count).combined(x, table)
    else:
        total = _product(node, x, floats_of(node, "coefficients")[:, None])
    total = plus(total, float(_least(node, "rho", 1)[0]))
    if not node.flag("one_class"):
        return total
    is_inside = GtOp(total, number_like(0, total))
    return WhereOp(is_inside, number(1, f32), number(-1, f32))


def _classifier(node: Node) -> Results:
    """The class that most of all pairs vote for, or of the greatest score; scores."""
    count, names = label_names(node, "classlabels_ints", "classlabels_strings")
    if count < 2:
        raise Unsupported(f"{count} labels")
    x = _rows(node)
    sizes = integers_of(node, "vectors_per_class")
    if sizes.any():
        best, scores = _voted(node, x, sizes, count)
    else:
        best, scores = _scored(node, x, count)
    named = labels(best, names, node)
    return [best if named is None else named, scores]


def _scored(node: Node, x: SSAValue, count: int) -> tuple[SSAValue, SSAValue]:
    """
    Builds the class, and a score for each, where there are coefficients of features.

    Of two classes it is ONNX Runtime's: the second one when the greatest score is above
    zero, or with no coefficient below zero from 0.5 on.
    """
    given = floats_of(node, "coefficients")
    if not len(given) or len(given) % count:
        raise node.error(f"expected coefficients of {count} classes, got {len(given)}")
    scores = _product(node, x, given.reshape(count, -1).T)
    scores = plus(scores, float(_least(node, "rho", 1)[0]))
    best = greatest(scores)
    if count == 2 and not len(floats_of(node, "prob_a")):
        most = ReduceMaxOp(scores, axes=(1,), keepdims=False).result
        is_share = bool((given >= 0).all())
        limit = number_like(0.5 if is_share else 0, most)
        is_second = (GeOp if is_share else GtOp)(most, limit)
        best = MaximumOp(best, convert(is_second.result, i64)).result
    return best, transformed(scores, transform_of(node))


def _voted(
    node: Node, x: SSAValue, sizes: Array, count: int
) -> tuple[SSAValue, SSAValue]:
    """
    Builds the class that has most votes of the decisions of pairs, the first one of
    several; and the scores: the probabilities if they are known, else the decisions.
    """
    if len(sizes) != count or sizes.min() < 0:
        raise node.error(
            f"expected vectors_per_class of {count} classes, got {sizes.tolist()}"
        )
    pairs = count * (count - 1) // 2
    decisions = _decisions(node, x, sizes, count)
    rho = _constant(node, _least(node, "rho", pairs))
    decisions = AddOp(decisions, rho).result
    wins = GtOp(decisions, number_like(0, decisions)).result
    losses = LogicalNotOp(wins).result
    votes = coupling.of_pairs(convert(wins, i64), convert(losses, i64), count)
    best = greatest(SumOp(votes, axes=(2,), keepdims=False).result)
    transform = transform_of(node)
    if len(floats_of(node, "prob_a")):
        return best, transformed(_chances(node, decisions, count), transform)
    if count > 2:
        return best, transformed(decisions, transform)
    if transform != "NONE":
        raise Unsupported(
            f"post_transform {transform} of one decision for two classes, where "
            "runtimes differ"
        )
    return best, joined([times(decisions, -1), decisions], 1)


def _decisions(node: Node, x: SSAValue, sizes: Array, count: int) -> SSAValue:
    """
    Builds for each pair of classes the sum over the vectors of both.

    The coefficients `[count - 1, vectors]` have for each vector those against the other
    classes, in their order.
    """
    total = int(sizes.sum())
    machine = _Machine.of(node, total)
    table = _least(node, "coefficients", (count - 1) * total).reshape(count - 1, total)
    if count == 2:
        return machine.combined(x, table.T)
    i, j = np.triu_indices(count, 1)
    first, second = i * (count - 1) + j - 1, j * (count - 1) + i
    ends = [*accumulate(sizes.tolist())]
    cuts = [(end - size, size) for end, size in zip(ends, sizes.tolist(), strict=True)]
    if machine.kernel == "LINEAR":
        wide = machine.vectors.astype(np.float64)
        sums = np.concatenate(
            [wide[at : at + size].T @ table[:, at : at + size].T for at, size in cuts],
            axis=1,
        )
        return _product(node, x, sums[:, first] + sums[:, second])
    similar, parts = machine.similar(x), list[SSAValue]()
    for at, size in cuts:
        # A class without vectors has one that counts for nothing.
        weights = table[:, at : at + size].T if size else np.zeros((1, count - 1))
        own = part(similar, 1, min(at, total - 1), max(size, 1))
        parts.append(_product(node, own, weights))
    every = joined(parts, 1)
    several = [node.tensor(Known.of(each.astype(np.int64))) for each in (first, second)]
    return AddOp(
        *(IndexSelectOp(every, each, axis=1, wraps=False) for each in several)
    ).result


def _chances(node: Node, decisions: SSAValue, count: int) -> SSAValue:
    """Builds the probability of each class, by Platt's sigmoid of each decision."""
    a, b = (
        _least(node, each, count * (count - 1) // 2) for each in ("prob_a", "prob_b")
    )
    score = AddOp(MulOp(decisions, _constant(node, a)), _constant(node, b)).result
    share = SubOp(number_like(1, score), SigmoidOp(score)).result
    return coupling.coupled(
        bounds.clamped(share, _LEAST_SHARE, 1 - _LEAST_SHARE), count
    )


HANDLERS: dict[str, Handler] = {
    "ai.onnx.ml.SVMClassifier": _classifier,
    "ai.onnx.ml.SVMRegressor": _regressor,
}
