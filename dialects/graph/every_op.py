"""Every op of the dialect: each file of `ops/` defines one, or a family."""

from __future__ import annotations

import importlib
import pkgutil
from abc import ABC
from collections.abc import Iterator

from xdsl.irdl import IRDLOperation

from . import ops


def every_op() -> Iterator[type[IRDLOperation]]:
    """Every op defined in a file of `ops/`, in the order of the file names."""
    for info in pkgutil.iter_modules(ops.__path__, ops.__name__ + "."):
        for item in vars(importlib.import_module(info.name)).values():
            if isinstance(item, type) and item.__module__ == info.name:
                if issubclass(item, IRDLOperation) and ABC not in item.__bases__:
                    yield item
