"""`Options`: the options of a compile."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from operator import index
from typing import Any

from ...runtime.machine import usable_threads
from ...runtime.planning import PLANNERS
from .errors import CompileError

ALWAYS_GIVEN = 8
"""Threads that a user gets who asks for them, however few may run at once."""

_RUN_SCOPE = ("threads", "manage_output_tensors", "cache")
"""The options that no code depends on, so that a run may have its own."""

_PRECISIONS = ("f32", "bf16")
"""How exactly a model may be computed."""

_BINDINGS = ("refuse", "first-call")
"""When values of inputs are known that an op needs."""


@dataclass(frozen=True)
class Options:
    """How a model is compiled; raises `CompileError` for a value that is not known."""

    planner: str = "conflict-driven"
    """How activations share memory: a name of `static_runtime.runtime.planning`."""

    cache: bool = True
    """Whether compiled code is kept on disk, and taken from there."""

    tune: bool = False
    """
    Whether contractions are measured on this machine, to choose how they are computed.
    What was found is kept on disk, and used again by what is compiled with this option.
    It takes some seconds a kernel, once. Bits do not depend on it.
    """

    threads: int | None = None
    """
    How many threads a run may use, and LLVM when the model is compiled; None for all
    that the process may run at once. More than these are of no use: who asks for more
    gets as many, or eight where they are fewer; and where the system refuses a thread,
    the others do its work. Small kernels are run by the caller alone. Bits do not
    depend on it.
    """

    precision: str = "f32"
    """
    How exactly a model of f32 is computed: "f32" as it is; "bf16" with the weights of
    products rounded to bf16, which is half of their memory (`docs/precision.md`).
    """

    bounds: Mapping[str, int] = field(default_factory=dict[str, int], hash=False)
    """
    The most that symbols of the model are. A size that only the run computes from data
    needs one, for the memory that it takes; the error that asks for it has its name. A
    call in which a symbol is greater ends with an error.
    """

    bind: str = "refuse"
    """
    What becomes of a model with an op that needs a value when it is compiled, such as
    an axis or a shape, and has it from an input: "refuse" it, or compile it at the
    "first-call" with each value of that input.
    """

    manage_output_tensors: bool = False
    """
    Whether the module keeps the outputs of its last calls, and returns their arrays
    again once nobody has them: no view, tensor or buffer of them either. It is worth it
    for large outputs, whose pages are new to the process otherwise (`docs/memory.md`).
    """

    def __post_init__(self) -> None:
        self._check_bounds()
        if self.bind not in _BINDINGS:
            known = " or ".join(_BINDINGS)
            raise CompileError(f"expected bind of {known}, got {self.bind}")
        check_is("True or False for cache", bool, self.cache)
        check_is("True or False for tune", bool, self.tune)
        wanted = "True or False for manage_output_tensors"
        check_is(wanted, bool, self.manage_output_tensors)
        check_is("the name of a planner", str, self.planner)
        if self.threads is not None and not _is_whole(self.threads):
            raise _unexpected("a whole number of threads, or None", self.threads)
        if self.threads is not None and self.threads < 1:
            raise CompileError(f"expected one thread or more, got {self.threads}")
        if self.planner not in PLANNERS:
            nearest = get_close_matches(self.planner, PLANNERS) or sorted(PLANNERS)
            raise CompileError(
                f"expected a planner like {', '.join(nearest)}, got {self.planner}"
            )
        if self.precision not in _PRECISIONS:
            known = " or ".join(_PRECISIONS)
            raise CompileError(f"expected a precision {known}, got {self.precision}")

    def _check_bounds(self) -> None:
        """Raises `CompileError` unless bounds are whole numbers of symbols."""
        wanted = 'bounds such as {"batch": 64}'
        check_is(wanted, Mapping, self.bounds)
        for name, most in self.bounds.items():
            check_is(f"{wanted} with the names of symbols", str, name)
            if not _is_whole(most):
                raise _unexpected(f"a whole number as the bound of {name}", most)
            if not 0 <= most < 2**62:
                raise CompileError(
                    f"expected a bound of {name} from 0 to 2**62, got {most}"
                )
        # A copy, which nobody else changes.
        object.__setattr__(
            self, "bounds", {k: index(v) for k, v in self.bounds.items()}
        )

    def for_a_run(self, other: Any) -> Options:
        """
        `other`, which differs from these options in what a run may change alone.

        Raises `CompileError` where it differs in anything else.
        """
        check_is("options as Options(...)", Options, other)
        for each in fields(self):
            mine, its = getattr(self, each.name), getattr(other, each.name)
            if mine != its and each.name not in _RUN_SCOPE:
                raise CompileError(
                    f"expected {each.name}={mine!r} as the module was compiled with, "
                    f"got {its!r}; a run may change {' and '.join(_RUN_SCOPE)} alone, "
                    "so compile the model with the other options"
                )
        return replace(other, cache=self.cache)

    @property
    def usable_threads(self) -> int:
        """How many threads may run, or compile, side by side."""
        usable = usable_threads()
        return min(self.threads or usable, max(usable, ALWAYS_GIVEN))

    @property
    def key(self) -> str:
        """What of the options the compiled code depends on."""
        names = ("planner", "precision", "tune")
        text = " ".join(f"{each}={getattr(self, each)}" for each in names)
        bounds = json.dumps(self.bounds, sort_keys=True)
        return f"{text} bounds={bounds}"


def _is_whole(value: Any) -> bool:
    """Whether a value is a whole number, of Python's or of numpy's; truth is none."""
    if isinstance(value, bool):
        return False
    try:
        index(value)
    except TypeError:
        return False
    return True


def check_is(wanted: str, type: type, value: Any) -> None:
    """Raises `CompileError` for a value that is not of the type."""
    if not isinstance(value, type):
        raise _unexpected(wanted, value)


def _unexpected(wanted: str, value: Any) -> CompileError:
    """The error of an argument of another type than is wanted."""
    return CompileError(f"expected {wanted}, got {type(value).__name__} {value!r:.80}")
