"""Write one LLVM function: its instructions, blocks, branches and loops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute

from .index_arithmetic import IndexWriter, is_number
from .types import Value, type_text


class FunctionWriter(IndexWriter):
    """The text of a function, which grows at its end."""

    def __init__(self, symbols: Mapping[str, str]):
        """A function in which each symbol is the i64 that `symbols` names."""
        super().__init__(symbols)
        self.leave: list[str] = []
        """What is done before each return."""
        self.tile_words = 0
        """The words of k in a row of a tile register, where these are set up."""
        self.label = "entry"

    def text(self, header: str, attributes: str = "") -> str:
        """The whole definition."""
        leave = [f"  {each}" for each in self.leave]
        lines = ["entry:", *self.entry]
        for each in self.lines:
            lines += [*leave, each] if each.startswith("  ret ") else [each]
        return "\n".join([f"{header} {attributes}{{", *lines, "}", ""])

    def do(self, instruction: str) -> None:
        """Adds an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def start(self, label: str) -> None:
        """Begins a block."""
        self.lines.append(f"{label}:")
        self.label = label
        self.forget()

    def value(self, instruction: str, type: Attribute, lanes: int = 1) -> Value:
        """Adds an instruction; its result as a value."""
        return Value(self.emit(instruction), type, lanes)

    def splat(self, value: Value, lanes: int) -> Value:
        """The vector that has `value` in every lane."""
        if value.lanes == lanes:
            return value
        assert value.lanes == 1, "a vector has the lanes of the loop it is in"
        type = type_text(value.type, lanes)
        if value.is_literal:
            text = f"splat ({type_text(value.type)} {value.text})"
            return Value(text, value.type, lanes)
        one = self.emit(f"insertelement {type} poison, {value.typed}, i64 0")
        zeros = f"<{lanes} x i32> zeroinitializer"
        every = self.emit(f"shufflevector {type} {one}, {type} poison, {zeros}")
        return Value(every, value.type, lanes)

    def allocate(self, like: Value, count: int) -> str:
        """The address of `count` values like one, on the stack."""
        type = type_text(like.type, like.lanes)
        return self.entered(f"alloca [{count} x {type}], align 64")

    def put(self, value: Value, address: str, number: str) -> None:
        """Stores a value as element `number` of the memory at an address."""
        to = self.at(value, address, number)
        self.do(f"store {value.typed}, ptr {to}")

    def get(self, like: Value, address: str, number: str) -> Value:
        """Loads element `number`, of the type of `like`, from memory at an address."""
        type = type_text(like.type, like.lanes)
        text = f"load {type}, ptr {self.at(like, address, number)}"
        return self.value(text, like.type, like.lanes)

    def at(self, like: Value, address: str, number: str) -> str:
        """The address of a value among others like it."""
        if number == "0":
            return address
        type = type_text(like.type, like.lanes)
        return self.emit(f"getelementptr inbounds {type}, ptr {address}, i64 {number}")

    def together(self, *values: Value) -> tuple[list[Value], int]:
        """The values, as vectors of as many lanes as the widest of them has."""
        lanes = max(value.lanes for value in values)
        return [self.splat(value, lanes) for value in values], lanes

    def share(self, stop: str, unit: int) -> tuple[str, str]:
        """
        The part of the indices below `stop` that is this thread's, in whole units: all
        of them, without a division, where there is one thread.
        """

        def whole() -> list[Value]:
            return [Value("0", i64), Value(stop, i64)]

        def part() -> list[Value]:
            units = self.emit(f"add nuw nsw i64 {stop}, {unit - 1}")
            if unit > 1:
                units = self.emit(f"udiv i64 {units}, {unit}")
            after = self.emit("add nuw nsw i64 %part, 1")
            return [self._bound(units, each, unit, stop) for each in ("%part", after)]

        is_alone = self.emit("icmp eq i64 %parts, 1")
        start, end = self.branch(is_alone, whole, part)
        return start.text, end.text

    def _bound(self, units: str, part: str, unit: int, stop: str) -> Value:
        """The index at which a part of some units begins."""
        scaled = self.emit(f"mul nuw nsw i64 {units}, {part}")
        bound = self.mul(self.emit(f"udiv i64 {scaled}, %parts"), str(unit))
        least = self.emit(f"call i64 @llvm.smin.i64(i64 {bound}, i64 {stop})")
        return Value(least, i64)

    def div(self, a: str, number: int | str) -> str:
        """An i64, which is not negative, divided by another, which is not zero."""
        if number in (1, "1"):
            return a
        if is_number(a) and is_number(str(number)):
            return str(int(a) // int(number))
        return self.once(f"udiv i64 {a}, {number}")

    def least(self, a: str, b: str) -> str:
        """The lesser of two i64."""
        if is_number(a) and is_number(b):
            return str(min(int(a), int(b)))
        return self.emit(f"select i1 {self.below(a, b)}, i64 {a}, i64 {b}")

    def greatest(self, a: str, b: str) -> str:
        """The greater of two i64."""
        if is_number(a) and is_number(b):
            return str(max(int(a), int(b)))
        return self.emit(f"call i64 @llvm.smax.i64(i64 {a}, i64 {b})")

    def same(self, a: str, b: str) -> str:
        """Whether two i64 are equal."""
        if is_number(a) and is_number(b):
            return "true" if a == b else "false"
        return self.emit(f"icmp eq i64 {a}, {b}")

    def below(self, a: str, b: str) -> str:
        """Whether an i64 is less than another."""
        if is_number(a) and is_number(b):
            return "true" if int(a) < int(b) else "false"
        return self.emit(f"icmp slt i64 {a}, {b}")

    def both(self, conditions: Sequence[str]) -> str:
        """Whether all conditions hold."""
        result = "true"
        for each in conditions:
            if "false" in (result, each):
                result = "false"
            elif "true" in (result, each):
                result = each if result == "true" else result
            else:
                result = self.emit(f"and i1 {result}, {each}")
        return result

    def any_of(self, conditions: Sequence[str]) -> str:
        """Whether one of some conditions holds."""
        result = "false"
        for each in conditions:
            result = each if result == "false" else self.emit(f"or i1 {result}, {each}")
        return result

    def whole(self, size: str, step: int) -> str:
        """The greatest multiple of `step` that is not above `size`."""
        return self.mul(self.div(size, step), str(step))

    def hidden(self, address: str) -> str:
        """
        An address that LLVM does not see the sum behind.

        Else LLVM forms other sums for the addresses of each k, for which there are not
        enough registers.
        """
        return self.emit(f"call ptr @llvm.launder.invariant.group.p0(ptr {address})")

    def hidden_number(self, number: str) -> str:
        """A number, but for a constant, that LLVM does not see the sum behind."""
        if is_number(number):
            return number
        address = self.hidden(self.emit(f"inttoptr i64 {number} to ptr"))
        return self.emit(f"ptrtoint ptr {address} to i64")

    def fence(self) -> None:
        """Adds a fence that LLVM moves no load across, and that is no instruction."""
        self.do('fence syncscope("singlethread") acq_rel')

    def branch(
        self,
        condition: str,
        yes: Callable[[], Sequence[Value]],
        no: Callable[[], Sequence[Value]],
    ) -> list[Value]:
        """
        Adds the branch that is taken, or both where only the run knows; their values.
        """
        if condition in ("true", "false"):
            return list(yes() if condition == "true" else no())
        then, other, after = (self.fresh(each) for each in ("yes", "no", "after"))
        self.do(f"br i1 {condition}, label %{then}, label %{other}")
        ends: list[tuple[list[Value], str]] = []
        for label, build in ((then, yes), (other, no)):
            self.start(label)
            values = list(build())
            ends.append((values, self.label))
            self.do(f"br label %{after}")
        self.start(after)
        return self.met(*ends)

    def met(
        self, one: tuple[Sequence[Value], str], other: tuple[Sequence[Value], str]
    ) -> list[Value]:
        """Adds what values are where two branches meet, each with its last label."""
        (left, from_left), (right, from_right) = one, other
        return [
            self.value(
                f"phi {type_text(a.type, a.lanes)} [{a.text}, %{from_left}], "
                f"[{b.text}, %{from_right}]",
                a.type,
                a.lanes,
            )
            for a, b in zip(left, right, strict=True)
        ]

    def loop(
        self,
        start: str,
        stop: str,
        step: int,
        carried: Sequence[Value],
        body: Callable[[str, list[Value]], Sequence[Value]],
    ) -> list[Value]:
        """
        Adds a loop over `start, start + step, ...` below `stop`.

        `body` takes the index and what is carried, and returns what is carried on. The
        result is the last of these values.
        """
        if start == stop:
            return list(carried)
        if is_number(start) and is_number(stop) and int(start) >= int(stop):
            return list(carried)
        before, head, after = self.label, self.fresh("loop"), self.fresh("done")
        if is_number(start) and is_number(stop):
            if int(start) + step >= int(stop):
                return list(body(start, list(carried)))
            self.do(f"br label %{head}")
            guarded = False
        else:
            runs = self.emit(f"icmp slt i64 {start}, {stop}")
            self.do(f"br i1 {runs}, label %{head}, label %{after}")
            guarded = True
        self.start(head)
        index = f"%{self.fresh('i')}"
        inner = [Value(f"%{self.fresh('c')}", v.type, v.lanes) for v in carried]
        slot = len(self.lines)
        results = list(body(index, inner))
        step_to = self.emit(f"add nuw nsw i64 {index}, {step}")
        more = self.emit(f"icmp slt i64 {step_to}, {stop}")
        latch = self.label
        self.do(f"br i1 {more}, label %{head}, label %{after}")
        phis = [f"  {index} = phi i64 [{start}, %{before}], [{step_to}, %{latch}]"]
        for at, first, last in zip(inner, carried, results, strict=True):
            type = type_text(at.type, at.lanes)
            phis.append(
                f"  {at.text} = phi {type} [{first.text}, %{before}], "
                f"[{last.text}, %{latch}]"
            )
        self.lines[slot:slot] = phis
        self.start(after)
        if not guarded:
            return results
        return self.met((carried, before), (results, latch))

    def loop_by(
        self,
        steps: Sequence[int],
        stop: str,
        carried: Sequence[Value],
        body: Callable[[str, int, list[Value]], Sequence[Value]],
        start: str = "0",
    ) -> list[Value]:
        """
        Adds a loop for each step, from where the one before ended, up to `stop`.

        `body` takes the index, the step, and what is carried.
        """
        done, values = start, list(carried)
        for step in steps:
            end = stop
            if step > 1:
                end = self.add(start, self.whole(self.minus(stop, start), step))

            def few(at: str, inner: list[Value], step: int = step) -> Sequence[Value]:
                return body(at, step, inner)

            values = self.loop(done, end, step, values, few)
            done = end
        return values
