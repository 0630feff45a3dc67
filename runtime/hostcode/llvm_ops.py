"""Print ops of the host level as LLVM IR, one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..abi import LIMIT, ContextLayout
from .function import (
    INT32,
    WORD,
    Function,
    Op,
    Signature,
    Value,
    type_of,
)

_DIRECT = {
    **{each: each for each in ("add", "sub", "mul", "and", "or", "xor", "shl", "lshr")},
    **{each: f"icmp {each}" for each in ("eq", "ne", "ult", "ule")},
    **{"lt": "icmp slt", "le": "icmp sle"},
}
"""The instructions of ops that are one."""

CALLED = {"min": "smin", "max": "smax", "umin": "umin", "umax": "umax"}
"""The intrinsics of ops that are one."""

INTEGERS = {1: "i8", 4: INT32, 8: WORD}
"""LLVM's integers of some bytes."""


@dataclass(frozen=True)
class Callee:
    """What a program calls as a kernel."""

    signature: Signature
    is_shared: bool = False
    """Whether it takes the context first, to let threads share its work."""

    @property
    def fails(self) -> bool:
        """Whether it takes the address of what was wrong, and returns a status."""
        return self.signature.result is not None


class OpPrinter:
    """Prints the ops of one function that have no blocks."""

    def __init__(self, function: Function, callees: Mapping[str, Callee], pause: str):
        self.function, self.callees, self.pause = function, callees, pause
        self.lines: list[str] = []
        self.allocas: list[str] = []
        """The arrays on the stack, which the entry makes."""
        self.names: dict[Op, str] = {
            each: f"%p{at}" for at, each in enumerate(function.parameters)
        }
        self.called: dict[str, Signature] = {}
        self.results: dict[Op, list[str]] = {}
        """What ops with blocks end with."""
        self.labels = 0
        self.label = "entry"

    def of(self, value: Value) -> str:
        """A value without its type."""
        if not isinstance(value, Op):
            return str(value).lower()
        if value.name == "result":
            around = value.operands[0]
            assert isinstance(around, Op), "a result is of an op"
            number: int = value.data
            return self.results[around][number]
        return "null" if value.name == "null" else self.names[value]

    def typed(self, value: Value, type: str | None = None) -> str:
        """A value with its type, cut where that is `INT32`."""
        text = self.of(value)
        if type == INT32 and isinstance(value, Op):
            text = self.emit(f"trunc i64 {text} to i32")
        return f"{type or type_of(value)} {text}"

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        self.labels += 1
        return f"{stem}{self.labels}"

    def emit(self, instruction: str) -> str:
        """Writes an instruction with a result, which is named."""
        name = f"%{self.fresh('v')}"
        self.lines.append(f"  {name} = {instruction}")
        return name

    def do(self, instruction: str) -> None:
        """Writes an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def start(self, label: str) -> None:
        """Begins a basic block."""
        self.lines.append(f"{label}:")
        self.label = label

    def op(self, op: Op) -> None:
        """Prints an op."""
        if op.name in _DIRECT:
            a, b = op.operands
            text = f"{_DIRECT[op.name]} {self.typed(a)}, {self.of(b)}"
            self.names[op] = self.emit(text)
        elif op.name in CALLED:
            function = f"@llvm.{CALLED[op.name]}.i64"
            a, b = map(self.of, op.operands)
            self.names[op] = self.emit(f"call i64 {function}(i64 {a}, i64 {b})")
        else:
            getattr(self, f"print_{op.name}")(op)

    def print_floordiv(self, op: Op) -> None:
        """Prints a quotient that is rounded down."""
        a, b = map(self.of, op.operands)
        by = op.operands[1]
        if not isinstance(by, Op) and by > 0 and by & (by - 1) == 0:
            self.names[op] = self.emit(f"ashr i64 {a}, {by.bit_length() - 1}")
            return
        # C's quotient, less one where that was rounded up; a divisor that is zero, or
        # makes the least number overflow, is replaced.
        none = self.emit(f"icmp eq i64 {b}, 0")
        minus = self.emit(f"icmp eq i64 {b}, -1")
        replaced = self.emit(f"or i1 {none}, {minus}")
        safe = self.emit(f"select i1 {replaced}, i64 1, i64 {b}")
        quotient = self.emit(f"sdiv i64 {a}, {safe}")
        rest = self.emit(f"srem i64 {a}, {safe}")
        differs = self.emit(f"xor i64 {rest}, {safe}")
        negative = self.emit(f"icmp slt i64 {differs}, 0")
        inexact = self.emit(f"icmp ne i64 {rest}, 0")
        below = self.emit(f"and i1 {negative}, {inexact}")
        less = self.emit(f"sext i1 {below} to i64")
        floor = self.emit(f"add i64 {quotient}, {less}")
        negated = self.emit(f"sub i64 0, {a}")
        signed = self.emit(f"select i1 {minus}, i64 {negated}, i64 {floor}")
        self.names[op] = self.emit(f"select i1 {none}, i64 0, i64 {signed}")

    def print_add_capped(self, op: Op) -> None:
        """Prints a sum, or the limit."""
        a, b = map(self.of, op.operands)
        total = self.emit(f"add i64 {a}, {b}")
        self.names[op] = self.emit(f"call i64 @llvm.umin.i64(i64 {total}, i64 {LIMIT})")

    def print_mul_capped(self, op: Op) -> None:
        """Prints a product, or the limit."""
        a, b = map(self.of, op.operands)
        both = self.emit(
            f"call {{i64, i1}} @llvm.umul.with.overflow.i64(i64 {a}, i64 {b})"
        )
        product = self.emit(f"extractvalue {{i64, i1}} {both}, 0")
        over = self.emit(f"extractvalue {{i64, i1}} {both}, 1")
        least = self.emit(f"call i64 @llvm.umin.i64(i64 {product}, i64 {LIMIT})")
        self.names[op] = self.emit(f"select i1 {over}, i64 {LIMIT}, i64 {least}")

    def print_select(self, op: Op) -> None:
        """Prints a choice."""
        bit, one, other = map(self.typed, op.operands)
        self.names[op] = self.emit(f"select {bit}, {one}, {other}")

    def print_offset(self, op: Op) -> None:
        """Prints an address after another."""
        base, bytes = map(self.typed, op.operands)
        self.names[op] = self.emit(f"getelementptr i8, {base}, {bytes}")

    def print_number(self, op: Op) -> None:
        """Prints an address as an integer."""
        self.names[op] = self.emit(f"ptrtoint {self.typed(op.operands[0])} to i64")

    def print_table(self, op: Op) -> None:
        """Names an array or what is elsewhere."""
        self.names[op] = f"@{op.data}"

    def field(self, address: Value, bytes: int) -> str:
        """The address of what is some bytes after another."""
        base = self.typed(address)
        if bytes:
            return f"ptr {self.emit(f'getelementptr i8, {base}, i64 {bytes}')}"
        return base

    def print_load(self, op: Op) -> None:
        """Prints a load, widened to a word."""
        bytes, width, is_volatile = op.data
        address = self.field(op.operands[0], bytes)
        kind = "load volatile" if is_volatile else "load"
        type = INTEGERS[width] if op.type == WORD else op.type
        loaded = self.emit(f"{kind} {type}, {address}, align {width}")
        if width < 8:
            loaded = self.emit(f"zext {type} {loaded} to i64")
        self.names[op] = loaded

    def print_store(self, op: Op) -> None:
        """Prints a store, cut to its width."""
        value, address = op.operands
        bytes, width = op.data
        text = self.typed(value)
        if width < 8:
            type = INTEGERS[width]
            if isinstance(value, Op):
                text = self.emit(f"trunc {text} to {type}")
            text = f"{type} {text.split()[-1]}"
        self.do(f"store {text}, {self.field(address, bytes)}, align {width}")

    def print_alloca(self, op: Op) -> None:
        """Prints an array on the stack, at the entry where its size is known."""
        (count,) = op.operands
        type = INTEGERS[op.data]
        if isinstance(count, Op):
            made = self.emit(f"alloca {type}, i64 {self.of(count)}, align 8")
        else:
            made = f"%{self.fresh('r')}"
            self.allocas.append(f"  {made} = alloca [{count} x {type}], align 8")
        self.names[op] = made

    def print_call(self, op: Op) -> None:
        """Prints a call by name."""
        callee: Signature = op.data
        self.called[callee.name] = callee
        self.finish_call(op, callee, f"@{callee.name}", op.operands)

    def print_call_address(self, op: Op) -> None:
        """Prints a call of an address."""
        self.finish_call(op, op.data, self.of(op.operands[0]), op.operands[1:])

    def finish_call(
        self, op: Op, kind: Signature, callee: str, values: Sequence[Value]
    ) -> None:
        """Writes a call, whose result is extended to a word."""
        types = [*kind.parameters, *([None] * len(values))]
        arguments = ", ".join(map(self.typed, values, types))
        shape = kind.result or "void"
        if kind.is_variadic:
            shape += f" ({', '.join([*kind.parameters, '...'])})"
        text = f"call {shape} {callee}({arguments})"
        if kind.result is None:
            self.do(text)
            return
        result = self.emit(text)
        if kind.result == INT32:
            result = self.emit(f"sext i32 {result} to i64")
        self.names[op] = result

    def print_words(self, op: Op) -> None:
        """Prints an array on the stack with some words."""
        made = self.names[op] = f"%{self.fresh('r')}"
        self.allocas.append(f"  {made} = alloca [{len(op.operands)} x i64], align 8")
        # What is known beforehand is copied, and the rest stored over it.
        table = f"words.{self.function.signature.name}.{made[1:]}"
        known = [0 if isinstance(each, Op) else int(each) for each in op.operands]
        self.function.tables[table] = 8, known
        self.do(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {made}, ptr @{table}, "
            f"i64 {8 * len(known)}, i1 false)"
        )
        for at, each in enumerate(op.operands):
            if isinstance(each, Op):
                self.do(f"store {self.typed(each)}, {self.field(op, 8 * at)}, align 8")

    def print_word(self, op: Op) -> None:
        """Prints a load of a word."""
        address = self.field(op.operands[0], 8 * op.data)
        self.names[op] = self.emit(f"load i64, {address}, align 8")

    def print_call_words(self, op: Op) -> None:
        """Prints a call on words."""
        callee: Signature = op.data
        self.called[callee.name] = callee
        self.emit(f"call i32 @{callee.name}({', '.join(map(self.typed, op.operands))})")

    def print_kernel(self, op: Op) -> None:
        """Prints the call of a kernel, and the end of a run that it fails in."""
        name, number = op.data
        callee = self.callees[name]
        context, *values = op.operands
        function = f"@{callee.signature.name}"
        self.called[callee.signature.name] = callee.signature
        arguments = [*map(self.typed, values)]
        if callee.is_shared:
            arguments.insert(0, self.typed(context))
        if not callee.fails:
            self.do(f"call void {function}({', '.join(arguments)})")
            return
        arguments.append(self.field(context, 8 * ContextLayout.ERROR))
        status = self.emit(f"call i32 {function}({', '.join(arguments)})")
        bad = self.emit(f"icmp ne i32 {status}, 0")
        failed, good = self.fresh("failed"), self.fresh("good")
        self.do(f"br i1 {bad}, label %{failed}, label %{good}")
        self.start(failed)
        noted = self.field(context, 8 * ContextLayout.FAILED)
        self.do(f"store i64 {number}, {noted}, align 8")
        self.do(f"ret i32 {status}")
        self.start(good)

    def print_atomic(self, op: Op) -> None:
        """Prints an atomic access."""
        kind, ordering, width = op.data
        type, address = INTEGERS[width], self.typed(op.operands[0])
        values = [self.cut(each, width) for each in op.operands[1:]]
        match kind:
            case "load":
                loaded = self.emit(
                    f"load atomic {type}, {address} {ordering}, align {width}"
                )
                self.names[op] = self.widened(loaded, type)
            case "store":
                (value,) = values
                text = f"store atomic {type} {value}, {address} {ordering}"
                self.do(f"{text}, align {width}")
            case "exchange":
                old, new = values
                swapped = f"{address}, {type} {old}, {type} {new}"
                both = self.emit(f"cmpxchg {swapped} {ordering} monotonic")
                self.names[op] = self.emit(f"extractvalue {{{type}, i1}} {both}, 1")
            case _:
                (value,) = values
                text = f"atomicrmw {kind} {address}, {type} {value} {ordering}"
                self.names[op] = self.widened(self.emit(text), type)

    def cut(self, value: Value, width: int) -> str:
        """An integer of some bytes."""
        if width == 8 or not isinstance(value, Op):
            return self.of(value)
        return self.emit(f"trunc i64 {self.of(value)} to {INTEGERS[width]}")

    def widened(self, text: str, type: str) -> str:
        """An integer of any bytes as a word."""
        return text if type == WORD else self.emit(f"zext {type} {text} to i64")

    def print_pause(self, op: Op) -> None:
        """Prints what a loop does that waits."""
        self.do(self.pause)
