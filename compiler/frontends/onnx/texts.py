"""
Texts in ONNX models: columns of categories, labels of classes, and the dictionaries
that `ZipMap` makes.

Kernels know numbers alone. So a tensor of texts is read as one of their numbers in a
list (`text_tables.py`), which nodes move as they move any tensor; and a dictionary for
each row of a matrix is the matrix. Where a model takes texts, or returns texts and
dictionaries, calls say which text is which number (`runtime/call/texts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from onnx import NodeProto, TensorProto, helper

from ....dialects import sizes, tensor_type
from ..known import Known
from ..unsupported import Unsupported
from .graph_builder import Given, GraphBuilder
from .messages import error_at
from .model_file import ONNX
from .node import Value
from .scope import Apart, Entry, Records, Scope, Texts
from .text_keys import READERS as KEYS
from .text_keys import attributes_of
from .text_tables import decoded, joined, named

_ML = "ai.onnx.ml"

_LABELS: Mapping[str, str] = {
    "LinearClassifier": "classlabels_strings",
    "SVMClassifier": "classlabels_strings",
    "TreeEnsembleClassifier": "classlabels_strings",
}
"""The classifiers that give labels first, and the attribute that has texts of them."""

_MOVES = (
    *("ArrayFeatureExtractor", "Compress", "Expand", "Flatten", "Gather"),
    *("GatherElements", "GatherND", "Identity", "Reshape", "Slice", "Split"),
    *("Squeeze", "Tile", "Transpose", "Unsqueeze"),
)
"""The ops whose results have elements of their first input, wherever they are."""

_JOINS = ("Concat", "Equal", "Where")
"""The ops that take several tensors of texts."""

_MEASURES = ("Shape", "Size")
"""The ops that need no elements."""


def build(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry] | None:
    """The results of a node about texts; None where it is about tensors alone."""
    if any(isinstance(each, Records) for each in given):
        raise Unsupported(Records.kind)
    is_ml, op = node.domain == _ML, node.op_type
    attributes = {each.name: each for each in node.attribute}
    if is_ml and op == "ZipMap":
        return _zipped(builder, node, name, given, scope)
    if is_ml and op in KEYS:
        made = KEYS[op](builder, node, name, given, scope)
        if made is not None:
            return made
    if is_ml and op in _LABELS and (found := attributes.get(_LABELS[op])) is not None:
        if texts := decoded(found.strings):
            first, *rest = builder.results(node, name, _tensors(given), scope)
            return [named(first, texts), *rest]
    if op == "Constant" and node.domain in ONNX:
        return _stored(node)
    has_texts = any(isinstance(each, Texts) for each in given)
    return _moved(builder, node, name, given, scope) if has_texts else None


def _tensors(given: Given) -> list[Value | None]:
    """The inputs of a node about tensors; raises `Unsupported` for others."""
    for each in given:
        if isinstance(each, Apart):
            raise Unsupported(each.kind)
    return [each for each in given if not isinstance(each, Apart)]


def _stored(node: NodeProto) -> Sequence[Entry] | None:
    """The texts of a constant; None for other constants."""
    for each in node.attribute:
        tensor = each.t
        if each.name == "value_string":
            tensor = helper.make_tensor("", TensorProto.STRING, [], [each.s])
        elif each.name == "value_strings":
            count = len(each.strings)
            tensor = helper.make_tensor("", TensorProto.STRING, [count], each.strings)
        if (stored := Texts.of(tensor)) is not None:
            return [stored]
    return None


def _moved(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """Texts that are elsewhere, beside others, or what is known of them."""
    first, *rest = given
    is_own, op = node.domain in ONNX, node.op_type
    to = next((each.i for each in node.attribute if each.name == "to"), 0)
    if isinstance(first, Texts) and (is_own or node.domain == _ML):
        if is_own and op == "Cast" and to == TensorProto.STRING:
            return [first]
        if op in _MOVES:
            values = [first.numbers, *_tensors(rest)]
            results = builder.results(node, name, values, scope)
            return [named(each, first.texts, first.is_open) for each in results]
        if is_own and op in _MEASURES:
            values = [first.numbers, *_tensors(rest)]
            return builder.results(node, name, values, scope)
    if is_own and op in _JOINS:
        return _joined(builder, node, name, given, scope)
    raise Unsupported(Texts.kind)


def _joined(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """Several tensors of texts beside each other, chosen from, or compared."""
    is_choice = node.op_type == "Where"
    condition = _tensors(given[:1]) if is_choice else []
    several = [each for each in given[is_choice:] if isinstance(each, Texts)]
    if len(condition) + len(several) != len(given):
        raise Unsupported("texts beside numbers")
    values, texts, is_open = joined(builder, name, several, scope)
    results = builder.results(node, name, [*condition, *values], scope)
    if node.op_type == "Equal":
        return results
    return [named(each, texts, is_open) for each in results]


def _zipped(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """The rows of a matrix as dictionaries."""
    rows = given[0] if len(given) == 1 else None
    if rows is None or isinstance(rows, Apart):
        raise error_at(name, node.op_type, "expected a matrix")
    keys: tuple[int | str, ...] = ()
    for each in attributes_of(builder, node, name, scope).values():
        keys = keys or decoded(each.strings) or tuple(each.ints)
    type = rows.type if isinstance(rows, Known) else tensor_type(rows)
    shape = sizes(type)
    if len(shape) != 2 or shape[1] != len(keys) or len({*keys}) != len(keys):
        problem = f"expected a column for each of {len(keys)} keys that differ"
        raise error_at(name, node.op_type, f"{problem}, got {type}")
    return [Records(rows, keys)]


READERS: Mapping[str, Callable[..., object]] = {
    f"{_ML}.ZipMap": _zipped,
    f"{_ML}.CategoryMapper": KEYS["CategoryMapper"],
}
"""The readers of ops that are about texts alone."""
