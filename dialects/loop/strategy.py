"""
How a contraction is computed: what is decided of it first, and once.

    #loop.strategy<direct, nr = 16, kc = 768>
    #loop.strategy<im2row, nr = 16, vnni = 2, kc = 1024>

direct: B is a constant in panels, A is read where it lies. A convolution with its
    channels last reads its windows in the image.
im2row: B is a constant in panels, A is packed: the windows of a convolution, a block
    at a time.
widened: B is a constant in panels of bf16, and is packed as f32 a block at a time.
gemm: B is packed into panels. A convolution with its channels first packs the image.
gemv: few rows of A go by long lines of B, which are read where they lie.
depthwise: both factors move with the columns, and nothing is shared. A convolution
    with a filter for each channel.
plain: both are read where they lie; there is too little to compute for packing.

It says how weights are packed: into panels of NR columns, where a word holds the
elements of `vnni` successive k. KC is the most k of a block. With `pairs = true` the
weight is so small that the sum of two products with bytes fits into 16 bits, for which
some machines have an instruction. Blocks and register tiles follow it, and so do the
loops that are written.
"""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, IntAttr, StringAttr
from xdsl.ir import Attribute, Operation
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..entries import FLAG, IDENTIFIER, EntriesAttr, bare, entry

STRATEGIES = "strategies"
"""
The attribute of an op of the graph, and of its kernel, with the strategy of each of its
contractions, in their order.
"""

_IN_PANELS = ("direct", "im2row", "widened")
"""The strategies that read a constant in panels."""

_KINDS = (*_IN_PANELS, "gemm", "gemv", "depthwise", "plain")


@irdl_attr_definition
class StrategyAttr(EntriesAttr):
    """How a contraction is computed, the width of panels, and the most k of a block."""

    name = "loop.strategy"

    kind: StringAttr = param_def()
    nr: IntAttr = param_def()
    vnni: IntAttr = param_def()
    kc: IntAttr = param_def()
    pairs: IntAttr = param_def()
    """Whether sums of two products with the weight fit into 16 bits."""

    FORM: ClassVar = (
        bare("kind", IDENTIFIER),
        entry("nr", default=0),
        entry("vnni", default=1),
        entry("kc", default=0),
        entry("pairs", FLAG, default=0),
    )

    @staticmethod
    def of(kind: str, nr: int = 0, vnni: int = 1, kc: int = 0) -> StrategyAttr:
        """The strategy of this kind."""
        numbers = (IntAttr(each) for each in (nr, vnni, kc, 0))
        return StrategyAttr(StringAttr(kind), *numbers)

    def with_pairs(self) -> StrategyAttr:
        """The same for a weight whose pairs of products fit into 16 bits."""
        return StrategyAttr(self.kind, self.nr, self.vnni, self.kc, IntAttr(1))

    def verify(self) -> None:
        """The kind is a known one, and panels have a width."""
        kind, nr = self.kind.data, self.nr.data
        if kind not in _KINDS:
            raise VerifyException(f"expected {', '.join(_KINDS)}, got {kind}")
        if kind in (*_IN_PANELS, "gemm") and not nr:
            raise VerifyException(
                f"expected panels of {kind} to have a width, got {nr}"
            )

    @property
    def packs_weight(self) -> bool:
        """Whether B is a constant in panels, whether or not blocks are made of them."""
        return self.nr.data > 0 and self.kind.data in (*_IN_PANELS, "plain")


def strategies_of(op: Operation | None) -> list[StrategyAttr]:
    """The strategies of the contractions of an op or a kernel; none if not chosen."""
    found = None if op is None else op.attributes.get(STRATEGIES)
    if not isinstance(found, ArrayAttr):
        return []
    listed = cast("ArrayAttr[Attribute]", found)
    known = [each for each in listed if isinstance(each, StrategyAttr)]
    return known if len(known) == len(listed) else []
