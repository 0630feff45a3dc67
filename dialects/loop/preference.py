"""
What a contraction prefers to the cost model's own rules.

    #loop.preference<nr = 24, kc = 256, pack = "a">

A number is what the schedule shall have, as far as there is room for it: the columns of
a panel (NR), the rows of the largest register tile (MR), the k, rows and columns of a
block (KC, MC, NC), and the k that are written one after the other (`unroll`). What
`pack` names is packed, and nothing else is. The rules choose what is left out. Bits do
not depend on any of it, so that it may be chosen freely.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.ir import Operation
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..entries import TEXT, EntriesAttr, entry
from .schedule import PACK

PREFERENCE = "preference"
"""The attribute of an op of the graph, and of its kernel, that has a preference."""

_NUMBERS = ("nr", "mr", "kc", "mc", "nc", "unroll")
"""What may be preferred as a number."""

NAMES = (*_NUMBERS, "pack")
"""What may be preferred."""

NOTHING = "nothing"
"""The packing that is preferred where nothing is to be packed."""


@irdl_attr_definition
class PreferenceAttr(EntriesAttr):
    """
    Sizes of register tiles and blocks, and what is packed; 0 or "" for the rules'.
    """

    name = "loop.preference"

    nr: IntAttr = param_def()
    mr: IntAttr = param_def()
    kc: IntAttr = param_def()
    mc: IntAttr = param_def()
    nc: IntAttr = param_def()
    unroll: IntAttr = param_def()
    pack: StringAttr = param_def()

    FORM: ClassVar = (
        *(entry(name, default=0) for name in _NUMBERS),
        entry("pack", TEXT, default=""),
    )

    @staticmethod
    def of(**entries: int | str) -> PreferenceAttr:
        """The preference with these entries."""
        assert not {*entries} - {*NAMES}, "what is preferred is part of a schedule"
        numbers = [IntAttr(int(entries.get(name, 0))) for name in _NUMBERS]
        pack = StringAttr(str(entries.get("pack", "")))
        return PreferenceAttr.new([*numbers, pack])

    @property
    def entries(self) -> Mapping[str, int | str]:
        """What is preferred, by name."""
        numbers = {name: self.number(name) for name in _NUMBERS if self.number(name)}
        return numbers | ({"pack": self.pack.data} if self.pack.data else {})

    def number(self, name: str) -> int:
        """A number of this name; 0 where none is preferred."""
        number: IntAttr = getattr(self, name)
        return number.data

    def packs(self, factor: str, otherwise: bool) -> bool:
        """Whether to pack a factor, `a` or `b`; `otherwise` where nothing is said."""
        return factor in self.pack.data.split(" and ") if self.pack.data else otherwise

    def verify(self) -> None:
        """Numbers are sizes, and a schedule may pack what is packed."""
        if any(self.number(name) < 0 for name in _NUMBERS):
            raise VerifyException(f"expected sizes of 1 or more, got {self.entries}")
        known = ("", NOTHING, *PACK[1:])
        if self.pack.data not in known:
            raise VerifyException(
                f"expected packing of {', '.join(known[1:])}, got {self.pack.data}"
            )


OWN = PreferenceAttr.of()
"""Nothing is preferred: the cost model's own rules choose."""


def preference_of(op: Operation | None) -> PreferenceAttr:
    """What is preferred of an op or a kernel."""
    found = None if op is None else op.attributes.get(PREFERENCE)
    return found if isinstance(found, PreferenceAttr) else OWN
