"""
`Unsupported`: raised by a front end for a construct that the compiler cannot express.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import SSAValue


class Unsupported(Exception):
    """A construct that the graph dialect cannot express; the message is the reason."""


class NeedsValue(Unsupported):
    """A construct that can be expressed where some values are known when compiling."""

    def __init__(self, values: Iterable[SSAValue], reason: str):
        """Values that the graph computes and that must be known, and the reason."""
        super().__init__(reason)
        self.values = tuple(values)
