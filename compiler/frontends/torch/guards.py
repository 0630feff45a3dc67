"""The conditions on sizes that torch assumed while it traced: proven, or checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram
from torch.utils._sympy.functions import Mod
from torch.utils._sympy.printers import PythonPrinter
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import (
    Dim,
    SizeError,
    evaluate,
    greatest,
    is_nonnegative,
    maximum,
    minimum,
    symbol,
)
from ....dialects.graph import DefineSymbolOp, Requirement, RequireOp
from ....dialects.graph.compose import convert
from ..scaled_size import FINEST
from ..unsupported import Unsupported
from .float_numbers import holds
from .sizes import GREATEST, Expression, Sizes

ASSERTIONS = (
    "aten._assert_scalar.default",
    "aten._assert_tensor_metadata.default",
    "aten.sym_constrain_range.default",
    "aten.sym_constrain_range_for_size.default",
)
"""Operators that assert a condition; torch proves all but the first while it traces."""

_TORCH = Path(torch.__file__).parent


def guards_of(program: ExportedProgram) -> list[Any]:
    """
    The conditions on sizes that torch has recorded, each with its place in the code.
    """
    environment = _environment(program)
    return [] if environment is None else list(environment.guards)


def was_stored(program: ExportedProgram) -> bool:
    """Whether a program has open sizes and has lost what torch assumed of them."""
    environment = _environment(program)
    return environment is not None and not _has_sources(environment)


def restore(program: ExportedProgram) -> bool:
    """
    Whether all is known that torch assumed of open sizes. Of a stored program it is
    asked again what it says of them, which records that anew; raises one of torch's
    exceptions where that fails.
    """
    if not was_stored(program):
        return True
    asks = getattr(program.module(), "_guards_fn", None)
    if asks is None:
        return not getattr(program, "_guards_code", ())
    names = {*program.graph_signature.user_inputs}
    nodes = program.graph.find_nodes(op="placeholder")
    asks(*(each.meta["val"] for each in nodes if each.name in names))
    return True


def _environment(program: ExportedProgram) -> Any:
    """What torch knows of the open sizes of a program; None where it has none."""
    for node in program.graph.find_nodes(op="placeholder"):
        for size in getattr(node.meta.get("val"), "shape", ()):
            if isinstance(size, torch.SymInt):
                return size.node.shape_env
    return None


def _has_sources(environment: Any) -> bool:
    """Whether it is known where sizes come from, which no file says."""
    return bool(getattr(environment, "var_to_sources", {}))


def unproven(
    traced: list[Any], decomposed: list[Any], sizes: Sizes
) -> Iterator[tuple[Expression, str]]:
    """
    The conditions that the model tested while it was traced and that do not hold for
    all sizes, each with its place in the code.

    A model that tests `x.shape[0] % 2 == 0` is traced along one branch. For a named
    `Dim` torch ensures that the result never differs, or adds an assertion; for other
    sizes it only records a guard: in the trace, or, for a stored program, in its
    decomposition.
    """
    if sizes.environment is None:
        return
    defers = sizes.environment.prefer_deferred_runtime_asserts_over_guards
    proved: set[Expression] = set() if defers else sizes.given
    is_known = _has_sources(sizes.environment)
    for guard in traced if is_known else decomposed:
        expression = sizes.environment.replace(guard.expr)
        symbols: set[Expression] = expression.free_symbols
        if symbols <= proved or not symbols <= set(sizes.names):
            continue
        place = guard.sloc.framework_loc
        if not _is_about_layout(expression, place):
            where = "torch.export"
            if is_known and hasattr(place, "lineno"):
                where = f"{place.filename}:{place.lineno}"
            yield expression, where


def is_about_memory(condition: fx.Node) -> bool:
    """Whether a condition is one on where a view begins, which no view of ours has."""
    offset = "aten.sym_storage_offset.default"
    return any(str(each.target) == offset for each in condition.all_input_nodes)


def require(expression: Expression, sizes: Sizes, op: str = "torch._check") -> None:
    """
    Builds the check of a condition on sizes, unless it always holds; raises
    `Unsupported` for one of other quantities than sizes.
    """
    if _is_bounded(expression, sizes):
        return
    try:
        margin = _margin(expression, sizes)
    except Unsupported:
        _require_by_floats(expression, sizes, op)
        return
    if not _is_nonnegative(margin, sizes):
        shown: tuple[Dim, ...] = ()
        with suppress(Unsupported):  # only sizes are shown
            if expression.is_Relational:
                shown = tuple(map(sizes.read, expression.args))
        RequireOp.of(Requirement(margin, in_words(expression, sizes), shown), op)


def _require_by_floats(expression: Expression, sizes: Sizes, op: str) -> None:
    """
    Builds the check of a condition that floats compute from sizes, in each run; raises
    `Unsupported` for a condition on data.
    """
    text = in_words(expression, sizes)
    try:
        condition = holds(expression, sizes)
    except Unsupported as why:
        raise Unsupported(f"{why}, of which {text}") from why
    must_hold(condition, text, sizes, op)


def must_hold(condition: SSAValue, text: str, sizes: Sizes, op: str) -> None:
    """Builds the check that a truth, of rank 0, is true in each run."""
    name = sizes.fresh("assumed", 0, 1)
    sizes.defined.add(name)
    DefineSymbolOp(convert(condition, i64), symbol=name, low="0", high="1")
    RequireOp.of(Requirement(symbol(name) - 1, text), op)


def in_words(expression: Expression, sizes: Sizes) -> str:
    """The text of a condition, with sizes by name."""
    text = PythonPrinter().doprint(expression)
    for each, name in sizes.names.items():
        text = re.sub(rf"\b{each}\b", name, text)
    return text


_MARGINS: dict[str, Callable[[Dim, Dim], Dim]] = {
    "GreaterThan": lambda a, b: a - b,
    "LessThan": lambda a, b: b - a,
    "StrictGreaterThan": lambda a, b: a - b - 1,
    "StrictLessThan": lambda a, b: b - a - 1,
    "Equality": lambda a, b: minimum(a - b, b - a),
    "Unequality": lambda a, b: maximum(a - b, b - a) - 1,
}
"""What is not negative where a relation of two sizes holds, by sympy's names."""


def _margin(expression: Expression, sizes: Sizes) -> Dim:
    """What is not negative where a condition holds; raises `Unsupported`."""
    match expression.func.__name__:
        case "And" | "Or" as joins:
            parts = [_margin(each, sizes) for each in expression.args]
            return reduce(minimum if joins == "And" else maximum, parts)
        case "Not":
            return -1 - _margin(expression.args[0], sizes)
        case kind if kind in _MARGINS:
            (a, b), (c, d) = (_fraction(each, sizes) for each in expression.args)
            return _MARGINS[kind](a * d, c * b)
        case kind:
            raise Unsupported(f"a condition computed by {kind}")


def _fraction(expression: Expression, sizes: Sizes) -> tuple[Dim, Dim]:
    """The numerator and the denominator of a side of a relation, as integers."""
    if expression.is_Float:
        ratio = Fraction(float(expression))
        # Others are no more than near to what floats round to.
        if ratio.denominator <= FINEST:
            return ratio.numerator, ratio.denominator
    match expression.func.__name__:
        case "ToFloat":
            return sizes.read(expression.args[0]), 1
        case "IntTrueDiv":
            whole, by = map(sizes.read, expression.args)
            if _is_nonnegative(by - 1, sizes):
                return whole, by
        case _:
            pass
    return sizes.read(expression), 1


def _ranges(sizes: Sizes) -> dict[str, tuple[int, int]]:
    """The ranges of sizes that are meant: of inputs torch looks at two and more."""
    return {
        name: (low if name in sizes.defined else max(low, min(2, high)), high)
        for name, (low, high) in sizes.ranges.items()
    }


def _is_bounded(expression: Expression, sizes: Sizes) -> bool:
    """Whether a condition holds as torch bounds it."""
    ranges = _ranges(sizes)
    known = {each: ValueRanges(*ranges[name]) for each, name in sizes.names.items()}
    return str(bound_sympy(expression, known).lower) == "True"


def _is_nonnegative(margin: Dim, sizes: Sizes) -> bool:
    """Whether a quantity is not negative for all sizes."""
    ranges = _ranges(sizes)
    lows = {name: low for name, (low, _) in ranges.items()}
    limited = {
        name: (0, high - low) for name, (low, high) in ranges.items() if high < GREATEST
    }
    with suppress(SizeError):  # a bound of a product may be too large
        moved = evaluate(margin, {name: symbol(name) + lows[name] for name in lows})
        if is_nonnegative(-greatest(-moved, limited), {}):
            return True
    return is_nonnegative(margin, lows)


def _is_about_layout(expression: Expression, place: Any) -> bool:
    """
    Whether torch's layout rules, and not the model, tested sizes for one or equality.

    The rules are for strides and broadcasting, and do not matter here, where shapes are
    inferred again. A stored program has lost the place of a test: there, a size that is
    not 1 counts as theirs.
    """
    file = Path(getattr(place, "filename", ""))
    if not expression.is_Relational or not file.is_relative_to(_TORCH):
        return False
    kind, (left, right) = expression.func.__name__, expression.args
    if file.is_relative_to(_TORCH / "nn"):
        return kind == "Unequality" and right == 1 and not left.has(Mod)
    is_above_one = kind in ("StrictGreaterThan", "GreaterThan") and right in (1, 2)
    return kind == "Unequality" or is_above_one
