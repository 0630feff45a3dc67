"""What options there are: when each may be chosen, and the names that are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from enum import Enum
from types import MappingProxyType
from typing import Any

from .errors import CompileError


class Scope(Enum):
    """When an option may be chosen."""

    CODE = "compile"
    """At the compile: the code, its plans or its results depend on it."""

    COMPILE = "compile, no code"
    """At the compile, whose code does not depend on it."""

    RUN = "run"
    """At the compile, or anew for a runtime or a pool."""

    OWN = "compile, kept"
    """At the compile; with other options of a run a module keeps its own."""


SCOPES: Mapping[str, Scope] = MappingProxyType(
    {
        "planner": Scope.CODE,
        "cache": Scope.OWN,
        "tier": Scope.OWN,
        "tune": Scope.CODE,
        "threads": Scope.RUN,
        "inter_op_threads": Scope.CODE,
        "precision": Scope.CODE,
        "algorithms": Scope.CODE,
        "weights": Scope.CODE,
        "activations": Scope.CODE,
        "quantization": Scope.CODE,
        "bounds": Scope.CODE,
        "grow": Scope.CODE,
        "seed": Scope.CODE,
        "bind": Scope.COMPILE,
        "fallback": Scope.CODE,
        "foreign_ops": Scope.CODE,
        "manage_output_tensors": Scope.RUN,
        "optimize_memory": Scope.CODE,
        "enable_out_variant": Scope.CODE,
        "enable_tensorexpr_fusion": Scope.CODE,
        "use_maybe_copy_variants": Scope.CODE,
        "check_memory": Scope.CODE,
        "strict": Scope.RUN,
    }
)
"""The scope of each field of `Options`: what is part of a key, and what a run may."""

REFUSED: Mapping[str, str] = MappingProxyType(
    {
        "max_allowed_reallocs": (
            "a block that grows is one allocation, and no planner is given up for it; "
            'planner="standard_resizing" is what PyTorch would fall back to, and '
            "strict=True refuses calls that need more memory"
        ),
        "enable_fast_math": (
            "there is one set of math functions, whose errors docs/math.md states; "
            'precision="bf16" is what trades exactness for speed'
        ),
        "use_copy_variants": (
            "a view is planned together with its source, so none has to be a copy for "
            "its memory to be managed, and a copy that remains is needed"
        ),
    }
)
"""Options of PyTorch's Static Runtime that have no meaning here, and why."""

ALIAS = "memory_planner_algorithm"
"""The name that the option `planner` has in PyTorch's Static Runtime."""

_SPELLINGS = {
    "kStandardResizing": "standard_resizing",
    "kPrecomputedOffsets": "precomputed_offsets",
}
"""Planners as C++ spells them."""


def planner_of(name: Any) -> Any:
    """The name of a planner as it is known here; what is no such name stays."""
    return _SPELLINGS.get(name, name) if isinstance(name, str) else name


def names_of(scope: Scope) -> tuple[str, ...]:
    """The options of a scope."""
    return tuple(name for name, each in SCOPES.items() if each is scope)


def check_names(names: Iterable[str]) -> None:
    """
    Raises `CompileError` for an option that is refused, and `TypeError`, as Python
    does, for one that there is not.
    """
    for name in names:
        if name in REFUSED:
            raise CompileError(f"expected no option {name}, got some: {REFUSED[name]}")
        if name not in SCOPES and name != ALIAS:
            known = (*SCOPES, ALIAS)
            nearest = get_close_matches(name, known, 1) or [", ".join(known)]
            raise TypeError(f"expected an option like {nearest[0]}, got {name}")


def check_planners(planner: Any, algorithm: Any) -> None:
    """Raises `CompileError` where a planner is given by both names, differently."""
    if algorithm is not None and planner_of(planner) != planner_of(algorithm):
        raise CompileError(
            f"expected one planner, got planner={planner!r} and {ALIAS}="
            f"{algorithm!r}; these are two names of one option, so leave one out"
        )
