"""
What is preferred of a contraction to the cost model's own rules.

    #loop.preference<panels = 24, depth = 256, copies = "rows">

A number is what the schedule shall have, as far as there is room for it: the columns
of a panel, the rows of the tallest tile, the steps of a block, its rows, its columns.
What is named under `copies` is copied, and nothing else is. What is left out is chosen
by the rules. Bits do not depend on any of it, so that it may be chosen freely.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Operation
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..entries import TEXT, EntriesAttr, entry
from .schedule import COPIES

KEY = "preference"
"""The attribute of an op of the graph, and of its kernel, that has a preference."""

NUMBERS = ("panels", "tall", "depth", "rows", "columns")
"""What may be preferred as a number."""

NAMES = (*NUMBERS, "copies")
"""What may be preferred."""

NOTHING = "nothing"
"""The copies that are preferred where none is to be made."""


@irdl_attr_definition
class PreferenceAttr(EntriesAttr):
    """Sizes of panels, tiles and blocks, and what is copied; 0 or "" for the rules'."""

    name = "loop.preference"

    panels: IntAttr = param_def()
    tall: IntAttr = param_def()
    depth: IntAttr = param_def()
    rows: IntAttr = param_def()
    columns: IntAttr = param_def()
    copies: StringAttr = param_def()

    FORM: ClassVar = (
        *(entry(name, default=0) for name in NUMBERS),
        entry("copies", TEXT, default=""),
    )

    @staticmethod
    def of(**entries: int | str) -> PreferenceAttr:
        """The preference with these entries."""
        assert not {*entries} - {*NAMES}, "what is preferred is part of a schedule"
        numbers = [IntAttr(int(entries.get(name, 0))) for name in NUMBERS]
        copies = StringAttr(str(entries.get("copies", "")))
        return PreferenceAttr.new([*numbers, copies])

    @property
    def entries(self) -> Mapping[str, int | str]:
        """What is preferred, by name."""
        numbers = {name: self.number(name) for name in NUMBERS if self.number(name)}
        return numbers | ({"copies": self.copies.data} if self.copies.data else {})

    def number(self, name: str) -> int:
        """A number of this name; 0 where none is preferred."""
        number: IntAttr = getattr(self, name)
        return number.data

    def copies_of(self, operand: str, otherwise: bool) -> bool:
        """Whether to copy an operand; `otherwise` where nothing is preferred."""
        return operand in self.copies.data if self.copies.data else otherwise

    def verify(self) -> None:
        """Numbers are sizes, and copies those that a schedule may have."""
        if any(self.number(name) < 0 for name in NUMBERS):
            raise VerifyException(f"expected sizes of 1 or more, got {self.entries}")
        known = ("", NOTHING, *COPIES[1:])
        if self.copies.data not in known:
            raise VerifyException(
                f"expected copies of {', '.join(known[1:])}, got {self.copies.data}"
            )


OWN = PreferenceAttr.of()
"""Nothing is preferred: the cost model's own rules choose."""


def preference_of(op: Operation | None) -> PreferenceAttr:
    """What is preferred of an op or a kernel."""
    found = None if op is None else op.attributes.get(KEY)
    return found if isinstance(found, PreferenceAttr) else OWN
