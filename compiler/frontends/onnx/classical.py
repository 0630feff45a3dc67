"""Ops of `ai.onnx.ml` on rows of features: scalers and linear models."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from ....dialects import Array, is_float, product, tensor_type
from ....dialects.graph import (
    AddOp,
    DivOp,
    EqOp,
    GtOp,
    IndexSelectOp,
    MatmulOp,
    MaximumOp,
    MulOp,
    NegOp,
    NeOp,
    ReduceMaxOp,
    SqrtOp,
    SubOp,
    SumOp,
    WhereOp,
    to_elements,
)
from ....dialects.graph.compose import (
    convert,
    cut,
    joined,
    number,
    number_like,
    padding,
    raised,
    reshaped,
    shape_of,
)
from ..known import Known
from ..unsupported import Unsupported
from .ml_attributes import chosen, floats_of, integers_of, rows_of
from .ml_scores import greatest, label_names, labels, transform_of, transformed
from .node import Handler, Node, Result, Results
from .selection import run_of

_TINY = 1e-30
"""The least norm that rows are divided by."""


def _wide(node: Node) -> SSAValue:
    """
    Builds the elements as what results of f32 are computed in: f32, or f64 for all but
    f32, which has each integer below 2**53.

    So sums of doubles are rounded once, as ONNX Runtime's Scaler does.
    """
    x = node.operand(0)
    return x if node.element(0) == f32 else convert(x, f64)


def _rows(node: Node) -> SSAValue:
    """Builds rows of features as `_wide`; a vector is one row."""
    return rows_of(node, _wide(node))


def _like(node: Node, values: Array, x: SSAValue) -> SSAValue:
    """A tensor of numbers, of the elements of another."""
    return node.tensor(Known.of(to_elements(values, tensor_type(x).element_type)))


def _of_features(node: Node, name: str, values: Array, x: SSAValue) -> SSAValue:
    """
    A number for each feature, or one for all; the run checks a width that is open.
    """
    width = (shape_of(x) or (1,))[-1]
    if len(values) != 1:
        problem = f"expected {name} of 1 or {width} numbers, got {len(values)}"
        node.agreed(width, len(values), problem)
    return _like(node, values, x)


def _extracted(node: Node) -> Result:
    """The elements along the last axis at indices."""
    x, shape = node.operand(0), node.shape(0)
    rows = reshaped(x, [1, *shape] if len(shape) == 1 else shape)
    last = len(shape_of(rows)) - 1
    if (run := run_of(node, 1, shape_of(rows)[last], wraps=False)) is not None:
        return cut(rows, {last: run})
    flat = reshaped(convert(node.operand(1), i64), [product(node.shape(1))])
    return IndexSelectOp(rows, flat, axis=last, wraps=False)


def _binarized(node: Node) -> Result:
    """
    One where an element is above a threshold, else zero; whole numbers are compared as
    f64.
    """
    x, threshold = node.operand(0), node.number("threshold")
    x = x if is_float(node.type(0)) else convert(x, f64)
    return convert(GtOp(x, number_like(threshold, x)).result, node.element(0))


def _scaled(node: Node) -> Result:
    """The features without an offset, times a scale, as f32."""
    x = _wide(node)
    offset, scale = (
        _of_features(node, each, floats_of(node, each), x)
        for each in ("offset", "scale")
    )
    return convert(MulOp(SubOp(x, offset), scale).result, f32)


def _normalized(node: Node) -> Result:
    """The features divided by a norm of the row, as f32."""
    norm = chosen(node, "norm", ("MAX", "L1", "L2"))
    x = _rows(node)
    along = {"axes": (1,), "keepdims": True}
    if norm == "MAX":
        size = ReduceMaxOp(raised(x, 1), **along).result
    elif norm == "L1":
        size = SumOp(raised(x, 1), **along).result
    else:
        size = SqrtOp(SumOp(raised(x, 2), **along)).result
    result = DivOp(x, MaximumOp(size, number_like(_TINY, size))).result
    return reshaped(convert(result, f32), node.shape(0))


def _imputed(node: Node) -> Result:
    """The features, with others in the place of one value."""
    x, kind = node.operand(0), node.element(0)
    is_whole = not is_float(node.type(0))
    if node.rank(0) > 2:
        raise node.error(f"expected rows of features, got {node.type(0)}")
    if is_whole:
        values = integers_of(node, "imputed_value_int64s")
        missing: float = node.integer("replaced_value_int64")
    else:
        values = floats_of(node, "imputed_value_floats")
        missing = node.number("replaced_value_float")
    others = _of_features(node, "values", values, x)
    is_here = NeOp(x, x) if np.isnan(missing) else EqOp(x, number(missing, kind))
    return WhereOp(is_here, others, x)


def _scores(node: Node, x: SSAValue, count: int) -> SSAValue:
    """Builds products of rows with coefficients, and intercepts."""
    coefficients = floats_of(node, "coefficients")
    width = shape_of(x)[1]
    if count < 1 or len(coefficients) % count:
        raise node.error(
            f"expected coefficients of {count} results, got {len(coefficients)}"
        )
    node.agreed(width, len(coefficients) // count)
    table = np.ascontiguousarray(coefficients.reshape(count, -1).T)
    result = MatmulOp(x, _like(node, table, x)).result
    intercepts = floats_of(node, "intercepts")
    if not len(intercepts):
        return result
    if len(intercepts) != count:
        raise node.error(f"expected {count} intercepts, got {len(intercepts)}")
    return AddOp(result, _like(node, intercepts, x)).result


def _linear_regressor(node: Node) -> Result:
    """Products of rows with coefficients."""
    scores = _scores(node, _rows(node), node.integer("targets"))
    return convert(transformed(scores, transform_of(node)), f32)


def _linear_classifier(node: Node) -> Results:
    """The class whose product is greatest, and all of them."""
    x = _rows(node)
    count, names = label_names(node, "classlabels_ints", "classlabels_strings")
    width, total = shape_of(x)[1], len(floats_of(node, "coefficients"))
    if count < 2:
        raise Unsupported(f"{count} labels")
    if total == width and count == 2:
        score = _scores(node, x, 1)
        scores = joined([NegOp(score).result, score], 1)
    else:
        scores = _scores(node, x, count)
    named = labels(best := greatest(scores), names, node)
    scores = convert(transformed(scores, transform_of(node)), f32)
    return [best if named is None else named, scores]


def _of_width(node: Node, rows: SSAValue, wanted: int) -> SSAValue:
    """Builds the first features of rows, or all and zeros after them; f32."""
    width, numbers = shape_of(rows)[1], convert(rows, f32)
    if not isinstance(width, int):
        node.agreed(width, wanted)
        return numbers
    return padding.padded(numbers, [0, 0], [0, wanted - width], "constant")


def _joined_features(node: Node) -> Result:
    """The features of all inputs side by side, as many of each as is said, as f32."""
    widths = integers_of(node, "inputdimensions").tolist()
    parts: list[SSAValue] = []
    for place, value in enumerate(node.operands()):
        shape = list(node.shape(place))
        rows = reshaped(value, [*shape, 1] if len(shape) == 1 else shape)
        if len(shape) not in (1, 2) or place >= len(widths):
            raise node.error(f"expected rows and a width, got {node.type(place)}")
        if widths[place] < 0:
            raise node.error(f"expected widths from 0 on, got {widths[place]}")
        parts.append(_of_width(node, rows, widths[place]))
    return joined(parts, 1)


HANDLERS: dict[str, Handler] = {
    "ai.onnx.ml.ArrayFeatureExtractor": _extracted,
    "ai.onnx.ml.Binarizer": _binarized,
    "ai.onnx.ml.FeatureVectorizer": _joined_features,
    "ai.onnx.ml.Imputer": _imputed,
    "ai.onnx.ml.LinearClassifier": _linear_classifier,
    "ai.onnx.ml.LinearRegressor": _linear_regressor,
    "ai.onnx.ml.Normalizer": _normalized,
    "ai.onnx.ml.Scaler": _scaled,
}
