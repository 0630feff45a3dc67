"""
How a contraction is computed in packed panels and blocks: what a `loop.tile` may carry.

    #loop.schedule<nr = 16, mc = 60, nc = 128, kc = 512 of 0, pack = "a and b">

The names are those of BLIS. A is the factor that moves with the rows, B the one that
moves with the columns. B is read from panels of NR columns: the columns of a panel lie
side by side, and k runs over its rows. A block has MC rows and NC columns of the
result, and KC values of one reduced index, which is counted from 0: accumulators are
stored between blocks of k, and loaded again. `nc = 0` and `kc = 0` say that a block
has all columns, or all values of that index, however many there are; with
`block = "16 * n"` it has as many values as that dimension says, or what is left: so
kernels of different sizes have one text. What `pack` names is packed for each block: A
row by row, with `pad` elements between two rows, so that these do not fall into one set
of a cache; B into panels. With `over = 2` the two loops around the tile, along which B
stays the same, run inside of a block of columns and k, around its rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..dims import Dim, dim
from ..entries import FLAG, TEXT, EntriesAttr, entry, pair

PACK = ("", "a", "b", "a and b")
"""What a schedule may pack."""


_PADDING = 16
"""Elements between rows of packed A where a schedule names no others."""


@irdl_attr_definition
class ScheduleAttr(EntriesAttr):
    """The width of panels, the sizes of a block, and what is packed for each."""

    name = "loop.schedule"

    nr: IntAttr = param_def()
    mc: IntAttr = param_def()
    nc: IntAttr = param_def()
    kc: IntAttr = param_def()
    axis: IntAttr = param_def()
    """The reduced index that `kc` counts values of; 0 is the outermost."""
    pack: StringAttr = param_def()
    over: IntAttr = param_def()
    pad: IntAttr = param_def()
    block: StringAttr = param_def()
    """How many values of the reduced index a block has, where KC is 0 and not all."""
    pairs: IntAttr = param_def()
    """Whether sums of two products with B fit into 16 bits."""

    PADDING: ClassVar = _PADDING

    ROWS_AHEAD: ClassVar = 4
    """
    Rows of a register tile, at least, that fetch rows of panels ahead: one row is bound
    by what it loads, and took 1.25 of the time with weights in the second cache, three
    took 1.06 (Skylake, AVX-512).
    """

    FORM: ClassVar = (
        entry("nr"),
        entry("mc"),
        entry("nc"),
        pair("kc", "kc", "of", "axis"),
        entry("pack", TEXT, default=""),
        entry("over", default=0),
        entry("pad", default=_PADDING),
        entry("block", TEXT, default=""),
        entry("pairs", FLAG, default=0),
    )

    @staticmethod
    def of(
        nr: int,
        mc: int,
        nc: int,
        kc: int,
        axis: int,
        pack: str,
        over: int = 0,
        pad: int = _PADDING,
    ) -> ScheduleAttr:
        """The schedule of these sizes."""
        return ScheduleAttr(
            IntAttr(nr),
            IntAttr(mc),
            IntAttr(nc),
            IntAttr(kc),
            IntAttr(axis),
            StringAttr(pack),
            IntAttr(over),
            IntAttr(pad),
            StringAttr(""),
            IntAttr(0),
        )

    def with_block(
        self, mc: int | None = None, nc: int | None = None, kc: int | None = None
    ) -> ScheduleAttr:
        """The same with other sizes of a block, where they are given."""
        nr, *sizes = self.parameters
        block = [
            old if new is None else IntAttr(new)
            for old, new in zip(sizes[:3], (mc, nc, kc), strict=True)
        ]
        return ScheduleAttr.new([nr, *block, *sizes[3:]])

    def in_blocks(self, of: Dim) -> ScheduleAttr:
        """The same in blocks of this many values of the reduced index; 0 is all."""
        kc, block = (of, "") if isinstance(of, int) else (0, str(of))
        parameters = list(self.parameters)
        parameters[3], parameters[8] = IntAttr(kc), StringAttr(block)
        return ScheduleAttr.new(parameters)

    def values_in_block(self, size: Dim) -> Dim:
        """How many values a block has of the reduced index, if it is of this size."""
        return dim(self.block.data) if self.block.data else self.kc.data or size

    def with_pairs(self, pairs: IntAttr) -> ScheduleAttr:
        """The same where sums of two products with B fit into 16 bits, or may not."""
        *others, _ = self.parameters
        return ScheduleAttr.new([*others, pairs])

    def verify(self) -> None:
        """NC is whole panels; blocks that are packed have known sizes."""
        nr, nc, kc = self.nr.data, self.nc.data, self.kc.data
        if nc % nr:
            raise VerifyException(
                f"expected nc to be whole panels, got nr = {nr} and nc = {nc}"
            )
        if self.pack.data and not (nc and kc):
            raise VerifyException(
                f"expected nc and kc 1 or more where something is packed, got "
                f"nc = {nc} and kc = {kc}"
            )
        if self.block.data and (kc or self.pack.data):
            raise VerifyException(
                f"expected no block with a kc or where something is packed, got "
                f"{self.block.data} with kc = {kc}"
            )
        if self.pack.data not in PACK:
            known = ", ".join(PACK[1:])
            raise VerifyException(f"expected {known}, got {self.pack.data}")

    def verify_for(self, reduced: Sequence[Dim], at_once: bool) -> None:
        """
        All k are one block with `at_once`, where no accumulator may be stored before
        the epilogue.
        """
        depth, axis, block = self.kc.data, self.axis.data, self.block.data
        if axis >= max(len(reduced), 1):
            raise VerifyException(
                f"expected a block of one of {len(reduced)} axes of k, got {axis}"
            )
        count = reduced[axis] if axis < len(reduced) else None
        is_whole = not depth or (isinstance(count, int) and depth >= count)
        if at_once and (axis or block or not is_whole):
            raise VerifyException(
                f"expected all k in one block, since the epilogue loads from where it "
                f"stores, got {depth or block} of {count}"
            )

    def packs(self, factor: str) -> bool:
        """Whether a factor, `a` or `b`, is packed for each block."""
        return factor in self.pack.data.split(" and ")
