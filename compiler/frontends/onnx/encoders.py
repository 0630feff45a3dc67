"""Ops of `ai.onnx.ml` that find what each element is among keys of the model."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from ....dialects import Array, is_float, product, tensor_type
from ....dialects.graph import (
    CastOp,
    EqOp,
    IndexSelectOp,
    LogicalAndOp,
    MinimumOp,
    NeOp,
    ReduceMaxOp,
    TruncOp,
    WhereOp,
    to_elements,
)
from ....dialects.graph.compose import (
    convert,
    expanded,
    number,
    reshaped,
    shape_of,
    sorted_places,
)
from ..known import Known
from ..unsupported import Unsupported
from .emit import location_of
from .ml_attributes import floats_of, integers_of, texts_of
from .node import Handler, Node, Result


def _one_hot(node: Node) -> Result:
    """
    For each element one at its category, zeros elsewhere, as f32.

    Floats lose what is behind the point; NaN is no category. Of a category that is
    listed again the last place counts, as in ONNX Runtime. Without `zeros` an element
    of no category is an `IndexError` when the model runs.
    """
    categories = integers_of(node, "cats_int64s")
    if not len(categories):
        raise Unsupported("categories that are strings")
    shape, x = node.shape(0), _before_cast(node.operand(0))
    x = TruncOp(x).result if is_float(tensor_type(x)) else convert(x, i64)
    keys = node.tensor(Known.of(_exactly(categories, x)))
    same = EqOp(reshaped(x, [*shape, 1]), keys).result
    last = {category: place for place, category in enumerate(categories.tolist())}
    if len(last) != len(categories):
        is_last = np.isin(np.arange(len(categories)), [*last.values()])
        same = LogicalAndOp(same, node.tensor(Known.of(is_last))).result
    if node.flag("zeros"):
        return convert(same, f32)
    # What is known is looked up in a table of one element, what is not behind its end.
    is_known = ReduceMaxOp(same, axes=(len(shape),), keepdims=True).result
    beyond = WhereOp(is_known, number(0, i64), number(1, i64)).result
    table = node.tensor(Known.of(np.ones(1, np.float32)))
    one = IndexSelectOp(table, beyond, axis=0, wraps=False)
    one.location = location_of(
        f"{node.name} (a OneHotEncoder with zeros=0, given what is no category)"
    )
    return WhereOp(same, one, number(0, f32))


def _before_cast(x: SSAValue) -> SSAValue:
    """
    The floats that whole numbers were cast from, if they were, as skl2onnx casts them.

    ONNX does not say what NaN becomes there; here it stays no category.
    """
    if isinstance(cast := x.owner, CastOp) and is_float(tensor_type(cast.input)):
        return cast.input
    return x


def _exactly(categories: Array, x: SSAValue) -> Array:
    """
    Whole numbers as elements of the type of `x`, with NaN, which nothing is equal to,
    for those that it does not have.
    """
    elements = to_elements(categories, tensor_type(x).element_type)
    if not np.issubdtype(elements.dtype, np.floating):
        return elements
    # As Python's own numbers, which are compared exactly.
    pairs = zip(elements.tolist(), categories.tolist(), strict=True)
    return np.where([a == b for a, b in pairs], elements, elements.dtype.type(np.nan))


_KNOWS_NAN = 4
"""The version of LabelEncoder from which on NaN may be a key."""


def _encoded(node: Node) -> Result:
    """
    The value of the key that an element is, or a default.

    Of equal keys the first one counts. All NaN are one key, as in ONNX Runtime; before
    version 4 of the op, NaN is no key there, even if it is listed.
    """
    keys, values = (_list_of(node, each) for each in ("keys", "values"))
    if not len(keys):
        raise node.error("expected keys, got none")
    if len(keys) != len(values):
        raise node.error(
            f"expected a value for each key, got {len(keys)} keys and {len(values)} "
            "values"
        )
    x = node.operand(0)
    keys = to_elements(keys, tensor_type(x).element_type)
    keys, first = np.unique(keys, return_index=True)
    values = values[first]
    default = node.tensor(Known.of(_default_of(node, values.dtype)))
    # NaN, if it is a key, is the last one.
    result, has_nan = default, keys[-1] != keys[-1]
    if has_nan and node.since < _KNOWS_NAN:
        keys, values = keys[:-1], values[:-1]
    elif has_nan:
        nan = node.tensor(Known.of(values[-1:].reshape(())))
        result = WhereOp(NeOp(x, x), nan, default).result
        keys, values = keys[:-1], values[:-1]
    if not len(keys):
        return result if result is not default else expanded(default, shape_of(x))
    place, is_known = _found(node, x, keys)
    table = node.tensor(Known.of(values))
    found = IndexSelectOp(table, place, axis=0, wraps=False)
    return WhereOp(is_known, found, result)


def _found(node: Node, x: SSAValue, keys: Array) -> tuple[SSAValue, SSAValue]:
    """
    Builds which of some keys, sorted and all different, each element is, as an i64, and
    whether it is one.
    """
    shape, row = shape_of(x), node.tensor(Known.of(keys))
    flat = reshaped(x, [product(shape)])
    last = number(len(keys) - 1, i64)
    place = MinimumOp(sorted_places(row, flat), last).result
    is_known = EqOp(IndexSelectOp(row, place, axis=0, wraps=False), flat).result
    return reshaped(place, shape), reshaped(is_known, shape)


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
    "ai.onnx.ml.LabelEncoder": _encoded,
    "ai.onnx.ml.OneHotEncoder": _one_hot,
}
