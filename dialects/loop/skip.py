"""
Where the result of a kernel may alias other memory, so that no call is needed.

    #loop.skip<slot = 1, to = inputs, number = 0, when = [["b - 1", "t - 1"]],
               kernel = "permute_0", source = "graph.permute at heads">

The slot is the memory `number` of the region `to`, from the byte `offset` on, when each
list of `when` has a quantity that is zero. Entries of one slot are alternatives: the
first that holds counts. The runtime decides when it plans for new sizes.

With `order` the run decides as well, just before the call: the first `count` elements
of the buffer `indices` of the call must be 0, 1, 2, …. Then the slot keeps memory of
its own, and there need be no condition on sizes. What is found has the number `order`,
which skips by the same indices share. An input is not taken so where the caller wants
the output in its memory (`analyze-donations`).

    #loop.skip<slot = 1, to = inputs, number = 0, when = [], kernel = "index_select_0",
               source = "graph.index_select", order = 0, indices = 1, count = "b">
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from ..entries import IDENTIFIER, LISTS, TEXT, UNKNOWN, EntriesAttr, entry
from ..shape import verified_dim

_SOURCES = ("inputs", "constants", "activations", "outputs")


@irdl_attr_definition
class SkipAttr(EntriesAttr):
    """What a slot may be, the condition, and whose call is then not made."""

    name = "loop.skip"

    slot: IntAttr = param_def()
    region: StringAttr = param_def()
    number: IntAttr = param_def()
    start: StringAttr = param_def()
    conditions: ArrayAttr[ArrayAttr[StringAttr]] = param_def()
    kernel: StringAttr = param_def()
    source: StringAttr = param_def()
    order: IntAttr = param_def()
    indices: IntAttr = param_def()
    length: StringAttr = param_def()

    FORM: ClassVar = (
        entry("slot"),
        entry("to", IDENTIFIER, of="region"),
        entry("number"),
        entry("when", LISTS, of="conditions"),
        entry("kernel", TEXT),
        entry("source", TEXT),
        entry("offset", TEXT, of="start", default="0"),
        entry("order", default=UNKNOWN),
        entry("indices", default=0),
        entry("count", TEXT, of="length", default="0"),
    )

    @staticmethod
    def of(
        slot: int,
        region: str,
        number: int,
        offset: Dim,
        when: Iterable[Sequence[Dim]],
        kernel: str,
        source: str,
        data: tuple[int, int, Dim] = (UNKNOWN, 0, 0),
    ) -> SkipAttr:
        """
        The skip of what computes a slot, to memory from the byte `offset` on; `data`
        are the order, the buffer of the indices, and their count.
        """
        order, indices, count = data
        lists = (ArrayAttr(StringAttr(str(q)) for q in clause) for clause in when)
        return SkipAttr(
            IntAttr(slot),
            StringAttr(region),
            IntAttr(number),
            StringAttr(str(offset)),
            ArrayAttr(lists),
            StringAttr(kernel),
            StringAttr(source),
            IntAttr(order),
            IntAttr(indices),
            StringAttr(str(count)),
        )

    @property
    def offset(self) -> Dim:
        """The byte of the memory that is the first of the slot."""
        return dim(self.start.data)

    @property
    def when(self) -> tuple[tuple[Dim, ...], ...]:
        """Lists of quantities; each list must have a zero."""
        return tuple(tuple(dim(q.data) for q in each) for each in self.conditions)

    @property
    def is_on_data(self) -> bool:
        """Whether the run decides by indices."""
        return self.order.data != UNKNOWN

    @property
    def count(self) -> Dim:
        """How many indices must be in order."""
        return dim(self.length.data)

    def verify(self) -> None:
        """It is memory that there is, under a condition."""
        if self.region.data not in _SOURCES:
            raise VerifyException(
                f"expected a region of {', '.join(_SOURCES)}, got {self.region.data}"
            )
        if not self.conditions.data and not self.is_on_data:
            raise VerifyException(f"expected a condition, got none in {self}")
        for clause in self.conditions:
            for quantity in clause:
                verified_dim(quantity.data)
        verified_dim(self.start.data)
        verified_dim(self.length.data)
