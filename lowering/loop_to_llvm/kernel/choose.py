"""
Write a `loop.choose`: a heap of candidates, and what is taken from it one by one.

The heap lies in the last elements of the buffer, its root in the very last. What is
chosen is written before it. A score decides about order only: whatever other threads
write to the scores meanwhile, the heap stays where it is, and an index that is read
from memory is held to its range.

    for each candidate: if it is admitted, add it at the end
    for each node that has children, from the last one on: sift it down
    while there are candidates, and too few are chosen:
        take the root, put the last node in its place and sift that down
        if the candidate is in conflict with none that is chosen: it is chosen
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import i64
from xdsl.ir import Block, Operation, Region, SSAValue

from ....dialects.loop import ChooseOp, YieldOp
from ..text.types import Value
from .heap import Entry, sift_down
from .op_writer import OpWriter


@dataclass(frozen=True)
class ChoiceWriter(OpWriter):
    """Writes one choice, whose regions `write_ops` writes."""

    op: ChooseOp

    def write(self) -> Value:
        """Writes the choice; the element after the last that is chosen."""
        w, scope = self.memory.w, self.memory.scope
        count, _ = (w.size(each) for each in self.op.sizes)
        first = self.memory.offsets(self.op.at).first
        start, most = (scope[each].text for each in (self.op.start, self.op.most))
        some, end = w.fresh("some"), w.fresh("chosen")
        before = w.label
        is_some = w.emit(f"icmp sgt i64 {count}, 0")
        w.do(f"br i1 {is_some}, label %{some}, label %{end}")
        w.start(some)
        size = self.admit(count)
        self.sort(size)
        last = self.take(size, first, start, w.add(start, most))
        after = w.label
        w.do(f"br label %{end}")
        w.start(end)
        return w.value(f"phi i64 [{start}, %{before}], [{last}, %{after}]", i64)

    def admit(self, count: str) -> str:
        """Writes the loop that collects the candidates; how many there are."""
        w = self.memory.w

        def body(at: str, carried: list[Value]) -> list[Value]:
            (so_far,) = carried
            # One that is not admitted is overwritten.
            self.put(so_far.text, at)
            _, admitted = self.region(self.op.score, at)
            more = w.emit(f"zext i1 {admitted.text} to i64")
            return [w.value(f"add nuw nsw i64 {so_far.text}, {more}", i64)]

        return w.loop("0", count, 1, [Value("0", i64)], body)[0].text

    def sort(self, size: str) -> None:
        """Writes the loop that makes a heap of the candidates."""
        w = self.memory.w
        half = w.emit(f"lshr i64 {size}, 1")

        def body(at: str, _: list[Value]) -> list[Value]:
            after = w.emit(f"sub nsw i64 {half}, {at}")
            self.sift(w.add(after, "-1"), size)
            return []

        w.loop("0", half, 1, [], body)

    def sift(self, root: str, size: str) -> None:
        """Writes the loop that moves a node down until its children come after it."""

        def put(node: str, moved: Entry) -> None:
            self.put(node, moved[0].text)

        moving = self.candidate(root)
        sift_down(self.memory.w, root, size, moving, self.candidate, put, self.precedes)

    def take(self, size: str, first: str, start: str, stop: str) -> str:
        """
        Writes the loop that takes candidates from the heap, and stores what is chosen
        from `start` on and before `stop`; where that ends.
        """
        w = self.memory.w
        head, room, end = (w.fresh(each) for each in ("take", "room", "taken"))
        left, rest, chosen, more = (f"%{w.fresh('n')}" for _ in range(4))
        before, phis = w.label, len(w.lines) + 2
        w.do(f"br label %{head}")
        w.start(head)
        is_left = w.emit(f"icmp sgt i64 {left}, 0")
        is_room = w.emit(f"icmp slt i64 {chosen}, {stop}")
        w.do(f"br i1 {w.both([is_left, is_room])}, label %{room}, label %{end}")
        w.start(room)
        top = self.get("0")
        w.do(f"{rest} = add nsw i64 {left}, -1")
        self.put("0", self.get(rest))
        self.sift("0", rest)
        is_free = self.is_free(top, first, start, chosen)
        # In the place of one that is not chosen comes the next, if there is one.
        code = w.emit(f"select i1 {is_free}, i64 {w.add(first, top)}, i64 -1")
        w.do(f"store i64 {code}, ptr {self.element(chosen)}, align 8")
        grows = w.emit(f"zext i1 {is_free} to i64")
        w.do(f"{more} = add nsw i64 {chosen}, {grows}")
        w.do(f"br label %{head}")
        w.lines[phis:phis] = [
            f"  {left} = phi i64 [{size}, %{before}], [{rest}, %{w.label}]",
            f"  {chosen} = phi i64 [{start}, %{before}], [{more}, %{w.label}]",
        ]
        w.start(end)
        return chosen

    def is_free(self, candidate: str, first: str, start: str, end: str) -> str:
        """
        Writes the loop that looks for a conflict with one that is chosen; whether there
        is none.
        """
        w = self.memory.w
        names = ("free", "compare", "on", "compared")
        head, test, step, done = (w.fresh(each) for each in names)
        at, following = (f"%{w.fresh('i')}" for _ in range(2))
        before = w.label
        w.do(f"br label %{head}")
        w.start(head)
        w.do(f"{at} = phi i64 [{start}, %{before}], [{following}, %{step}]")
        again = w.emit(f"icmp slt i64 {at}, {end}")
        w.do(f"br i1 {again}, label %{test}, label %{done}")
        w.start(test)
        code = w.emit(f"load i64, ptr {self.element(at)}, align 8")
        chosen = self.held(w.minus(code, first))
        tested = self.test((chosen, candidate), step, done)
        w.start(step)
        w.do(f"{following} = add nuw nsw i64 {at}, 1")
        w.do(f"br label %{head}")
        w.start(done)
        return w.emit(f"phi i1 [true, %{head}], [false, %{tested}]")

    def test(self, indices: tuple[str, str], none: str, some: str) -> str:
        """
        Writes branches to `none` where there is no conflict and to `some` where there
        is one; the block that `some` is entered from.
        """
        w, scope, block = self.memory.w, self.memory.scope, self.op.conflict.block
        end, done, tested = block.last_op, set[Operation](), w.label
        assert isinstance(end, YieldOp), "the verifier says so"
        with scope.inner():
            for argument, index in zip(block.args, indices, strict=True):
                scope.set_index(argument, index)
            for number, condition in enumerate(end.values, 1):
                needed = _needed(condition, block) - done
                self.write_ops(each for each in block.ops if each in needed)
                done |= needed
                holds, tested = scope[condition].text, w.label
                if number == len(end.values):
                    w.do(f"br i1 {holds}, label %{some}, label %{none}")
                else:
                    on = w.fresh("also")
                    w.do(f"br i1 {holds}, label %{on}, label %{none}")
                    w.start(on)
        return tested

    def precedes(self, one: Entry, other: Entry) -> str:
        """Writes whether a candidate is taken before another."""
        w, (number, score), (later, least) = self.memory.w, one, other
        above = w.emit(f"fcmp ogt {score.typed}, {least.text}")
        equal = w.emit(f"fcmp oeq {score.typed}, {least.text}")
        first = w.emit(f"icmp slt {number.typed}, {later.text}")
        tied = w.emit(f"and i1 {equal}, {first}")
        return w.emit(f"or i1 {above}, {tied}")

    def candidate(self, node: str) -> Entry:
        """Writes the load of a node, and its score."""
        number = self.get(node)
        score, _ = self.region(self.op.score, number)
        return Value(number, i64), score

    def get(self, node: str) -> str:
        """Writes the load of a node of the heap."""
        w = self.memory.w
        found = w.emit(f"load i64, ptr {self.node(node)}, align 8")
        return self.held(found)

    def put(self, node: str, candidate: str) -> None:
        """Writes the store of a node of the heap."""
        w = self.memory.w
        w.do(f"store i64 {candidate}, ptr {self.node(node)}, align 8")

    def held(self, candidate: str) -> str:
        """Writes a number that was read from memory, held to the candidates."""
        w = self.memory.w
        last = w.size(self.op.sizes[0] - 1)
        return w.emit(f"call i64 @llvm.umin.i64(i64 {candidate}, i64 {last})")

    def node(self, node: str) -> str:
        """Writes the address of a node of the heap."""
        w = self.memory.w
        return self.element(w.minus(w.size(self.op.sizes[1] - 1), node))

    def element(self, at: str) -> str:
        """Writes the address of an element of the buffer."""
        return self.memory.address(self.op.buffer, at)

    def region(self, region: Region, *indices: str) -> list[Value]:
        """Writes a region for some indices; what it yields."""
        scope, end = self.memory.scope, region.block.last_op
        assert isinstance(end, YieldOp), "the verifier says so"
        with scope.inner():
            for argument, index in zip(region.block.args, indices, strict=True):
                scope.set_index(argument, index)
            self.write_ops(region.block.ops)
            return [scope[each] for each in end.values]


def _needed(value: SSAValue, block: Block) -> set[Operation]:
    """The ops of a block that a value is computed from."""
    found, waiting = set[Operation](), [value]
    while waiting:
        op = waiting.pop().owner
        if isinstance(op, Operation) and op.parent is block and op not in found:
            found.add(op)
            waiting += op.operands
    return found
