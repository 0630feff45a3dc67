"""The place in the user's code that a node comes from."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from torch import fx
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, NoneAttr, StringAttr

_TORCH = Path(torch.__file__).parent
_FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def _frame(node: fx.Node) -> tuple[str, int] | None:
    """The file and the line that made the node; None for a node of torch's own."""
    for file, line in reversed(_FRAME.findall(node.stack_trace or "")):
        if Path(file).is_absolute() and not Path(file).is_relative_to(_TORCH):
            return file, int(line)
    return None


def location(node: fx.Node) -> NameLoc:
    """The name of the node and, where it is known, its place in the user's code."""
    name = StringAttr(node.name)
    if (found := _frame(node)) is None:
        return NameLoc(name, NoneAttr())
    file, line = found
    return NameLoc(name, FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(1)))


def place(node: fx.Node) -> str:
    """The location in words: `add_1 at model.py:12`."""
    found = _frame(node)
    return node.name if found is None else f"{node.name} at {found[0]}:{found[1]}"
