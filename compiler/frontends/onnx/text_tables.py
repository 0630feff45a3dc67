"""
The texts that a model names, and tensors of texts that count in one list of them.

A text of an input is a number in the list of all texts that the model has anywhere, so
that another text is equal to none of the model's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from onnx import GraphProto, ModelProto, NodeProto, helper
from xdsl.ir import SSAValue

from ..known import Known
from .graph_builder import GraphBuilder
from .node import Value
from .scope import Entry, Scope, Texts

UNUSED = "_Unused"
"""What `LabelEncoder` and `CategoryMapper` give for no key, unless they are told."""

NEVER = -(2**63)
"""A number of no text: texts that no list has are numbers closer to zero."""


def decoded(texts: Iterable[bytes]) -> tuple[str, ...]:
    """The texts of an attribute."""
    return tuple(each.decode(errors="replace") for each in texts)


def vocabulary(model: ModelProto, constants: Iterable[str] = ()) -> tuple[str, ...]:
    """
    All texts that tensors of a model may have but for those that inputs bring, as they
    come; `constants` are texts of inputs that are constants.
    """
    found = [*_in_graph(model.graph), *constants]
    for function in model.functions:
        found += _in_nodes(function.node)
    return tuple(dict.fromkeys((*found, UNUSED)))


def _in_graph(graph: GraphProto) -> Iterator[str]:
    """The texts of a graph."""
    for each in graph.initializer:
        yield from decoded(each.string_data)
    yield from _in_nodes(graph.node)


def _in_nodes(nodes: Iterable[NodeProto]) -> Iterator[str]:
    """The texts of nodes, and of graphs in these."""
    for node in nodes:
        for each in node.attribute:
            yield from decoded(each.strings)
            # Others are names of modes.
            if each.name in ("default_string", "value_string"):
                yield from decoded([each.s])
            for tensor in (each.t, *each.tensors):
                yield from decoded(tensor.string_data)
            for graph in (each.g, *each.graphs):
                yield from _in_graph(graph)


def named(entry: Entry, texts: tuple[str, ...], is_open: bool = False) -> Entry:
    """A tensor of numbers as the texts that these count."""
    is_tensor = isinstance(entry, SSAValue | Known)
    return Texts(entry, texts, is_open) if is_tensor else entry


def joined(
    builder: GraphBuilder, name: str, given: Sequence[Texts], scope: Scope
) -> tuple[list[Value], tuple[str, ...], bool]:
    """
    Several tensors of texts as numbers in one list, that list, and whether a text may
    be none of it.
    """
    # The list of inputs begins, since it has all texts of the model.
    first = sorted(given, key=lambda each: not each.is_open)
    texts = tuple(dict.fromkeys(text for each in first for text in each.texts))
    places = {text: place for place, text in enumerate(texts)}
    values = [_moved(builder, name, each, places, scope) for each in given]
    return values, texts, any(each.is_open for each in given)


def _moved(
    builder: GraphBuilder,
    name: str,
    given: Texts,
    places: Mapping[str, int],
    scope: Scope,
) -> Value:
    """The numbers of texts in a list that has all of theirs."""
    table = np.array([places[text] for text in given.texts], np.int64)
    if np.array_equal(table, np.arange(len(table))):
        return given.numbers
    assert not given.is_open, "all open lists are that of the inputs"
    node = helper.make_node("Gather", ["table", "numbers"], ["y"])
    (result,) = builder.results(node, name, [Known.of(table), given.numbers], scope)
    assert isinstance(result, SSAValue | Known), "tensors give a tensor"
    return result
