"""
Ops of `ai.onnx.ml` whose keys, values or categories are texts, as ops of numbers.

Each becomes a `LabelEncoder` or a `OneHotEncoder` of the numbers that its texts have in
the list of its input.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeAlias

import numpy as np
from onnx import AttributeProto, NodeProto, TensorProto, helper, numpy_helper

from ....dialects import Array
from ..unsupported import Unsupported
from .described import form_of, given_attributes
from .graph_builder import Given, GraphBuilder
from .messages import error_at
from .scope import Apart, Entry, Scope, Texts
from .text_tables import NEVER, UNUSED, decoded, named

_ML = "ai.onnx.ml"

_ENCODED = 4
"""The version of `ai.onnx.ml` in which a `LabelEncoder` has tensors."""

_List: TypeAlias = tuple[str, ...] | Array
"""Keys or values: texts, or numbers."""


class TextReader(Protocol):
    """Builds a node that has texts; None where it has none."""

    def __call__(
        self,
        builder: GraphBuilder,
        node: NodeProto,
        name: str,
        given: Given,
        scope: Scope,
    ) -> Sequence[Entry] | None:
        """The results."""
        ...


def _encoded(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry] | None:
    """The values of keys; in version 1 of the domain, places of classes or these."""
    if not any(
        each.strings or each.t.data_type == TensorProto.STRING
        for each in node.attribute
    ):
        return None
    known = attributes_of(builder, node, name, scope)
    if "classes_strings" in known:
        texts = decoded(known["classes_strings"].strings)
        numbers = np.arange(len(texts))
        return _of_texts(builder, node, name, given, scope, known, texts, numbers)
    keys, values = (_listed(builder, known, each) for each in ("keys", "values"))
    return _mapped(builder, node, name, given, scope, known, keys, values)


def _categorized(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry]:
    """The numbers of categories, or the categories of numbers."""
    known = attributes_of(builder, node, name, scope)
    texts, numbers = (known.get(f"cats_{each}") for each in ("strings", "int64s"))
    texts = () if texts is None else decoded(texts.strings)
    numbers = np.array([] if numbers is None else numbers.ints, np.int64)
    return _of_texts(builder, node, name, given, scope, known, texts, numbers)


def _of_texts(
    builder: GraphBuilder,
    node: NodeProto,
    name: str,
    given: Given,
    scope: Scope,
    known: Mapping[str, AttributeProto],
    texts: tuple[str, ...],
    numbers: Array,
) -> Sequence[Entry]:
    """
    The numbers of texts, or the texts of numbers, whichever the input has.

    Of equal ones the last counts, in ONNX Runtime, but of those of `_mapped` the first.
    """
    texts, numbers = texts[::-1], numbers[::-1]
    has_texts = any(isinstance(each, Texts) for each in given)
    pair = (texts, numbers) if has_texts else (numbers, texts)
    return _mapped(builder, node, name, given, scope, known, *pair)


def _mapped(
    builder: GraphBuilder,
    node: NodeProto,
    name: str,
    given: Given,
    scope: Scope,
    known: Mapping[str, AttributeProto],
    keys: _List,
    values: _List,
) -> Sequence[Entry]:
    """The values of keys, as a `LabelEncoder` of the numbers of all texts."""
    if len(given) != 1 or given[0] is None:
        raise error_at(name, node.op_type, f"expected 1 input, got {len(given)}")
    if len(keys) != len(values) or not len(keys):
        problem = f"expected a value for each key, got {len(keys)} keys and "
        raise error_at(name, node.op_type, f"{problem}{len(values)} values")
    default = _default(builder, known, values)
    texts: tuple[str, ...] = ()
    if isinstance(values, tuple):
        texts = tuple(dict.fromkeys([*values, str(default)]))
        places = {text: at for at, text in enumerate(texts)}
        values = np.array([places[each] for each in values], np.int64)
        default = places[str(default)]
    x = given[0]
    if isinstance(x, Texts) and isinstance(keys, tuple):
        # A key that is no text of the input matches nothing.
        places = {text: at for at, text in enumerate(x.texts)}
        keys = np.array([places.get(key, NEVER) for key in keys], np.int64)
        x = x.numbers
    elif isinstance(x, Apart):
        raise Unsupported(x.kind)
    elif isinstance(keys, tuple):
        raise Unsupported("keys that are strings, of numbers")
    tensors = {"keys": keys, "values": values}
    tensors["default"] = np.array([default], values.dtype)
    made = helper.make_node(
        "LabelEncoder", node.input, node.output, node.name, domain=_ML
    )
    made.attribute.extend(
        helper.make_attribute(f"{each}_tensor", _stored(array))
        for each, array in tensors.items()
    )
    with _newest(builder):
        results = builder.results(made, name, [x], scope)
    return [named(each, texts) for each in results] if texts else results


def _one_hot(
    builder: GraphBuilder, node: NodeProto, name: str, given: Given, scope: Scope
) -> Sequence[Entry] | None:
    """For each text one at its category, zeros elsewhere."""
    known = attributes_of(builder, node, name, scope)
    texts, first = known.get("cats_strings"), given[0] if given else None
    if texts is None or not isinstance(first, Texts) or len(given) != 1:
        return None
    places = {text: at for at, text in enumerate(first.texts)}
    numbers = [
        places.get(text, NEVER + at) for at, text in enumerate(decoded(texts.strings))
    ]
    made = NodeProto()
    made.CopyFrom(node)
    del made.attribute[:]
    made.attribute.append(helper.make_attribute("cats_int64s", numbers))
    made.attribute.extend(known[each] for each in ("zeros",) if each in known)
    return builder.results(made, name, [first.numbers], scope)


@contextmanager
def _newest(builder: GraphBuilder) -> Generator[None]:
    """Lets a `LabelEncoder` have tensors, whatever the version of its domain."""
    kept = builder.versions
    builder.versions = {**kept, _ML: _ENCODED}
    try:
        yield
    finally:
        builder.versions = kept


def attributes_of(
    builder: GraphBuilder, node: NodeProto, name: str, scope: Scope
) -> Mapping[str, AttributeProto]:
    """The attributes of a node, each of its type."""
    form = form_of(node, scope.opset, builder.versions)
    if form is None:
        raise Unsupported("an op of another version")
    return given_attributes(node, form, partial(error_at, name, node.op_type))


def _listed(
    builder: GraphBuilder, known: Mapping[str, AttributeProto], name: str
) -> _List:
    """The keys or the values of a `LabelEncoder`; none where it has none."""
    if (found := known.get(f"{name}_tensor")) is not None:
        return _elements(builder, found.t)
    if (found := known.get(f"{name}_strings")) is not None and found.strings:
        return decoded(found.strings)
    if (found := known.get(f"{name}_int64s")) is not None and found.ints:
        return np.array(found.ints, np.int64)
    found = known.get(f"{name}_floats")
    return np.array([] if found is None else found.floats, np.float32)


def _elements(builder: GraphBuilder, tensor: TensorProto) -> _List:
    """The elements of a stored tensor."""
    if Texts.of(tensor) is not None:
        return decoded(tensor.string_data)
    return builder.tensors.read(tensor).reshape(-1)


def _default(
    builder: GraphBuilder, known: Mapping[str, AttributeProto], values: _List
) -> Any:
    """What is given for no key: a text, or a number."""
    if (found := known.get("default_tensor")) is not None:
        if len(several := _elements(builder, found.t)) != 1:
            raise Unsupported(f"{len(several)} values for what is no key")
        return several[0]
    if isinstance(values, tuple):
        found = known.get("default_string")
        return UNUSED if found is None else decoded([found.s])[0]
    if np.issubdtype(values.dtype, np.integer):
        found = known.get("default_int64")
        return -1 if found is None else found.i
    found = known.get("default_float")
    return -0.0 if found is None else found.f


def _stored(array: Array) -> TensorProto:
    """An array as a tensor of an attribute."""
    return numpy_helper.from_array(np.ascontiguousarray(array).reshape(-1))


READERS: Mapping[str, TextReader] = {
    "CategoryMapper": _categorized,
    "LabelEncoder": _encoded,
    "OneHotEncoder": _one_hot,
}
"""The readers of nodes that may have texts, by their ops."""
