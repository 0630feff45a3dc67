"""
The instructions of contractions: one file for each instruction set.

The folder is the table: a set of `dialects/loop/isa.py` is written by the class that
says so in a file of its name.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from inspect import isabstract

from xdsl.ir import Attribute

from ....dialects.loop import PORTABLE, TargetAttr
from .instructions import Instructions as Instructions
from .instructions import PairProducts as PairProducts
from .instructions import TileRegisters as TileRegisters


@cache
def instruction_writers() -> dict[str, type[Instructions]]:
    """The writers of instructions, by the name of their set."""
    return {each.isa.name: each for each in _in_folder()}


def _in_folder() -> Iterator[type[Instructions]]:
    """Every writer defined in a file of this folder."""
    for info in pkgutil.iter_modules(__path__, __name__ + "."):
        for item in vars(importlib.import_module(info.name)).values():
            if isinstance(item, type) and item.__module__ == info.name:
                if issubclass(item, Instructions) and not isabstract(item):
                    yield item


def instructions_of(
    target: TargetAttr, a: Attribute, b: Attribute, fits: bool = False
) -> Instructions:
    """
    The instructions of a target for factors of these types, whose pairs of products are
    known to fit into 16 bits or not; else portable ones.
    """
    isa = target.isa(b, fits) or PORTABLE
    return instruction_writers()[isa.name](bool(target.fma.data), a, b)
