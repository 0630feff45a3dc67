"""
Texts in ONNX models: labels of classes, and the dictionaries that `ZipMap` makes.

Kernels know numbers alone. So a tensor of texts is read as one of their numbers in a
list, which nodes move as they move any tensor; and a dictionary for each row of a
matrix is the matrix. Where the model returns them, callers get texts and dictionaries
(`runtime/call/structure.py`).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from onnx import AttributeProto, NodeProto, TensorProto, helper
from xdsl.ir import SSAValue

from ....dialects import sizes, tensor_type
from ..known import Known
from ..unsupported import Unsupported
from .described import form_of, given_attributes
from .graph_builder import Given, GraphBuilder
from .messages import error_at
from .model_file import ONNX
from .scope import Apart, Entry, Records, Scope, Texts

_ML = "ai.onnx.ml"

_LABELS: Mapping[str, str] = {
    "LinearClassifier": "classlabels_strings",
    "SVMClassifier": "classlabels_strings",
    "TreeEnsembleClassifier": "classlabels_strings",
}
"""The classifiers that give labels first, and the attribute that has texts of them."""

_MOVES = (
    *("ArrayFeatureExtractor", "Compress", "Expand", "Flatten", "Gather"),
    *("GatherElements", "GatherND", "Identity", "Reshape", "Slice", "Squeeze"),
    *("Tile", "Transpose", "Unsqueeze"),
)
"""The ops whose results have elements of their first input, wherever they are."""

_UNUSED = "_Unused"
"""What `LabelEncoder` gives for a key that it has not, unless it is told."""


def build(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry] | None:
    """The results of a node about texts; None where it is about tensors alone."""
    if any(isinstance(each, Records) for each in given):
        raise Unsupported(Records.kind)
    is_ml, op = node.domain == _ML, node.op_type
    has_texts = any(isinstance(each, Texts) for each in given)
    attributes = {each.name: each for each in node.attribute}
    if is_ml and (op == "ZipMap" or (op == "LabelEncoder" and _has_texts(node))):
        return _READERS[op](builder, node, name, given, scope)
    if is_ml and op in _LABELS and (found := attributes.get(_LABELS[op])) is not None:
        texts = _decoded(found.strings)
        results = builder.results(node, name, given, scope)
        return [_named(results[0], texts), *results[1:]] if texts else results
    if op == "Constant" and node.domain in ONNX and "value" in attributes:
        stored = Texts.of(attributes["value"].t)
        return None if stored is None else [stored]
    return _moved(builder, node, name, given, scope) if has_texts else None


def _moved(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """Texts that are elsewhere."""
    first, *rest = given
    to = next((each.i for each in node.attribute if each.name == "to"), 0)
    if isinstance(first, Texts) and node.domain in (*ONNX, _ML):
        if node.op_type == "Cast" and to == TensorProto.STRING:
            return [first]
        if node.op_type in _MOVES and not any(isinstance(e, Apart) for e in rest):
            results = builder.results(node, name, [first.numbers, *rest], scope)
            return [_named(each, first.texts) for each in results]
    raise Unsupported(Texts.kind)


def _named(entry: Entry, texts: tuple[str, ...]) -> Entry:
    """A tensor of numbers as the texts that these count."""
    return Texts(entry, texts) if isinstance(entry, SSAValue | Known) else entry


def _decoded(texts: Iterable[bytes]) -> tuple[str, ...]:
    """The texts of an attribute."""
    return tuple(each.decode(errors="replace") for each in texts)


def _has_texts(node: NodeProto) -> bool:
    """Whether a node has keys or values that are texts."""
    return any(
        each.name in ("keys_strings", "values_strings") and each.strings
        for each in node.attribute
    )


def _zipped(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """The rows of a matrix as dictionaries."""
    rows = given[0] if len(given) == 1 else None
    if rows is None or isinstance(rows, Apart):
        raise error_at(name, node.op_type, "expected a matrix")
    keys: tuple[int | str, ...] = ()
    for each in _attributes(builder, node, name, scope).values():
        keys = keys or _decoded(each.strings) or tuple(each.ints)
    type = rows.type if isinstance(rows, Known) else tensor_type(rows)
    shape = sizes(type)
    if len(shape) != 2 or shape[1] != len(keys) or len({*keys}) != len(keys):
        problem = f"expected a column for each of {len(keys)} keys that differ"
        raise error_at(name, node.op_type, f"{problem}, got {type}")
    return [Records(rows, keys)]


def _encoded(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """The values of keys, some of them texts: a `LabelEncoder` of their numbers."""
    if len(given) != 1:
        raise error_at(name, node.op_type, f"expected 1 input, got {len(given)}")
    known = {**_attributes(builder, node, name, scope)}
    keys, values = (_listed(known, each) for each in ("keys", "values"))
    if len(keys) != len(values) or not keys:
        problem = f"expected a value for each key, got {len(keys)} keys and "
        raise error_at(name, node.op_type, f"{problem}{len(values)} values")
    first, *rest = given
    pairs = [*zip(keys, values, strict=True)]
    if isinstance(first, Texts):
        # A key that is no text of the input matches nothing.
        places = {text: at for at, text in enumerate(first.texts)}
        pairs = [(places[key], value) for key, value in pairs if key in places]
        pairs = pairs or [(-1, values[0])]
        rest.insert(0, first.numbers)
    elif isinstance(keys[0], str):
        raise Unsupported("keys that are strings, of what no node before made")
    else:
        rest.insert(0, first)
    texts: tuple[str, ...] = ()
    if isinstance(values[0], str):
        stated = known.get("default_string")
        default = _UNUSED if stated is None else stated.s.decode(errors="replace")
        texts = tuple(dict.fromkeys([*values, default]))
        numbers = {text: at for at, text in enumerate(texts)}
        pairs = [(key, numbers[value]) for key, value in pairs]
        whole = helper.make_attribute("default_int64", numbers[default])
        known["default_int64"] = whole
    results = builder.results(_with_pairs(node, pairs, known), name, rest, scope)
    return [_named(each, texts) for each in results] if texts else results


def _attributes(
    builder: GraphBuilder, node: NodeProto, name: str, scope: Scope
) -> Mapping[str, AttributeProto]:
    """The attributes of a node, each of its type."""
    form = form_of(node, scope.opset, builder.versions)
    if form is None:
        raise Unsupported("an op of another version")
    return given_attributes(node, form, partial(error_at, name, node.op_type))


def _listed(known: Mapping[str, AttributeProto], name: str) -> list[Any]:
    """The keys or the values of a `LabelEncoder`: texts, or numbers."""
    for kind, field in (("strings", "strings"), ("int64s", "ints"), ("floats",) * 2):
        if (found := known.get(f"{name}_{kind}")) is not None:
            several: list[Any] = [*getattr(found, field)]
            return [*_decoded(several)] if kind == "strings" else several
    raise Unsupported(f"{name} in a tensor, beside texts")


def _with_pairs(
    node: NodeProto,
    pairs: Sequence[tuple[Any, Any]],
    known: Mapping[str, AttributeProto],
) -> NodeProto:
    """A `LabelEncoder` of other keys and values, which are numbers."""
    found: dict[str, Any] = {}
    for name, several in zip(("keys", "values"), zip(*pairs, strict=True), strict=True):
        is_whole = all(isinstance(each, int) for each in several)
        found[f"{name}_{'int64s' if is_whole else 'floats'}"] = several
    made = NodeProto()
    made.CopyFrom(node)
    del made.attribute[:]
    made.attribute.extend(itertools.starmap(helper.make_attribute, found.items()))
    defaults = (known.get(each) for each in ("default_int64", "default_float"))
    made.attribute.extend(each for each in defaults if each is not None)
    return made


_READERS: Mapping[str, Callable[..., Sequence[Entry]]] = {
    "LabelEncoder": _encoded,
    "ZipMap": _zipped,
}

READERS = {f"{_ML}.ZipMap": _zipped}
"""The readers of ops that are about texts alone."""
