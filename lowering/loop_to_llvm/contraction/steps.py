"""
Write a loop over k in which the factor B is made of steps in panels.

    for the groups of a block of k
        one vector load of scales for each vector of a row, and what is made of them
        for the words of a group
            one vector load of words for each vector of a row
            for the steps of a word
                the number that each step is, and what is done with it

In the k-loop of a register tile that is one broadcast of A for each row, and one
multiply-add for each vector of accumulators; where B is packed, a store.

Steps that share a word are the innermost k, along which the load of B does not move. A
panel of scales has the columns of a panel of steps, and fewer rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue

from ....dialects.loop import LINE, LoadOp, byte_count
from ..text.scope import SCALAR, Lanes
from ..text.types import Value
from .blocks import Blocks, KBlock
from .k_loop import k_loop

OneK = Callable[[str, list[Value], list[Value]], list[Value]]
"""Writes what is done at a k of the block with a row of B; takes what is carried."""

_AHEAD = 1024
"""
Bytes ahead of what is read that steps are prefetched: hardware loses its stream where
a row of panels ends (3 to 5 % of a product of one row, with 512 bytes to 4 KiB alike).
"""

Known = dict[SSAValue, Value]
"""What is written of the ops that make a factor."""


@dataclass(frozen=True)
class StepsWriter:
    """Writes a loop over the k of some vectors of columns, a word at a time."""

    blocks: Blocks
    column: str
    """The first column."""
    vectors: int
    fixed: dict[tuple[int, int], Known] = field(
        default_factory=dict[tuple[int, int], Known]
    )
    """What all words of a group use: for a step of a word, and a vector of a row."""

    def write(
        self,
        block: KBlock,
        carried: list[Value],
        one_k: OneK,
        before: Callable[[str, int], None] = lambda _, __: None,
    ) -> list[Value]:
        """
        Writes the loop over a block; what it carries, after it. `before` is told the
        first of some k that are written one after the other, and how many they are.
        """
        blocks, w, scope = self.blocks, self.blocks.w, self.blocks.scope
        last, many = blocks.k_indices[-1], self.steps_of_a_word
        starts = {e: self.start_of(e, block) for e in (blocks.b, *blocks.beside)}
        counts = blocks.unrolled(blocks.reduced[-1]) if many == 1 else (many,)

        def some_k(k: str, count: int, carried: list[Value]) -> list[Value]:
            before(k, count)
            if many > 1:
                self.prefetch(starts[blocks.b])
            first = scope[last].text
            for number in range(count):
                if number:
                    w.fence()
                with scope.inner(SCALAR):
                    blocks.set_index(last, w.add(first, str(number)))
                    step = number if many > 1 else 0
                    b = [
                        self.factor(starts[blocks.b], step, vector)
                        for vector in range(self.vectors)
                    ]
                    carried = one_k(w.add(k, str(number)), b, carried)
            return carried

        enter = self.loops_of_groups, lambda: self.write_fixed(starts)
        return k_loop(blocks, block, carried, some_k, counts, enter)

    @property
    def steps_of_a_word(self) -> int:
        """How many k a word has, which are written one after the other."""
        blocks = self.blocks
        count = blocks.reduced[-1] if blocks.op.shares_words else 1
        assert isinstance(count, int), "a word has a known number of steps"
        return count

    @property
    def loops_of_groups(self) -> int:
        """How many of the loops of a block move what lies beside the steps."""
        blocks = self.blocks
        inside = blocks.k_indices[blocks.axis :]
        moving = {index for each in blocks.beside for index in each.indices}
        return max((at for at, e in enumerate(inside, 1) if e in moving), default=0)

    def start_of(self, load: LoadOp, block: KBlock) -> str:
        """The address in a panel of what is loaded where k is zero in the block."""
        blocks, memory = self.blocks, self.blocks.host.memory
        with blocks.scope.inner(Lanes(blocks.column, blocks.lanes)):
            zeros = ("0" for _ in blocks.reduced[blocks.axis :])
            blocks.set_k(block, [*zeros])
            blocks.set_index(blocks.column, self.column)
            return memory.address(load.buffer, memory.offsets(load.at).first)

    def load(self, load: LoadOp, start: str, vector: int) -> Value:
        """Writes the load of a vector of a panel, at the k of the scope."""
        here = self.address(load, start, vector)
        return self.blocks.host.memory.read(here, load.element, self.blocks.lanes)

    def prefetch(self, start: str) -> None:
        """Writes prefetches of the steps that are some lines ahead in each panel."""
        blocks, w = self.blocks, self.blocks.w
        each = byte_count(blocks.b.element) * blocks.lanes
        for vector in range(0, self.vectors, max(LINE // each, 1)):
            here = self.address(blocks.b, start, vector)
            ahead = w.emit(f"getelementptr i8, ptr {here}, i64 {_AHEAD}")
            w.do(f"call void @llvm.prefetch.p0(ptr {ahead}, i32 0, i32 3, i32 1)")

    def address(self, load: LoadOp, start: str, vector: int) -> str:
        """Writes the address of a vector of a panel, at the k of the scope."""
        blocks, w, at = self.blocks, self.blocks.w, load.at
        assert at.blocked is not None, "steps and scales are in panels"
        number, inside = divmod(vector * blocks.lanes, blocks.nr)
        offset = w.add(w.mul(w.size(at.blocked.stride), str(number)), str(inside))
        for index in blocks.k_indices[blocks.axis :]:
            step = w.size(at.step(index))
            offset = w.add(offset, w.mul(blocks.scope[index].text, step))
        return blocks.at(start, offset, load.element)

    def write_fixed(self, starts: dict[LoadOp, str]) -> None:
        """Writes what is made of the scales of a group, for each step of a word."""
        blocks, scope = self.blocks, self.blocks.scope
        last, steps = blocks.k_indices[-1], blocks.b.result
        scales = [each.result for each in blocks.beside]
        of_vector: list[Known] = []
        for at in range(self.vectors):
            loaded: Known = {}
            for each in blocks.beside:
                loaded[each.result] = self.load(each, starts[each], at)
            ops = self.made_without(steps, last)
            of_vector.append(loaded | self.evaluated(ops, loaded))
        for number in range(self.steps_of_a_word):
            with scope.inner(SCALAR):
                blocks.set_index(last, str(number))
                of_step = self.evaluated(self.made_without(steps, *scales), {})
                for at, known in enumerate(of_vector):
                    both = of_step | known
                    found = self.evaluated(self.made_without(steps), both)
                    self.fixed[number, at] = both | found

    def factor(self, start: str, number: int, vector: int) -> Value:
        """Writes the number that a step of the words of a vector is."""
        blocks = self.blocks
        known = {blocks.b.result: self.load(blocks.b, start, vector)}
        known |= self.fixed[number, vector]
        found = self.evaluated(blocks.made_of_b, known)
        return found[blocks.factors[1]]

    def made_without(self, *values: SSAValue) -> list[Operation]:
        """The ops that make a factor and need none of some values, in their order."""
        needing, found = {*values}, list[Operation]()
        for op in self.blocks.made_of_b:
            if needing.intersection((*op.operands, *op.results)):
                needing.update(op.results)
            else:
                found.append(op)
        return found

    def evaluated(self, ops: Sequence[Operation], known: Known) -> Known:
        """Writes ops in the scope, but for what is known; their values."""
        blocks, scope = self.blocks, self.blocks.scope
        found: Known = {}
        with scope.inner():
            for value, text in known.items():
                scope.define(value, text)
            for op in ops:
                (result,) = op.results
                if result not in known:
                    found[result] = blocks.host.evaluate(op)
                    scope.define(result, found[result])
        return found
