"""Writes the body of one branch-free function as LLVM IR text, scalar or vector."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

Element: TypeAlias = Literal["f32", "f64"]
Kind: TypeAlias = Literal["float", "double", "i32", "i64", "i1"]
Operand: TypeAlias = "MathValue | float"


@dataclass(frozen=True)
class Format:
    """What a recipe must know of a floating-point format."""

    element: Element
    kind: Kind
    integer: Kind
    bits: int
    fraction: int
    """Bits of the fraction that are stored."""

    bias: int
    """What is added to an exponent before it is stored."""

    @property
    def rounder(self) -> float:
        """Added to a smaller number, leaves its nearest integer in the low bits."""
        return 1.5 * 2.0**self.fraction

    @property
    def one(self) -> int:
        """The bits of 1.0."""
        return self.bias << self.fraction


F32 = Format("f32", "float", "i32", bits=32, fraction=23, bias=127)
F64 = Format("f64", "double", "i64", bits=64, fraction=52, bias=1023)
FORMATS: dict[Element, Format] = {"f32": F32, "f64": F64}


@dataclass(frozen=True)
class MathValue:
    """A value of the function being written; arithmetic on it writes instructions."""

    name: str
    kind: Kind
    writer: Writer = field(repr=False)

    def __add__(self, other: Operand) -> MathValue:
        return self.writer.binary("add", self, other)

    def __radd__(self, other: float) -> MathValue:
        return self.writer.binary("add", other, self)

    def __sub__(self, other: Operand) -> MathValue:
        return self.writer.binary("sub", self, other)

    def __rsub__(self, other: float) -> MathValue:
        return self.writer.binary("sub", other, self)

    def __mul__(self, other: Operand) -> MathValue:
        return self.writer.binary("mul", self, other)

    def __rmul__(self, other: float) -> MathValue:
        return self.writer.binary("mul", other, self)

    def __truediv__(self, other: Operand) -> MathValue:
        return self.writer.binary("div", self, other)

    def __rtruediv__(self, other: float) -> MathValue:
        return self.writer.binary("div", other, self)

    def __neg__(self) -> MathValue:
        return self.writer.negate(self)

    def __and__(self, other: Operand) -> MathValue:
        return self.writer.bitwise("and", self, other)

    def __or__(self, other: Operand) -> MathValue:
        return self.writer.bitwise("or", self, other)

    def __xor__(self, other: Operand) -> MathValue:
        return self.writer.bitwise("xor", self, other)

    def __lshift__(self, amount: int) -> MathValue:
        return self.writer.bitwise("shl", self, amount)

    def __rshift__(self, amount: int) -> MathValue:
        """The bits moved down, with zeros from above."""
        return self.writer.bitwise("lshr", self, amount)

    def __lt__(self, other: Operand) -> MathValue:
        return self.writer.compare("lt", self, other)

    def __gt__(self, other: Operand) -> MathValue:
        return self.writer.compare("gt", self, other)

    def __ge__(self, other: Operand) -> MathValue:
        return self.writer.compare("ge", self, other)

    def equals(self, other: Operand) -> MathValue:
        """Where both are the same number, so nowhere for NaN."""
        return self.writer.compare("eq", self, other)


class Writer:
    """
    The lines of one function, each value in all lanes at once.

    A recipe written against this class has the same roundings for every number of
    lanes, because no instruction it writes looks across lanes. With `fma` False a fused
    multiply-add becomes a product and a sum, both rounded.
    """

    def __init__(self, lanes: int, fma: bool) -> None:
        self.lanes = lanes
        self.has_fma = fma
        self.lines: list[str] = []

    def type(self, kind: Kind) -> str:
        """The LLVM type of all lanes of a kind."""
        return kind if self.lanes == 1 else f"<{self.lanes} x {kind}>"

    def suffix(self, kind: Kind) -> str:
        """What ends the name of an intrinsic on all lanes of a kind."""
        width = {"float": "f32", "double": "f64"}.get(kind, kind)
        return width if self.lanes == 1 else f"v{self.lanes}{width}"

    def constant(self, number: float, kind: Kind) -> MathValue:
        """A number in every lane; a float is rounded to the kind, its text is exact."""
        text = _literal(number, kind)
        if self.lanes > 1:
            text = f"splat ({kind} {text})"
        return MathValue(text, kind, self)

    def value(self, operand: Operand, kind: Kind) -> MathValue:
        """An operand that may be a number, as a value of a kind."""
        if isinstance(operand, MathValue):
            assert operand.kind == kind, f"expected {kind}, got {operand.kind}"
            return operand
        return self.constant(operand, kind)

    def emit(self, kind: Kind, instruction: str) -> MathValue:
        """The result of an instruction, given as text."""
        name = f"%v{len(self.lines)}"
        self.lines.append(f"  {name} = {instruction}")
        return MathValue(name, kind, self)

    def pair(self, a: Operand, b: Operand) -> tuple[MathValue, MathValue]:
        """Two operands of one kind; one may be a number."""
        one = a if isinstance(a, MathValue) else b
        assert isinstance(one, MathValue), "an instruction needs an operand with a type"
        return self.value(a, one.kind), self.value(b, one.kind)

    def binary(self, operation: str, a: Operand, b: Operand) -> MathValue:
        """Addition, subtraction, multiplication or division."""
        a, b = self.pair(a, b)
        prefix = "f" if a.kind in ("float", "double") else ""
        return self.emit(
            a.kind, f"{prefix}{operation} {self.type(a.kind)} {a.name}, {b.name}"
        )

    def bitwise(self, operation: str, a: Operand, b: Operand) -> MathValue:
        """An operation on the bits of integers."""
        a, b = self.pair(a, b)
        return self.emit(a.kind, f"{operation} {self.type(a.kind)} {a.name}, {b.name}")

    def negate(self, a: MathValue) -> MathValue:
        """The number with its sign turned, also of zero and NaN."""
        return self.emit(a.kind, f"fneg {self.type(a.kind)} {a.name}")

    def compare(self, relation: str, a: Operand, b: Operand) -> MathValue:
        """Where a relation holds, never for NaN; integers are compared as signed."""
        a, b = self.pair(a, b)
        if a.kind in ("float", "double"):
            head = f"fcmp o{relation}"
        else:
            head = f"icmp {relation if relation == 'eq' else 's' + relation}"
        return self.emit("i1", f"{head} {self.type(a.kind)} {a.name}, {b.name}")

    def differs(self, a: Operand, b: Operand) -> MathValue:
        """Where two integers are not the same."""
        a, b = self.pair(a, b)
        return self.emit("i1", f"icmp ne {self.type(a.kind)} {a.name}, {b.name}")

    def both(self, a: MathValue, b: MathValue) -> MathValue:
        """Where two conditions hold."""
        return self.bitwise("and", a, b)

    def either(self, a: MathValue, b: MathValue) -> MathValue:
        """Where at least one of two conditions holds."""
        return self.bitwise("or", a, b)

    def select(self, condition: MathValue, a: Operand, b: Operand) -> MathValue:
        """The first where the condition holds, else the second."""
        a, b = self.pair(a, b)
        type = self.type(a.kind)
        flags = f"{self.type('i1')} {condition.name}"
        return self.emit(a.kind, f"select {flags}, {type} {a.name}, {type} {b.name}")

    def call(self, intrinsic: str, *arguments: MathValue) -> MathValue:
        """An intrinsic whose operands and result are of one type."""
        kind = arguments[0].kind
        type = self.type(kind)
        text = ", ".join(f"{type} {each.name}" for each in arguments)
        return self.emit(
            kind, f"call {type} @llvm.{intrinsic}.{self.suffix(kind)}({text})"
        )

    def cast(self, instruction: str, a: MathValue, kind: Kind) -> MathValue:
        """A value turned into another kind by an instruction of that name."""
        return self.emit(
            kind, f"{instruction} {self.type(a.kind)} {a.name} to {self.type(kind)}"
        )

    def fma(self, a: Operand, b: Operand, c: Operand) -> MathValue:
        """`a * b + c`, rounded once if the target can."""
        kind = next(each for each in (a, b, c) if isinstance(each, MathValue)).kind
        a, b, c = self.value(a, kind), self.value(b, kind), self.value(c, kind)
        return self.call("fma", a, b, c) if self.has_fma else a * b + c

    def absolute(self, a: MathValue) -> MathValue:
        """The magnitude."""
        return self.call("fabs", a)

    def copysign(self, magnitude: Operand, sign: MathValue) -> MathValue:
        """The magnitude of the first with the sign of the second."""
        return self.call("copysign", self.value(magnitude, sign.kind), sign)

    def sqrt(self, a: MathValue) -> MathValue:
        """The square root, correctly rounded."""
        return self.call("sqrt", a)

    def lower_limit(self, a: MathValue, limit: Operand) -> MathValue:
        """The larger of both; NaN stays."""
        return self.select(a < limit, limit, a)

    def upper_limit(self, a: MathValue, limit: Operand) -> MathValue:
        """The smaller of both; NaN stays."""
        return self.select(a > limit, limit, a)

    def polynomial(
        self, x: MathValue, coefficients: Sequence[float], chains: int = 1
    ) -> MathValue:
        """
        The polynomial with the coefficient of the lowest power first (Horner).

        With two or four chains that many are computed beside each other, of every
        second or fourth power, so that a long one is not as long a wait.
        """
        if chains > 1:
            even = self.polynomial(x * x, coefficients[::2], chains // 2)
            odd = self.polynomial(x * x, coefficients[1::2], chains // 2)
            return self.fma(odd, x, even)
        result: Operand = coefficients[-1]
        for each in reversed(coefficients[:-1]):
            result = self.fma(result, x, each)
        return self.value(result, x.kind)

    def bits(self, a: MathValue) -> MathValue:
        """The representation of a float as an integer."""
        return self.cast("bitcast", a, format_of(a).integer)

    def from_bits(self, a: MathValue) -> MathValue:
        """The float that an integer represents."""
        return self.cast("bitcast", a, "float" if a.kind == "i32" else "double")

    def widen(self, a: MathValue) -> MathValue:
        """An f32 as f64, exactly."""
        return self.cast("fpext", a, "double")

    def narrow(self, a: MathValue) -> MathValue:
        """An f64 rounded to f32."""
        return self.cast("fptrunc", a, "float")


def format_of(a: MathValue) -> Format:
    """The format of a floating-point value."""
    return F32 if a.kind == "float" else F64


def _literal(number: float, kind: Kind) -> str:
    """The text of a constant; a float is printed as the bits of a double, exactly."""
    if kind not in ("float", "double"):
        return str(number)
    if kind == "float" and math.isfinite(number):
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    return f"0x{struct.unpack('<Q', struct.pack('<d', number))[0]:016X}"
