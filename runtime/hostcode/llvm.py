"""Print functions of the host level as LLVM IR: basic blocks, and what joins them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from .function import Block, Function, Op, Signature, Value, type_of
from .llvm_ops import CALLED, INTEGERS, Callee, OpPrinter

_DECLARED = {
    **{
        f"llvm.{each}.i64": f"i64 @llvm.{each}.i64(i64, i64)"
        for each in CALLED.values()
    },
    "llvm.umul.with.overflow.i64": "{i64, i1} @llvm.umul.with.overflow.i64(i64, i64)",
    "llvm.memcpy.p0.p0.i64": "void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
    "llvm.x86.sse2.pause": "void @llvm.x86.sse2.pause()",
    "llvm.aarch64.hint": "void @llvm.aarch64.hint(i32)",
}

_INTRINSIC = re.compile(r"@(llvm\.[\w.]+)\(")


class _Printer(OpPrinter):
    """Prints one function."""

    def __init__(self, function: Function, callees: Mapping[str, Callee], pause: str):
        super().__init__(function, callees, pause)
        self.firsts: dict[str, list[str]] = {}
        """What loops begin with, by their labels."""
        self.afters: dict[Op, str] = {}
        """The labels of what comes after loops."""

    def text(self) -> str:
        """The whole definition."""
        made = self.function
        self.block(made.body)
        for name, block in made.exits.items():
            self.start(f"exit.{name}")
            self.block(block)
        each = made.signature
        parameters = ", ".join(
            f"{type} %p{at}" for at, type in enumerate(each.parameters)
        )
        named = f"@{each.name}({parameters})"
        words = ("define", made.linkage, each.result or "void", named, made.attributes)
        head = " ".join(filter(None, words))
        lines = [f"{head} {{", "entry:", *self.allocas, *self.lines]
        return "\n".join([*lines, "}", ""])

    def block(self, block: Block) -> None:
        """Prints the ops of a block."""
        for op in block.ops:
            self.op(op)

    def print_leave(self, op: Op) -> None:
        """Prints a return."""
        result = self.function.signature.result
        if not op.operands:
            self.do("ret void")
        else:
            self.do(f"ret {self.typed(op.operands[0], result)}")

    def print_go(self, op: Op) -> None:
        """Prints a branch to an exit."""
        self.do(f"br label %exit.{op.data}")

    def print_go_unless(self, op: Op) -> None:
        """Prints a branch to an exit that may not be taken."""
        on = self.fresh("on")
        bit = self.typed(op.operands[0])
        self.do(f"br {bit}, label %{on}, label %exit.{op.data}")
        self.start(on)

    def print_if(self, op: Op) -> None:
        """Prints two blocks; one of them is taken."""
        then, otherwise, after = map(self.fresh, ("then", "else", "after"))
        bit, before = self.typed(op.operands[0]), self.label
        first, second = op.blocks
        is_short = not second.ops
        no = after if is_short else otherwise
        self.do(f"br {bit}, label %{then}, label %{no}")
        ends = self.ways([(then, first)], after)
        if is_short:
            ends.append((before, second))
        else:
            ends += self.ways([(otherwise, second)], after)
        self.join(op, ends, after)

    def print_switch(self, op: Op) -> None:
        """Prints blocks; one of them is taken."""
        numbers: tuple[int, ...] = op.data
        labels = [self.fresh("case") for _ in numbers]
        after = self.fresh("after")
        cases = " ".join(
            f"i64 {number}, label %{label}"
            for number, label in zip(numbers, labels, strict=True)
        )
        self.do(f"switch {self.typed(op.operands[0])}, label %{labels[-1]} [{cases}]")
        ends = self.ways(zip(labels, op.blocks, strict=True), after)
        self.join(op, ends, after)

    def ways(
        self, ways: Iterable[tuple[str, Block]], after: str
    ) -> list[tuple[str, Block]]:
        """Prints alternative blocks; the blocks that go on, and where they end."""
        ends: list[tuple[str, Block]] = []
        for label, block in ways:
            self.start(label)
            self.block(block)
            if not block.leaves:
                ends.append((self.label, block))
                self.do(f"br label %{after}")
        return ends

    def join(self, op: Op, ends: Sequence[tuple[str, Block]], after: str) -> None:
        """Goes on after blocks, with the values that they end with."""
        self.start(after)
        texts: list[str] = []
        for number in range(len(ends[0][1].ends)):
            each = [block.ends[number] for _, block in ends]
            joined = ", ".join(
                f"[{self.of(value)}, %{label}]"
                for value, (label, _) in zip(each, ends, strict=True)
            )
            texts.append(self.emit(f"phi {type_of(each[0])} {joined}"))
        self.results[op] = texts

    def print_loop(self, op: Op) -> None:
        """Prints a counted loop."""
        start, stop, *carried = op.operands
        (block,) = op.blocks
        head, index = self.cycle(block, [start, *carried])
        more = self.emit(f"icmp slt {self.typed(block.arguments[0])}, {self.of(stop)}")
        self.trip(op, block, more)
        following = self.emit(f"add i64 {self.of(block.arguments[0])}, {op.data}")
        self.again(head, index, block, [following, *map(self.of, block.ends)])
        self.after(op, block.arguments[1:])

    def print_repeat(self, op: Op) -> None:
        """Prints a loop that ends where its first value is not set."""
        (block,) = op.blocks
        head, index = self.cycle(block, op.operands)
        self.trip(op, block, self.of(block.arguments[0]))
        self.again(head, index, block, [*map(self.of, block.ends)])
        self.after(op, block.arguments)

    def print_forever(self, op: Op) -> None:
        """Prints a loop that ends by leaving."""
        (block,) = op.blocks
        head, index = self.cycle(block, op.operands)
        self.block(block)
        self.again(head, index, block, [*map(self.of, block.ends)])

    def cycle(self, block: Block, firsts: Sequence[Value]) -> tuple[str, int]:
        """Begins a loop; its first label, and where `again` writes the values."""
        head, before = self.fresh("loop"), self.label
        self.do(f"br label %{head}")
        self.firsts[head] = [f"[{self.of(each)}, %{before}]" for each in firsts]
        self.start(head)
        for each in block.arguments:
            self.names[each] = f"%{self.fresh('c')}"
        return head, len(self.lines)

    def trip(self, op: Op, block: Block, more: str) -> None:
        """Writes the pass through a loop, which goes on while a bit is set."""
        body, after = self.fresh("trip"), self.fresh("done")
        self.afters[op] = after
        self.do(f"br i1 {more}, label %{body}, label %{after}")
        self.start(body)
        self.block(block)

    def again(self, head: str, index: int, block: Block, nexts: Sequence[str]) -> None:
        """Ends a pass through a loop, with what is carried on."""
        ways = self.firsts[head]
        if not block.leaves:
            ways = [
                f"{first}, [{each}, %{self.label}]"
                for first, each in zip(ways, nexts, strict=True)
            ]
            self.do(f"br label %{head}")
        self.lines[index:index] = [
            f"  {self.of(each)} = phi {each.type} {way}"
            for each, way in zip(block.arguments, ways, strict=True)
        ]

    def after(self, op: Op, results: Sequence[Op]) -> None:
        """Goes on after a loop, with what it carried last."""
        self.start(self.afters[op])
        self.results[op] = [*map(self.of, results)]


def llvm_text(
    functions: Sequence[Function],
    callees: Mapping[str, Callee] | None = None,
    pause: str = "",
    defined: Iterable[str] = (),
) -> str:
    """
    Functions as LLVM IR, with declarations of what they call but for what is `defined`
    beside them. `callees` are the kernels, and `pause` the instruction by which a loop
    waits.
    """
    bodies: list[str] = []
    called: dict[str, Signature] = {}
    tables: dict[str, tuple[int, Sequence[int]]] = {}
    for each in functions:
        printer = _Printer(each, callees or {}, pause)
        bodies.append(printer.text())
        called |= printer.called
        tables |= each.tables
    known = {*defined, *(each.signature.name for each in functions)}
    outside = dict.fromkeys(name for each in functions for name in each.outside)
    used = dict.fromkeys(_INTRINSIC.findall("".join(bodies)))
    return "".join(
        [
            *(_declaration(each) for name, each in called.items() if name not in known),
            *(f"declare {_DECLARED[each]}\n" for each in used),
            *(f"@{n} = external global i8\n" for n in outside if n not in known),
            *(_table(name, *table) for name, table in tables.items()),
            *bodies,
        ]
    )


def _table(name: str, width: int, numbers: Sequence[int]) -> str:
    """A constant array of integers of some bytes."""
    type = INTEGERS[width]
    texts = ", ".join(f"{type} {each}" for each in numbers)
    return f"@{name} = internal constant [{len(numbers)} x {type}] [{texts}]\n"


def _declaration(callee: Signature) -> str:
    """The declaration of a function that is elsewhere."""
    parameters = [*callee.parameters, *(["..."] if callee.is_variadic else [])]
    return (
        f"declare {callee.result or 'void'} @{callee.name}({', '.join(parameters)})\n"
    )
