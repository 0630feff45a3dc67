"""
Find the results of a program that may alias other memory, and when they do.

`mark-runtime-skippable` wrote the conditions beside the ops; here values become slots,
and elements bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from xdsl.ir import Operation, SSAValue

from ...dialects import Dim, dtype, product, sizes, tensor_type
from ...dialects.graph import (
    FusionOp,
    GraphOp,
    MemoryMap,
    describe,
    offset_of,
    same,
    skips_of,
)
from ...dialects.graph.storage import BUFFERS, buffer_of
from ...dialects.loop import SkipAttr
from ...runtime.abi import MOST_ORDERS
from .signature import Storage


class Skips:
    """The skips of a program, each result with those of its op."""

    def __init__(
        self, memory: MemoryMap, storage: Storage, is_late: Callable[[Dim], bool]
    ):
        """No skips yet; a size that `is_late` is known too late to decide."""
        self.memory = memory
        self.storage = storage
        self.is_late = is_late
        self.entries: list[SkipAttr] = []
        self._numbers: dict[int, int] = {}
        self._orders: dict[SSAValue, int] = {}
        """What the run finds out, by the tensor of the indices."""

    def number_of(
        self, op: GraphOp, kernel: str, operands: Sequence[int]
    ) -> int | None:
        """
        The number of the skip of an op that calls a kernel of this name on some of its
        operands; None if it always runs.
        """
        if not skips_of(op):
            return None
        place = self._place_of(op.results[0])
        if place is None or place[0] != "activations":
            return None
        slot = place[1]
        if slot not in self._numbers:
            found = list(self._ways(op, slot, kernel, operands))
            if not found:
                return None
            self._numbers[slot] = len(self._numbers)
            self.entries += found
        return self._numbers[slot]

    def _ways(
        self, op: GraphOp, slot: int, kernel: str, operands: Sequence[int]
    ) -> Iterator[SkipAttr]:
        """What the result of an op may be."""
        for each in skips_of(op):
            source = op.operands[each.operand.data]
            place, start = self._place_of(source), each.offset + offset_of(source)
            if place is not None and not self.is_late(start):
                offset = start * dtype(tensor_type(source)).itemsize
                shown = each.when, kernel, describe(op)
                if not each.is_on_data:
                    yield SkipAttr.of(slot, *place, offset, *shown)
                elif each.indices.data in operands:
                    indices = op.operands[each.indices.data]
                    order = self._orders.setdefault(indices, len(self._orders))
                    if order >= MOST_ORDERS:
                        continue
                    buffer = operands.index(each.indices.data)
                    count = product(sizes(tensor_type(indices)))
                    data = order, buffer, count
                    yield SkipAttr.of(slot, *place, offset, *shown, data)

    def _place_of(self, value: SSAValue) -> tuple[str, int] | None:
        """
        The region and number of the memory that a value is in; None if that is a part
        that belongs to a trip of a loop, or a number in the code.
        """
        root = self.memory.storage_of(value)
        if root in self.memory.parts:
            return None
        if (owner := root.owner) and isinstance(owner, GraphOp):
            if BUFFERS not in owner.attributes:
                return None
        return self.storage.number_of(buffer_of(root))


def is_folded(op: Operation) -> bool:
    """
    Whether an op moves elements at no cost: it is a view, or its nests are part of a
    kernel that does more.
    """
    if not isinstance(op, GraphOp) or isinstance(op, FusionOp):
        return False
    if op.IS_VIEW:
        return True
    nests = op.nests() if isinstance(op.parent_op(), FusionOp) else None
    return bool(nests) and all(each.body is same for each in nests)
