"""
Math functions as LLVM IR text: no branch, no call, no table, any number of lanes.

But `remainder`, which has a loop and computes lane by lane.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    error_function,
    exponential,
    hyperbolic,
    inverse_hyperbolic,
    inverse_trigonometric,
    logarithm,
    power,
    remainder,
    rounding,
    trigonometric,
)
from .declarations import declarations
from .function import Function
from .writer import FORMATS, Element, MathValue, Writer

__all__ = [
    "ARGUMENTS",
    "Element",
    "FAMILIES",
    "FUNCTIONS",
    "NOT_ABOVE_ZERO",
    "WRITTEN",
    "declarations",
    "define",
    "symbol",
]


FAMILIES = (
    exponential,
    logarithm,
    hyperbolic,
    inverse_hyperbolic,
    trigonometric,
    inverse_trigonometric,
    error_function,
    power,
    rounding,
)

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {each.name: each for family in FAMILIES for each in family.FUNCTIONS}
)
"""By the name of the op in MLIR's math dialect, without `math.`."""

NOT_ABOVE_ZERO: Mapping[str, Function] = MappingProxyType(
    {
        each.name.removesuffix("_not_above_zero"): each
        for each in exponential.NOT_ABOVE_ZERO
    }
)
"""What computes the bits of a function for arguments at most zero, or NaN."""

WRITTEN: Mapping[str, Function] = MappingProxyType(
    {**FUNCTIONS, **{each.name: each for each in NOT_ABOVE_ZERO.values()}}
)
"""All that can be defined, by name."""

ARGUMENTS = ("x", "y")


def symbol(name: str, element: Element, lanes: int) -> str:
    """What a function is called in a module's text."""
    width = element if lanes == 1 else f"v{lanes}{element}"
    return f"@sr.{name}.{width}"


def define(name: str, element: Element, lanes: int, fma: bool) -> str:
    """
    The definition of a function, to be inlined where it is called.

    The intrinsics that it calls are left to `declarations`; a vector of remainders
    calls the function of one lane, which is defined beside it. `fma` says whether the
    target multiplies and adds in one instruction. Raises KeyError for a name that is
    neither in `FUNCTIONS` nor that of a function in `NOT_ABOVE_ZERO`.
    """
    if name == remainder.NAME:
        one, all = (symbol(name, element, each) for each in (1, lanes))
        return remainder.define_remainder(element, lanes, one, all)
    function = WRITTEN[name]
    writer = Writer(lanes, fma)
    kind = FORMATS[element].kind
    type = writer.type(kind)
    names = [f"%{each}" for each in ARGUMENTS[: function.arity]]
    result = function.write(writer, *(MathValue(each, kind, writer) for each in names))
    head = ", ".join(f"{type} {each}" for each in names)
    attributes = "alwaysinline nounwind willreturn memory(none)"
    return "\n".join(
        [
            f"define internal {type} {symbol(name, element, lanes)}({head}) "
            f"{attributes} {{",
            *writer.lines,
            f"  ret {type} {result.name}",
            "}",
            "",
        ]
    )
