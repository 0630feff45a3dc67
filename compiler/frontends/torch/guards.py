"""What torch took for granted of sizes while it traced, and whether all sizes obey."""

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

TORCH = Path(torch.__file__).parent


def guards_of(program: ExportedProgram) -> list[Any]:
    """The conditions on sizes that torch has noted so far, each with who asked."""
    for node in program.graph.find_nodes(op="placeholder"):
        for size in getattr(node.meta.get("val"), "shape", ()):
            if isinstance(size, torch.SymInt):
                return list(size.node.shape_env.guards)
    return []


def check_guards(traced: list[Any], decomposed: list[Any], sizes: Sizes) -> None:
    """
    Raises `CompileError` when the program is not one for all sizes that it allows.

    A model that asks `x.shape[0] % 2 == 0` is traced along one answer. Of a named `Dim`
    torch makes sure that the answer is always the same, or was told to leave that to
    assertions; of others it only notes it: in the guards of the trace, or, when the
    program was stored, in those that it has once it is decomposed.
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
        if is_about_layout(expression, guard.sloc.framework_loc):
            continue
        raise CompileError(
            "expected a model that computes the same way for all of its sizes, got one "
            f"that torch.export traced for sizes where {in_words(expression, sizes)}; "
            "say so by a torch.export.Dim, or fix the size"
        )


def in_words(expression: Expression, sizes: Sizes) -> str:
    """The text of a condition, with the sizes under their names."""
    text = str(expression)
    for each, name in sizes.names.items():
        text = re.sub(rf"\b{each}\b", name, text)
    return text


def always_holds(expression: Expression, sizes: Sizes) -> bool:
    """
    Whether a condition holds for all sizes that torch traces with: of inputs two or
    more, and whatever the run may compute.
    """
    ranges: dict[Expression, Any] = {}
    for each, name in sizes.names.items():
        low, high = sizes.ranges[name]
        if name not in sizes.defined:
            low = max(low, min(2, high))
        ranges[each] = ValueRanges(low, high)
    return any(
        str(bound_sympy(each, ranges).lower) == "True"
        for each in (expression, without_choices(expression, ranges))
    )


def without_choices(expression: Expression, ranges: Any) -> Expression:
    """The expression with the side of each `Min` and `Max` that it always is."""

    def always_below(a: Expression, b: Expression) -> bool:
        return bound_sympy((b - a).expand(), ranges).lower >= 0

    def least(*sides: Expression) -> Expression:
        found = [a for a in sides if all(always_below(a, b) for b in sides)]
        return found[0] if found else Min(*sides)

    def greatest(*sides: Expression) -> Expression:
        found = [b for b in sides if all(always_below(a, b) for a in sides)]
        return found[0] if found else Max(*sides)

    return expression.replace(Min, least).replace(Max, greatest)


def is_about_layout(expression: Expression, place: Any) -> bool:
    """
    Whether torch, and not the model, asked about sizes that might be one or equal.

    Its rules for strides and broadcasting do. They decide nothing here, where shapes
    are inferred anew. A program that was stored has lost who asked: there, a model is
    taken to compare bare sizes, with each other or with numbers from two up.
    """
    kind, (left, right) = expression.func.__name__, expression.args
    file = Path(getattr(place, "filename", ""))
    if not file.is_relative_to(TORCH):
        return False
    if not file.is_relative_to(TORCH / "nn"):
        is_above_one = kind in ("StrictGreaterThan", "GreaterThan") and right in (1, 2)
        return kind == "Unequality" or is_above_one
    return kind == "Unequality" and not all(
        each.is_Symbol or (each.is_Integer and each > 1) for each in (left, right)
    )
