"""
Build a function of the host level: each meaning is written once, for all printers.

    b = Builder(Signature("sum", (ADDRESS, WORD), WORD))
    numbers, count = b.parameters
    with b.loop(0, count, total=0) as each:
        each.total = b.add(each.total, b.load(b.at(numbers, each.index)))
    b.leave(each.total)
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from .arithmetic import ArithmeticBuilder
from .function import ADDRESS, BIT, WORD, Block, Op, Signature, Value, type_of


class Carried:
    """The values of a branch or loop by name: to be read, and to be set for later."""

    index: Value
    """The number of the pass through a loop."""

    def __init__(self, values: Mapping[str, Value]):
        """Their initial values."""
        self.__dict__.update(values)

    def __getattr__(self, name: str) -> Value:
        raise AttributeError(name)

    def __setattr__(self, name: str, value: Value) -> None:
        assert name in self.__dict__, f"{name} is carried by nothing"
        self.__dict__[name] = value


class Builder(ArithmeticBuilder):
    """Builds one function."""

    def offset(self, address: Value, bytes: Value) -> Value:
        """The address some bytes after another."""
        if not isinstance(bytes, Op) and bytes == 0:
            return address
        return self.pure("offset", (address, bytes), ADDRESS)

    def at(self, address: Value, number: Value, width: int = 8) -> Value:
        """The address of an element, of some bytes, of an array."""
        return self.offset(address, self.mul(number, width))

    def number_of(self, address: Value) -> Op:
        """The integer that an address is."""
        return self.pure("number", (address,), WORD)

    def outside(self, name: str) -> Op:
        """The address of memory, or of a function, that is elsewhere."""
        self.function.outside[name] = None
        return self.pure("table", (), ADDRESS, name)

    def table(self, name: str, width: int, numbers: Sequence[int]) -> Op:
        """The address of a constant array of integers of some bytes."""
        self.function.tables[name] = width, numbers
        return self.pure("table", (), ADDRESS, name)

    def load_constant(self, address: Value, field: int, type: str = WORD) -> Op:
        """What memory holds that nothing writes meanwhile; `field` counts words."""
        return self.pure("load", (address,), type, (8 * field, 8, False))

    def load(
        self,
        address: Value,
        field: int = 0,
        type: str = WORD,
        width: int = 8,
        is_volatile: bool = False,
    ) -> Op:
        """What memory holds now, an unsigned integer of `width` bytes."""
        return self.do("load", (address,), type, (8 * field, width, is_volatile))

    def store(
        self, value: Value, address: Value, field: int = 0, width: int = 8
    ) -> None:
        """Writes an integer of `width` bytes, or an address."""
        self.do("store", (value, address), data=(8 * field, width))

    def alloca(self, count: Value, width: int = 8) -> Op:
        """The address of an array on the stack, as long as the function runs."""
        if isinstance(count, Op):
            return self.do("alloca", (count,), ADDRESS, width)
        return self.do("alloca", (max(count, 1),), ADDRESS, width)

    def call(self, callee: Signature, *arguments: Value) -> Op:
        """Calls a function by name."""
        type = WORD if callee.result == "i32" else callee.result
        return self.do("call", arguments, type, callee)

    def call_address(self, function: Value, kind: Signature, *arguments: Value) -> Op:
        """Calls the function at an address."""
        type = WORD if kind.result == "i32" else kind.result
        return self.do("call_address", (function, *arguments), type, kind)

    def words(self, *values: Value) -> Op:
        """Memory with these words, for functions that take and change them."""
        return self.do("words", values, ADDRESS)

    def call_words(self, callee: Signature, words: Op, context: Value) -> None:
        """Calls a function on words and a context, which returns nothing but zero."""
        self.do("call_words", (words, context), data=callee)

    def word(self, words: Op, number: int) -> Op:
        """One of some words, after all calls that change them."""
        return self.do("word", (words,), WORD, number)

    def kernel(self, name: str, number: int, context: Value, *arguments: Value) -> None:
        """
        Calls a kernel; a status of it that is not zero ends the function, after the
        number of the call was noted in the context.
        """
        self.do("kernel", (context, *arguments), data=(name, number))

    def atomic(self, kind: str, ordering: str, width: int, *operands: Value) -> Op:
        """
        An atomic access, of `width` bytes, to the address that is the first operand:
        "load", "store" of the second, "add", "sub" or "or" to it, or "exchange" of the
        second for the third, which is whether the second was there.
        """
        type = {"store": None, "exchange": BIT}.get(kind, WORD)
        return self.do("atomic", operands, type, (kind, ordering, width))

    def leave(self, value: Value | None = None) -> None:
        """Ends the function."""
        self.do("leave", () if value is None else (value,))

    def go(self, exit: str) -> None:
        """Goes on at an exit of the function."""
        self.do("go", data=exit)

    def leave_if(
        self,
        bit: Value,
        value: Value,
        notes: Sequence[tuple[Value, Value, int]] = (),
    ) -> None:
        """
        Ends the function where a bit is set, after `notes`: values that are stored in a
        field of what is at an address.
        """
        if bit is False:
            return
        with self.when(bit):
            for note in notes:
                self.store(*note)
            self.leave(value)

    def go_unless(self, bit: Value, exit: str) -> None:
        """Goes on at an exit of the function unless a bit is set."""
        self.do("go_unless", (bit,), data=exit)

    @contextmanager
    def exit(self, name: str) -> Generator[None]:
        """Builds what an exit does, from values that every way to it has computed."""
        block = self.function.exits[name] = Block()
        before, self.open = self.open, [block]
        yield
        self.open = before

    @contextmanager
    def when(self, bit: Value, /, **carried: Value) -> Generator[Branch]:
        """
        Builds what is done where a bit is set. What it sets of `carried` is so
        afterwards; else these stay what they were.
        """
        branch = Branch(self, bit, carried)
        with branch.part(0):
            yield branch

    @contextmanager
    def switch(self, value: Value, /, **carried: Value) -> Generator[Switch]:
        """Builds what is done for some numbers that a value may be."""
        made = Switch(self, value, carried)
        yield made
        made.close()

    @contextmanager
    def loop(
        self, start: Value, stop: Value, step: int = 1, /, **carried: Value
    ) -> Generator[Carried]:
        """Builds a loop over the numbers from `start` on that are below `stop`."""
        with self._loop("loop", (start, stop), step, carried, True) as made:
            yield made

    @contextmanager
    def repeat(self, /, **carried: Value) -> Generator[Carried]:
        """Builds a loop that goes on while the first of the values is set."""
        with self._loop("repeat", (), None, carried, False) as made:
            yield made

    @contextmanager
    def forever(self, /, **carried: Value) -> Generator[Carried]:
        """Builds a loop that ends by leaving the function."""
        with self._loop("forever", (), None, carried, False) as made:
            yield made

    @contextmanager
    def _loop(
        self,
        name: str,
        bounds: tuple[Value, ...],
        data: Any,
        carried: Mapping[str, Value],
        is_counted: bool,
    ) -> Generator[Carried]:
        block, depth = Block(), len(self.open)
        names = [*(["index"] if is_counted else []), *carried]
        firsts = [*bounds[:1], *carried.values()]
        block.arguments = [
            Op("argument", type=type_of(each), depth=depth) for each in firsts
        ]
        inner = Carried(dict(zip(names, block.arguments, strict=True)))
        self.open.append(block)
        yield inner
        self.open.pop()
        block.ends = [inner.__dict__[each] for each in carried]
        made = self.do(name, (*bounds, *carried.values()), data=data, blocks=(block,))
        for number, each in enumerate(carried):
            inner.__dict__[each] = self.result(made, number, type_of(carried[each]))

    def result(self, op: Op, number: int, type: str) -> Op:
        """A value that an op with blocks has afterwards."""
        return Op("result", (op,), type, number, depth=len(self.open) - 1)


class Branch(Carried):
    """What a branch sets, and the other way through it."""

    def __init__(self, builder: Builder, bit: Value, carried: Mapping[str, Value]):
        """A branch whose blocks are empty."""
        super().__init__(carried)
        blocks = Block(), Block()
        for each in blocks:
            each.ends = [*carried.values()]
        self.__dict__["_parts"] = builder, bit, dict(carried), blocks

    @contextmanager
    def part(self, number: int) -> Generator[None]:
        """Builds one of the two blocks."""
        builder, bit, carried, blocks = self.__dict__["_parts"]
        parent: Block = builder.open[-1]
        if number:
            assert parent.ops[-1].blocks is blocks, "the other way follows at once"
            parent.ops.pop()
        builder.open.append(blocks[number])
        self.__dict__.update(carried)
        yield
        builder.open.pop()
        blocks[number].ends = [self.__dict__[each] for each in carried]
        made = builder.do("if", (bit,), blocks=blocks)
        for at, (name, value) in enumerate(carried.items()):
            self.__dict__[name] = builder.result(made, at, type_of(value))

    def otherwise(self) -> Any:
        """Builds what is done where the bit is not set."""
        return self.part(1)


class Switch(Carried):
    """The cases of a switch, and what they set."""

    def __init__(self, builder: Builder, value: Value, carried: Mapping[str, Value]):
        """A switch without cases."""
        super().__init__(carried)
        self.__dict__["_parts"] = builder, value, dict(carried), {}

    @contextmanager
    def case(self, number: int) -> Generator[None]:
        """Builds what is done for a number; the last case is for all others too."""
        builder, _, carried, blocks = self.__dict__["_parts"]
        block = blocks[number] = Block()
        builder.open.append(block)
        self.__dict__.update(carried)
        yield
        builder.open.pop()
        block.ends = [self.__dict__[each] for each in carried]

    def close(self) -> None:
        """Ends the switch."""
        builder, value, carried, blocks = self.__dict__["_parts"]
        made = builder.do(
            "switch", (value,), data=(*blocks,), blocks=(*blocks.values(),)
        )
        for at, (name, first) in enumerate(carried.items()):
            self.__dict__[name] = builder.result(made, at, type_of(first))
