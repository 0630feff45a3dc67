"""Floats become integers by saturation, in vectors as one by one."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from xdsl.dialects import arith, math, test
from xdsl.dialects.builtin import FloatAttr, f32, f64, i8, i32, i64
from xdsl.ir import SSAValue

import static_runtime as sr
from static_runtime.lowering.loop_to_llvm.text.function import FunctionWriter
from static_runtime.lowering.loop_to_llvm.text.saturation import (
    is_rounded_by_conversion,
    limits,
    rounds_first,
    saturate,
)
from static_runtime.lowering.loop_to_llvm.text.types import Value

from ....as_host import skip_unless_runs


def held(*bounds: tuple[str, float]) -> SSAValue:
    """A float that is held to numbers, the first of them first."""
    value = test.TestOp(result_types=[f32]).results[0]
    for name, number in bounds:
        limit = arith.ConstantOp(FloatAttr(number, f32))
        op = arith.MaximumfOp if name == "min" else arith.MinimumfOp
        value = op(value, limit).result
    return value


@pytest.mark.parametrize(
    ("bounds", "expected"),
    [
        ((), (-inf, inf)),
        ((("min", 2.0),), (2.0, inf)),
        ((("max", 2.0),), (-inf, 2.0)),
        ((("min", -128.0), ("max", 127.0)), (-128.0, 127.0)),
        ((("max", 127.0), ("min", -128.0)), (-128.0, 127.0)),
        # The limit that comes last counts where they contradict each other.
        ((("min", 9.0), ("max", 1.0)), (1.0, 1.0)),
        ((("max", 1.0), ("min", 9.0)), (9.0, 9.0)),
    ],
)
def test_what_a_value_was_held_to(
    bounds: tuple[tuple[str, float], ...], expected: tuple[float, float]
):
    assert limits(held(*bounds)) == expected


@pytest.mark.parametrize(
    ("bounds", "selects"),
    [
        ((), 3),
        ((("min", 0.0),), 2),
        ((("max", 9.0),), 2),
        ((("min", -128.0), ("max", 127.0)), 1),
        # The first number that is none is 2 ** 31.
        ((("min", -(2.0**31)), ("max", 2.0**31)), 2),
    ],
)
def test_limits_leave_less_to_do(bounds: tuple[tuple[str, float], ...], selects: int):
    w = FunctionWriter({})
    op = arith.FPToSIOp(held(*bounds), i32)
    result = saturate(w, op, Value("%x", f32, 8))
    assert (result.type, result.lanes) == (i32, 8)
    text = "\n".join(w.lines)
    assert text.count(" select ") == selects
    assert ".sat." not in text


def test_other_integers_are_left_to_llvm():
    for lanes, type in ((1, i32), (1, i64), (8, i8)):
        w = FunctionWriter({})
        saturate(w, arith.FPToSIOp(held(), type), Value("%x", f64, lanes))
        assert "@llvm.fptosi.sat." in w.lines[-1]


def chosen(*bounds: tuple[str, float]) -> SSAValue:
    """A float that numbers are chosen for where it is beyond them, or is NaN."""
    value = test.TestOp(result_types=[f32]).results[0]
    for name, number in bounds:
        limit = arith.ConstantOp(FloatAttr(number, f32)).result
        inside = arith.CmpfOp(value, limit, "ogt" if name == "min" else "olt").result
        value = arith.SelectOp(inside, value, limit).result
    return value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (chosen(("min", -9.0), ("max", 9.0)), True),
        (chosen(("max", 9.0), ("min", -9.0)), True),
        # Beyond 32 bits, or NaN.
        (chosen(("min", -9.0)), False),
        (chosen(("min", -9.0), ("max", 2.0**31)), False),
        (held(("min", -9.0), ("max", 9.0)), False),
    ],
)
def test_what_is_held_is_rounded_by_its_conversion(value: SSAValue, expected: bool):
    rounded = math.RoundEvenOp(value)
    op = arith.FPToSIOp(rounded.result, i32)
    assert is_rounded_by_conversion(rounded) == rounds_first(op) == expected
    w = FunctionWriter({})
    saturate(w, op, Value("%x", f32, 8))
    assert ("@llvm.lrint.v8i32.v8f32" in w.lines[-1]) == expected


def test_what_has_another_user_is_rounded_for_it():
    rounded = math.RoundEvenOp(chosen(("min", -9.0), ("max", 9.0)))
    arith.FPToSIOp(rounded.result, i32)
    arith.NegfOp(rounded.result)
    assert not is_rounded_by_conversion(rounded)


NUMBERS = [
    *(np.nan, np.inf, -np.inf, 0.0, -0.0, 0.9, -0.9, 126.9, 1e20, -1e20),
    *(2.0**31, -(2.0**31), 2.0**31 - 128, 2.0**31 + 256, -(2.0**31) - 256),
    *(2.0**63, -(2.0**63), 2.0**63 - 2.0**39, 2.0**63 + 2.0**40, -(2.0**63) - 2.0**40),
]


def truncated(number: float, bits: int) -> int:
    """The integer of this width that a float becomes."""
    if np.isnan(number):
        return 0
    least, most = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    if np.isinf(number):
        return most if number > 0 else least
    return min(max(int(number), least), most)


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3", "host"])
@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize(
    "bounds",
    [
        (-128.0, 127.0),
        (-3e9, 3e9),
        (-5e15, 5.0),
        (-(2.0**31), 2.0**31),
        (-(2.0**70), 2.0**70),
    ],
)
def test_numbers(bounds: tuple[float, float], bits: int, element: str, target: str):
    least, most = bounds
    x, y = f"tensor<37x{element}>", f"tensor<37xi{bits}>"
    text = f"""func.func @main(%x: {x}) -> {y} {{
      %1 = graph.clamp %x {{min = {least} : f64, max = {most} : f64}} : {x} -> {x}
      %2 = graph.cast %1 {{to = i{bits}}} : {x} -> {y}
      func.return %2 : {y}
    }}"""
    skip_unless_runs(target)
    dtype = np.float32 if element == "f32" else np.float64
    numbers = np.resize(np.array(NUMBERS, dtype), 37)
    model = sr.compile(text, target=target, options=sr.Options(cache=False, threads=1))
    held = np.clip(numbers, dtype(least), dtype(most)).astype(np.float64)
    expected = [truncated(each, bits) for each in held.tolist()]
    np.testing.assert_array_equal(model(numbers), np.array(expected, f"i{bits // 8}"))
