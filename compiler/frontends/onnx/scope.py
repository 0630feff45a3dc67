"""The values that the nodes of a graph may use by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import ClassVar, TypeAlias

import numpy as np
from onnx import NodeProto, TensorProto, TypeProto
from xdsl.dialects.builtin import i64

from ....dialects import SizeError, check_sizes
from ...session import UnsupportedOp
from ..known import Known
from ..unsupported import Unsupported
from .node import Value


@dataclass(frozen=True)
class Lost:
    """A value that the compiler cannot represent or compute."""

    report: UnsupportedOp | None = None
    """The report to make when a node uses the value, unless it has been made."""


class Apart:
    """A value that is no tensor of the graph."""

    kind: ClassVar[str]
    """It in words."""


@dataclass(frozen=True)
class Several(Apart):
    """A sequence of tensors."""

    kind = "a sequence"
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Texts(Apart):
    """A tensor of texts, as their numbers, which are i64, among all that there are."""

    kind = "a tensor of texts"
    numbers: Value
    texts: tuple[str, ...]
    is_open: bool = False
    """
    Whether a text of an input may be another: a number below zero, of each other text
    one of its own. No tensor of the model then has that text.
    """

    @staticmethod
    def of(tensor: TensorProto) -> Texts | None:
        """The texts of a stored tensor; None for one of numbers."""
        if tensor.data_type != TensorProto.STRING:
            return None
        texts = [each.decode(errors="replace") for each in tensor.string_data]
        shape = tuple(tensor.dims)
        try:
            check_sizes(i64, shape)
        except SizeError as error:
            raise Unsupported(f"texts: {error}") from error
        if len(texts) != prod(shape):
            raise Unsupported("texts that are not all there")
        return Texts.listed(texts, shape)

    @staticmethod
    def listed(texts: Sequence[str], shape: tuple[int, ...]) -> Texts:
        """A tensor of this shape with these texts in rows."""
        numbers = {text: at for at, text in enumerate(dict.fromkeys(texts))}
        array = np.array([numbers[each] for each in texts], np.int64)
        return Texts(Known.of(array.reshape(shape)), tuple(numbers))


@dataclass(frozen=True)
class Records(Apart):
    """A dictionary for each row of a matrix: its elements by these keys."""

    kind = "a sequence of dictionaries"
    rows: Value
    keys: tuple[int | str, ...]


Entry: TypeAlias = Value | Apart | Lost | None
"""A named value; None for an omitted input of a function."""


def is_true(entry: Entry) -> bool:
    """Whether a condition is known to be true."""
    return (
        isinstance(entry, Known)
        and not entry.is_symbolic
        and entry.array.size == 1
        and bool(entry.array.item())
    )


@dataclass
class Scope:
    """The values that nodes may use, and the context of these nodes."""

    opset: int

    nodes: Sequence[NodeProto]

    entries: dict[str, Entry] = field(default_factory=dict[str, Entry])

    outer: Scope | None = None
    """The enclosing scope, whose values are visible too."""

    caller: str = ""
    """The name of the node that contains this scope."""

    depth: int = 0
    """The nesting depth of calls and graphs."""

    regions: int = 0
    """The nesting depth of graphs that are regions of the IR."""

    refuses_whole: bool = False
    """Whether the caller is reported in place of an unsupported node."""

    declared: Mapping[str, TypeProto] = field(default_factory=dict[str, TypeProto])
    """The types that the graph of the nodes declares of values."""

    def find(self, name: str) -> Entry:
        """The value called `name`; raises `KeyError` when there is none."""
        if name in self.entries or self.outer is None:
            return self.entries[name]
        return self.outer.find(name)

    def __contains__(self, name: str) -> bool:
        return name in self.entries or (self.outer is not None and name in self.outer)

    def inside(self, nodes: Sequence[NodeProto], caller: str) -> Scope:
        """
        The scope of the nodes of a region, which may use the values of this scope.
        """
        return Scope(
            self.opset,
            nodes,
            outer=self,
            caller=caller,
            depth=self.depth + 1,
            regions=self.regions + 1,
            refuses_whole=self.refuses_whole,
        )
