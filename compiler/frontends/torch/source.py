"""The place in the user's code that a node comes from."""

from __future__ import annotations

import re
from pathlib import Path

import torch
from torch import fx
from xdsl.dialects.builtin import FileLineColLoc, IntAttr, NameLoc, NoneAttr, StringAttr

TORCH = Path(torch.__file__).parent
FRAME = re.compile(r'File "([^"]+)", line (\d+)')


def frame(node: fx.Node) -> tuple[str, int] | None:
    """The file and the line that made the node; None for a node of torch's own."""
    for file, line in reversed(FRAME.findall(node.stack_trace or "")):
        if Path(file).is_absolute() and not Path(file).is_relative_to(TORCH):
            return file, int(line)
    return None


def location(node: fx.Node) -> NameLoc:
    """The name of the node and, where it is known, its place in the user's code."""
    name = StringAttr(node.name)
    if (found := frame(node)) is None:
        return NameLoc(name, NoneAttr())
    file, line = found
    return NameLoc(name, FileLineColLoc(StringAttr(file), IntAttr(line), IntAttr(1)))


def place(node: fx.Node) -> str:
    """The location in words: `add_1 at model.py:12`."""
    found = frame(node)
    return node.name if found is None else f"{node.name} at {found[0]}:{found[1]}"
