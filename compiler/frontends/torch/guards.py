"""Check the assumptions on sizes that torch made while it traced."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import torch
from torch.export import ExportedProgram
from torch.utils._sympy.functions import Max, Min
from torch.utils._sympy.value_ranges import ValueRanges, bound_sympy

from ...errors import CompileError
from .sizes import Expression, Sizes

_TORCH = Path(torch.__file__).parent


def guards_of(program: ExportedProgram) -> list[Any]:
    """
    The conditions on sizes that torch has recorded, each with its place in the code.
    """
    for node in program.graph.find_nodes(op="placeholder"):
        for size in getattr(node.meta.get("val"), "shape", ()):
            if isinstance(size, torch.SymInt):
                return list(size.node.shape_env.guards)
    return []


def check_guards(traced: list[Any], decomposed: list[Any], sizes: Sizes) -> None:
    """
    Raises `CompileError` when the program is not valid for all sizes that it allows.

    A model that tests `x.shape[0] % 2 == 0` is traced along one branch. For a named
    `Dim` torch ensures that the result never differs, or adds an assertion; for other
    sizes it only records a guard: in the trace, or, for a stored program, in its
    decomposition.
    """
    if sizes.environment is None:
        return
    defers = sizes.environment.prefer_deferred_runtime_asserts_over_guards
    proved: set[Expression] = set() if defers else sizes.given
    was_stored = not getattr(sizes.environment, "var_to_sources", {})
    for guard in decomposed if was_stored else traced:
        expression = sizes.environment.replace(guard.expr)
        symbols: set[Expression] = expression.free_symbols
        if symbols <= proved or not symbols <= set(sizes.names):
            continue
        if always_holds(expression, sizes):
            continue
        if _is_about_layout(expression, guard.sloc.framework_loc):
            continue
        raise CompileError(
            "expected a model that computes the same way for all of its sizes, got one "
            f"that torch.export traced for sizes where {in_words(expression, sizes)}; "
            "say so by a torch.export.Dim, or fix the size"
        )


def in_words(expression: Expression, sizes: Sizes) -> str:
    """The text of a condition, with sizes by name."""
    text = str(expression)
    for each, name in sizes.names.items():
        text = re.sub(rf"\b{each}\b", name, text)
    return text


def always_holds(expression: Expression, sizes: Sizes) -> bool:
    """
    Whether a condition holds for all sizes: those of inputs from two up, and all values
    of sizes that are computed at run time.
    """
    ranges: dict[Expression, Any] = {}
    for each, name in sizes.names.items():
        low, high = sizes.ranges[name]
        if name not in sizes.defined:
            low = max(low, min(2, high))
        ranges[each] = ValueRanges(low, high)
    return any(
        str(bound_sympy(each, ranges).lower) == "True"
        for each in (expression, _without_choices(expression, ranges))
    )


def _without_choices(expression: Expression, ranges: Any) -> Expression:
    """
    The expression with each `Min` and `Max` replaced by a side that it always equals.
    """

    def always_below(a: Expression, b: Expression) -> bool:
        return bound_sympy((b - a).expand(), ranges).lower >= 0

    def least(*sides: Expression) -> Expression:
        found = [a for a in sides if all(always_below(a, b) for b in sides)]
        return found[0] if found else Min(*sides)

    def greatest(*sides: Expression) -> Expression:
        found = [b for b in sides if all(always_below(a, b) for a in sides)]
        return found[0] if found else Max(*sides)

    return expression.replace(Min, least).replace(Max, greatest)


def _is_about_layout(expression: Expression, place: Any) -> bool:
    """
    Whether torch's layout rules, and not the model, tested sizes for one or equality.

    The rules are for strides and broadcasting, and do not matter here, where shapes are
    inferred again. A stored program has lost the place of a test: there, comparisons of
    bare sizes, with each other or with numbers from two up, count as the model's.
    """
    kind, (left, right) = expression.func.__name__, expression.args
    file = Path(getattr(place, "filename", ""))
    if not file.is_relative_to(_TORCH):
        return False
    if not file.is_relative_to(_TORCH / "nn"):
        is_above_one = kind in ("StrictGreaterThan", "GreaterThan") and right in (1, 2)
        return kind == "Unequality" or is_above_one
    return kind == "Unequality" and not all(
        each.is_Symbol or (each.is_Integer and each > 1) for each in (left, right)
    )
