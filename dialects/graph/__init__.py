"""The graph dialect: ops on whole tensors, which say nothing of loops or memory."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from inspect import isabstract

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from . import ops
from .container import DictType, ListType, TupleType
from .op import GraphOp as GraphOp
from .storage.buffer import BufferAttr, LifetimeAttr
from .storage.panels import PanelsAttr


def _ops_in_folder() -> Iterator[type[IRDLOperation]]:
    """Every op defined in a file of `ops/`, in the order of the file names."""
    for info in pkgutil.iter_modules(ops.__path__, ops.__name__ + "."):
        for item in vars(importlib.import_module(info.name)).values():
            if isinstance(item, type) and item.__module__ == info.name:
                if issubclass(item, IRDLOperation) and not isabstract(item):
                    yield item


ATTRIBUTES = (BufferAttr, LifetimeAttr, PanelsAttr, ListType, TupleType, DictType)

Graph = Dialect("graph", [*_ops_in_folder()], [*ATTRIBUTES])
