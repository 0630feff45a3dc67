"""
What functions of the math dialect cost in registers, for those who choose loops.

A function is written as a chain of instructions on numbers such as the coefficients of
a polynomial. Where several vectors are computed side by side they share the registers
that hold these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from xdsl.ir import Operation

CONSTANTS: Mapping[str, int] = MappingProxyType(
    {
        **{"exp": 13, "exp2": 12, "expm1": 13},
        **{"log": 25, "log2": 27, "log10": 29, "log1p": 24},
        **{"tanh": 19, "sinh": 17, "cosh": 12, "asinh": 25, "acosh": 27, "atanh": 25},
        **{"sin": 15, "cos": 18, "tan": 20, "asin": 9, "acos": 10, "atan": 15},
        **{"erf": 25, "powf": 34},
        **{"roundeven": 1, "floor": 2, "ceil": 2, "trunc": 2, "round": 3},
    }
)
"""
How many numbers each function needs, in f32: those that `lowering/loop_to_llvm/math`
writes, as `test/compiler/cost/test_functions.py` checks.
"""


def constants_of(ops: Iterable[Operation]) -> int:
    """How many numbers the functions among ops need; equal functions share them."""
    names = {each.name.removeprefix("math.") for each in ops} & CONSTANTS.keys()
    return sum(CONSTANTS[each] for each in names)
