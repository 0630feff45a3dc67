"""Trace models by calls of them, or by their text alone, as `sr-trace` does."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, cast

from ...runtime import load_inputs, random_inputs, sizes_of
from ...runtime.call import StaticModule
from ...runtime.library import Selection
from ..compile import Compilation
from ..session import CompileError, Options
from .static import static_selection
from .trace import Trace

Inputs = Sequence[str | Path | Mapping[str, Any]]
"""Files of inputs as `sr-run` takes them, or inputs by name."""


def trace(
    models: Any = None,
    inputs: Sequence[Inputs] = (),
    *,
    static: bool = False,
    target: str | Sequence[str] = "host",
    options: Options = Options(),
    sizes: Mapping[str, int] | None = None,
    seed: int = 0,
) -> Trace:
    """
    A block in which what models execute is noted: `with sr.trace() as t: module(x)`.

    Then `t.selection` says it, and `t.write(path)` writes the YAML of a selective
    build. Calls in other threads are noted too, where that is possible, unless these
    are in a block of their own. Raises `CompileError` inside of the block of another
    one of the same thread.

    With `models`, a model as `compile` takes it or a list of some, it is a trace that
    has ended, as `sr-trace` makes it: each is called on its `inputs`, a list of .npz
    files or of mappings for each model, or once on random ones with these `sizes` of
    symbols. With `static` nothing is called: it is all that any inputs could execute.
    """
    if models is None:
        return Trace()
    several: list[Any] = [*models] if isinstance(models, list | tuple) else [models]
    found = trace_models(
        several,
        inputs,
        static=static,
        targets=[target] if isinstance(target, str) else target,
        options=options,
        sizes=[f"{name}={size}" for name, size in (sizes or {}).items()],
        seed=seed,
    )
    return Trace.of(found)


def trace_models(
    models: Sequence[Any],
    inputs: Sequence[Inputs] = (),
    *,
    static: bool = False,
    targets: Sequence[str] = ("host",),
    options: Options = Options(),
    sizes: Sequence[str] = (),
    seed: int = 0,
    compiling: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> Selection:
    """
    What some models execute, for all targets.

    Each model is called on its `inputs`, or once on random ones of some `sizes` such as
    "n=4", where none are given. With `static` nothing is called: it is all that any
    inputs could execute. A model is compiled within `compiling`.

    Raises `CompileError`, and what calls raise.
    """
    given = [*inputs] or [()] * len(models)
    if static and inputs:
        raise CompileError("expected no inputs of a static trace, which runs nothing")
    if len(given) != len(models):
        raise CompileError(
            f"expected inputs of each of {len(models)} models, got {len(given)} lists"
        )
    if not targets:
        raise CompileError("expected a target, got none")
    for own in given:
        _check_inputs(own)
    cases = [
        (Compilation(model, target=target, options=options), own)
        for target in targets
        for model, own in zip(models, given, strict=True)
    ]
    if static:
        with compiling():
            return static_selection(each for each, _ in cases)
    symbols: set[str] = set()
    with Trace() as trace:
        for compilation, own in cases:
            with compiling():
                module = compilation.run()
            _run(module, own, sizes, seed)
            symbols |= {*module.program.symbols}
    _check_sizes(symbols, sizes)
    return trace.selection


def _check_inputs(given: Any) -> None:
    """Raises `CompileError` for what are no inputs of a model."""
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise CompileError(
            "expected a list of inputs for each model, such as [[{'x': array}]], got "
            f"{type(given).__name__}"
        )
    for each in cast("Sequence[Any]", given):
        if not isinstance(each, str | Path | Mapping):
            raise CompileError(
                "expected inputs as an .npz file or a mapping by name, got "
                f"{type(each).__name__}"
            )


def _run(module: StaticModule, given: Inputs, sizes: Sequence[str], seed: int) -> None:
    """Runs a model on each of its inputs, or once on random ones."""
    program = module.program
    for each in given:
        is_file = isinstance(each, str | Path)
        module(**(load_inputs(Path(each), program) if is_file else each))
    if not given:
        # Each model takes the symbols that it has.
        own = [each for each in sizes if each.partition("=")[0] in program.symbols]
        module(**random_inputs(program, seed, sizes_of(program, own)))


def _check_sizes(known: Collection[str], sizes: Sequence[str]) -> None:
    """Raises `CompileError` for the size of a symbol that no model has."""
    for each in sizes:
        if each.partition("=")[0] not in known:
            names = ", ".join(sorted(known)) or "none"
            raise CompileError(f"expected a symbol of a model ({names}), got {each}")
