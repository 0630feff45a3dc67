"""
Build the kernel of a descent: for each row loops over its walks, with the steps inside.

The steps of a walk wait for each other, and steps of different walks do not: this is
why `vectorize-loops` lets several run at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, SSAValue

from ...dialects import Dim
from ...dialects.graph import Descent, GraphOp, scalar
from ...dialects.loop import (
    ClampIndexOp,
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
    Subscript,
    YieldOp,
)
from .renaming import Renaming, kernel_over


def build_descent(
    op: GraphOp, descent: Descent, name: str
) -> tuple[KernelOp, list[SSAValue], Renaming]:
    """Builds the kernel of an op that is a descent; its buffers and its symbols."""
    buffers = list(dict.fromkeys(op.operands))
    values = [*buffers, op.results[0]]

    def build(arguments: Sequence[SSAValue], rename: Renaming) -> None:
        known = dict(zip(values, arguments, strict=True))
        operands = tuple(known[each] for each in op.operands)
        _DescentBuilder(descent, operands, arguments[-1], rename).build()

    kernel, rename = kernel_over(values, name, build)
    return kernel, buffers, rename


@dataclass(frozen=True)
class _DescentBuilder:
    """Builds the loops of one descent."""

    descent: Descent
    operands: tuple[SSAValue, ...]
    output: SSAValue
    rename: Renaming

    def build(self) -> None:
        """Builds loops over blocks of walks, and over rows inside."""
        first, block = 0, self.descent.block
        for count, steps in self.descent.groups:
            blocks, rest = divmod(count, block)
            if blocks:
                body = Block(arg_types=[IndexType()])
                with ImplicitBuilder(body):
                    self.rows((body.args[0], block), first, block, steps)
                    YieldOp()
                ForOp(blocks, body)
            if rest:
                self.rows(None, first + count - rest, rest, steps)
            first += count

    def rows(
        self, block: tuple[SSAValue, int] | None, first: int, count: int, steps: int
    ) -> None:
        """Builds a loop over the rows, and one over walks inside."""
        terms = () if block is None else (block,)
        body = Block(arg_types=[IndexType()])
        with ImplicitBuilder(body):
            self.walks(body.args[0], terms, first, count, steps)
            YieldOp()
        ForOp(self.rename(self.descent.rows), body)

    def walks(
        self,
        row: SSAValue,
        terms: tuple[tuple[SSAValue, int], ...],
        first: int,
        count: int,
        steps: int,
    ) -> None:
        """Builds a loop over walks of as many steps."""
        *_, starts = self.operands
        total = sum(each for each, _ in self.descent.groups)
        block = Block(arg_types=[IndexType()])
        with ImplicitBuilder(block):
            walk = block.args[0]
            here = (*terms, (walk, 1))
            place = LoadOp(starts, Subscript(here, first)).result
            step = Block(arg_types=[IndexType(), place.type])
            with ImplicitBuilder(step):
                YieldOp(self.next(row, step.args[1]))
            end = ForOp(steps, step, None, [place], is_ordered=True).accumulators[0]
            StoreOp(end, self.output, Subscript(((row, total), *here), first))
            YieldOp()
        ForOp(count, block)

    def next(self, row: SSAValue, place: SSAValue) -> SSAValue:
        """Builds the place after one."""
        rows, features, limits, following, _ = self.operands
        width, ways = self.rename(self.descent.width), self.descent.ways
        places = self.rename(self.descent.places)
        at = ClampIndexOp(place, places, saturates=True).result
        number = LoadOp(features, Subscript(((at, 1),), 0)).result
        column = ClampIndexOp(number, width, saturates=True).result
        x = LoadOp(rows, Subscript(((row, width), (column, 1)), 0)).result
        limit = LoadOp(limits, Subscript(((at, 1),), 0)).result
        x, limit = scalar.loaded(x), scalar.loaded(limit)
        is_first = scalar.compare("le", x, limit)
        if ways == 1:
            first = self.way(following, at, ways, 0)
            zero, one = (scalar.constant(each, first.type) for each in (0, 1))
            return scalar.add(first, scalar.select(is_first, zero, one))
        # All are loaded: which is the next one is known late.
        to = [self.way(following, at, ways, each) for each in range(ways)]
        found = scalar.select(is_first, to[0], to[1])
        if ways > 2:
            found = scalar.select(scalar.compare("ne", x, x), to[2], found)
        return found

    def way(self, following: SSAValue, at: SSAValue, ways: Dim, which: int) -> SSAValue:
        """Builds one of the places that may be next."""
        return LoadOp(following, Subscript(((at, ways),), which)).result
