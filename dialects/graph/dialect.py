"""The dialect itself: all of its ops, attributes and types."""

from __future__ import annotations

from xdsl.ir import Dialect

from .container import DictType, FutureType, ListType, TupleType
from .every_op import every_op
from .skip import SkipAttr
from .storage.buffer import BufferAttr, LifetimeAttr
from .storage.panels import PanelsAttr

_ATTRIBUTES = (BufferAttr, LifetimeAttr, SkipAttr, PanelsAttr)
_TYPES = (ListType, TupleType, DictType, FutureType)


def graph_dialect() -> Dialect:
    """The dialect with all of its words."""
    return Dialect("graph", [*every_op()], [*_ATTRIBUTES, *_TYPES])
