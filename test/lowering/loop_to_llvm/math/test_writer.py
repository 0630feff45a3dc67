"""Constants are exact, and instructions are spelled as LLVM wants them."""

from __future__ import annotations

import math

import pytest

from static_runtime.lowering.loop_to_llvm.math.writer import MathValue, Writer


@pytest.mark.parametrize(
    ("number", "kind", "text"),
    [
        (1.0, "float", "0x3FF0000000000000"),
        (0.1, "float", "0x3FB99999A0000000"),
        (0.1, "double", "0x3FB999999999999A"),
        (-0.0, "double", "0x8000000000000000"),
        (math.inf, "float", "0x7FF0000000000000"),
        (2.0**-149, "float", "0x36A0000000000000"),
        (-7, "i32", "-7"),
    ],
)
def test_a_constant_is_the_nearest_number_of_its_kind(
    number: float, kind: str, text: str
):
    scalar, vector = Writer(1, fma=True), Writer(8, fma=True)
    assert kind in ("float", "double", "i32")
    assert scalar.constant(number, kind).name == text
    assert vector.constant(number, kind).name == f"splat ({kind} {text})"


def test_arithmetic_writes_one_line_per_operation():
    writer = Writer(4, fma=True)
    x = MathValue("%x", "float", writer)
    y = writer.select(x < 0.0, 1.0 - x, writer.fma(x, 2.0, x))
    assert y.kind == "float"
    assert [line.split(" = ")[1].split("<")[0].strip() for line in writer.lines] == [
        "fcmp olt",
        "fsub",
        "call",
        "select",
    ]


def test_without_fused_operations_a_product_is_rounded():
    writer = Writer(1, fma=False)
    x = MathValue("%x", "double", writer)
    writer.fma(x, x, 1.0)
    assert [line.split()[2] for line in writer.lines] == ["fmul", "fadd"]


def test_kinds_are_not_mixed():
    writer = Writer(1, fma=True)
    x = MathValue("%x", "float", writer)
    with pytest.raises(AssertionError, match="expected float, got double"):
        writer.fma(x, x, writer.widen(x))
