"""Ops of `ai.onnx.ml` on rows of features: encoders, scalers and linear models."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Array, is_float, product, tensor_type
from ....dialects.graph import (
    AddOp,
    ArgmaxOp,
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
    joined,
    number,
    number_like,
    raised,
    reshaped,
    shape_of,
)
from ..known import Known
from ..unsupported import Unsupported
from .ml_attributes import chosen, floats_of, integers_of, texts_of
from .ml_scores import greatest, label_names, labels, transform_of, transformed
from .node import Handler, Node, Result, Results

_TINY = 1e-30
"""The least norm that rows are divided by."""

_MOST_KEYS = 1 << 16
"""The most keys of an encoder; each is compared with each element."""


def _rows(node: Node) -> SSAValue:
    """Builds rows of features as floats; a vector is one row."""
    shape = node.shape(0)
    if len(shape) not in (1, 2):
        raise node.error(f"expected rows of features, got {node.type(0)}")
    x = node.operand(0)
    x = x if is_float(node.type(0)) else convert(x, f32)
    return reshaped(x, [1, *shape] if len(shape) == 1 else shape)


def _like(node: Node, values: Array, x: SSAValue) -> SSAValue:
    """A tensor of numbers, of the elements of another."""
    return node.tensor(Known.of(to_elements(values, tensor_type(x).element_type)))


def _of_features(node: Node, name: str, x: SSAValue) -> SSAValue:
    """A number for each feature, or one for all."""
    values, width = floats_of(node, name), shape_of(x)[-1]
    if len(values) != 1 and len(values) != width:
        raise node.error(f"expected {name} of 1 or {width} numbers, got {len(values)}")
    return _like(node, values, x)


def _extracted(node: Node) -> Result:
    """The elements along the last axis at indices."""
    x, shape = node.operand(0), node.shape(0)
    at = convert(node.operand(1), i64)
    rows = reshaped(x, [1, *shape] if len(shape) == 1 else shape)
    flat = reshaped(at, [product(node.shape(1))])
    return IndexSelectOp(rows, flat, axis=len(shape_of(rows)) - 1, wraps=False)


def _binarized(node: Node) -> Result:
    """One where an element is above a threshold, else zero."""
    x = node.operand(0)
    above = GtOp(x, number_like(node.number("threshold"), x)).result
    return convert(above, node.element(0))


def _scaled(node: Node) -> Result:
    """The features without an offset, times a scale, as f32."""
    x = convert(node.operand(0), f32)
    offset, scale = (_of_features(node, each, x) for each in ("offset", "scale"))
    return MulOp(SubOp(x, offset), scale)


def _normalized(node: Node) -> Result:
    """The features divided by a norm of the row, as f32."""
    norm = chosen(node, "norm", ("MAX", "L1", "L2"))
    x = convert(_rows(node), f32)
    along = {"axes": (1,), "keepdims": True}
    if norm == "MAX":
        size = ReduceMaxOp(raised(x, 1), **along).result
    elif norm == "L1":
        size = SumOp(raised(x, 1), **along).result
    else:
        size = SqrtOp(SumOp(raised(x, 2), **along)).result
    result = DivOp(x, MaximumOp(size, number_like(_TINY, size))).result
    return reshaped(result, node.shape(0))


def _imputed(node: Node) -> Result:
    """The features, with others in the place of one value."""
    x, kind = node.operand(0), node.element(0)
    is_whole = not is_float(node.type(0))
    if is_whole:
        values = integers_of(node, "imputed_value_int64s")
        missing: float = node.integer("replaced_value_int64")
    else:
        values = floats_of(node, "imputed_value_floats")
        missing = node.number("replaced_value_float")
    width = node.shape(0)[-1] if node.rank(0) else 1
    if len(values) != 1 and len(values) != width:
        raise node.error(f"expected 1 or {width} values, got {len(values)}")
    is_here = NeOp(x, x) if np.isnan(missing) else EqOp(x, number(missing, kind))
    return WhereOp(is_here, _like(node, values, x), x)


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
    scores = _scores(node, convert(_rows(node), f32), node.integer("targets"))
    return transformed(scores, transform_of(node))


def _linear_classifier(node: Node) -> Results:
    """The class whose product is greatest, and all of them."""
    x = convert(_rows(node), f32)
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
    scores = transformed(scores, transform_of(node))
    return [best if named is None else named, scores]


def _joined_features(node: Node) -> Result:
    """The features of all inputs side by side, as f32."""
    widths = integers_of(node, "inputdimensions").tolist()
    parts: list[SSAValue] = []
    for place, value in enumerate(node.operands()):
        shape = list(node.shape(place))
        rows = reshaped(value, [*shape, 1] if len(shape) == 1 else shape)
        if len(shape) not in (1, 2) or place >= len(widths):
            raise node.error(f"expected rows and a width, got {node.type(place)}")
        if shape_of(rows)[1] != widths[place]:
            raise Unsupported(f"{shape_of(rows)[1]} features, of {widths[place]}")
        parts.append(convert(rows, f32))
    return joined(parts, 1)


def _one_hot(node: Node) -> Result:
    """For each element one at its category, zeros elsewhere, as f32."""
    categories = integers_of(node, "cats_int64s")
    if not len(categories):
        raise Unsupported("categories that are strings")
    if not node.flag("zeros"):
        raise Unsupported("an error for an element of no category")
    wide = reshaped(convert(node.operand(0), i64), [*node.shape(0), 1])
    return convert(EqOp(wide, node.tensor(Known.of(categories))).result, f32)


def _encoded(node: Node) -> Result:
    """The value of the key that an element is, or a default."""
    keys, values = (_list_of(node, each) for each in ("keys", "values"))
    if len(keys) != len(values) or not 0 < len(keys) <= _MOST_KEYS:
        raise node.error(
            f"expected a value for each key, got {len(keys)} keys and {len(values)} "
            "values"
        )
    # Of equal keys the last one counts.
    pairs = dict(zip(keys.tolist(), values.tolist(), strict=True))
    table = np.array([*pairs.values()], values.dtype)
    x = node.operand(0)
    wide = reshaped(x, [*node.shape(0), 1])
    same = EqOp(wide, _like(node, np.array([*pairs]), x)).result
    axis = node.rank(0)
    place = ArgmaxOp(convert(same, i64), axis=axis, keepdims=False)
    found = IndexSelectOp(node.tensor(Known.of(table)), place, axis=0, wraps=False)
    is_known = ReduceMaxOp(same, axes=(axis,), keepdims=False)
    default = node.tensor(Known.of(_default_of(node, table.dtype)))
    return WhereOp(is_known, found, default)


def _list_of(node: Node, name: str) -> Array:
    """The keys or the values of an encoder."""
    if texts_of(node, f"{name}_strings"):
        raise Unsupported(f"{name} that are strings")
    known = node.signature.attributes
    if f"{name}_tensor" in known and node.gives_attribute(f"{name}_tensor"):
        return node.stored(f"{name}_tensor").reshape(-1)
    if len(found := integers_of(node, f"{name}_int64s")):
        return found
    return floats_of(node, f"{name}_floats")


def _default_of(node: Node, kind: np.dtype[np.generic]) -> Array:
    """What an encoder gives for what is no key."""
    known = node.signature.attributes
    if "default_tensor" in known and node.gives_attribute("default_tensor"):
        return node.stored("default_tensor").reshape(()).astype(kind)
    if np.issubdtype(kind, np.integer):
        return np.array(node.integer("default_int64"), kind)
    return np.array(node.number("default_float"), kind)


HANDLERS: dict[str, Handler] = {
    "ai.onnx.ml.ArrayFeatureExtractor": _extracted,
    "ai.onnx.ml.Binarizer": _binarized,
    "ai.onnx.ml.FeatureVectorizer": _joined_features,
    "ai.onnx.ml.Imputer": _imputed,
    "ai.onnx.ml.LabelEncoder": _encoded,
    "ai.onnx.ml.LinearClassifier": _linear_classifier,
    "ai.onnx.ml.LinearRegressor": _linear_regressor,
    "ai.onnx.ml.Normalizer": _normalized,
    "ai.onnx.ml.OneHotEncoder": _one_hot,
    "ai.onnx.ml.Scaler": _scaled,
}
