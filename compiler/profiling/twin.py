"""
The twin of a module: the same model, compiled so that its calls note their times.

It is compiled when a module is profiled first, and kept as long as the module is; the
module itself stays as it was. Kernels are the same machine code, found on disk where
the cache is on: only what a call does besides them is compiled anew.
"""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

from ...runtime.call import CompiledModule, StaticModule
from ...runtime.program import Size
from ..building import alone, make_module
from ..observers import compilation_of
from ..session import NODES, CompileError


@dataclass(frozen=True)
class Call:
    """A call of a profiled program: what it runs."""

    number: int
    """Among the calls that may end a run, as compiled code counts them."""

    name: str
    kind: str
    """The names of the ops that the kernel was made from."""

    source: str
    ops: tuple[str, ...]
    """Those ops, and where they are in the model."""

    way: str
    """`COMPILED`, `FALLBACK` or `FOREIGN`."""

    operations: Size | None = None
    integer_operations: Size | None = None
    bytes: tuple[Size, ...] | None = None
    """The bytes that it touches of each buffer."""

    slot: int | None = None
    """The slot that it writes to, if that is no output."""


@dataclass(frozen=True, eq=False)
class Twin:
    """A profiled module that nothing else calls, and what its calls are."""

    module: CompiledModule
    calls: tuple[Call, ...]
    setup_seconds: float
    """To link it, and to make its module and first context."""

    threads: int
    """How many may share a kernel of it."""

    lock: Any
    """Whoever runs the module holds it."""


_twins: WeakKeyDictionary[StaticModule, Twin] = WeakKeyDictionary()


def twin_of(module: StaticModule) -> Twin:
    """
    The twin of a module, compiled at the first time.

    Raises `CompileError` for a module whose model is not at hand, such as a model as
    data or one of a folder that was built, or that is not compiled as a whole, and
    `OSError` for its file.
    """
    if not isinstance(module, CompiledModule):
        raise CompileError(str(module.refusal("a profile")))
    with alone():
        if (found := _twins.get(module)) is None:
            found = _twins[module] = _compiled(module)
        return found


def _compiled(module: StaticModule) -> Twin:
    """Compiles a twin."""
    made = copy(compilation_of(module))
    made.observers, made.after_pass, made.is_profiled = (), None, True
    made.options = replace(made.options, check_memory=False)
    artifact, report = made.made(made.key_of_file())
    start = time.perf_counter()
    usable = made.options.usable_threads
    twin = make_module(artifact, report, usable)
    seconds = time.perf_counter() - start
    calls = tuple(_call(each) for each in artifact.notes[NODES])
    threads = usable if artifact.program.is_shared else 1
    return Twin(twin, calls, seconds, threads, Lock())


def _call(node: dict[str, Any]) -> Call:
    """A call, as the notes of an artifact say."""
    bytes = node.get("bytes")
    return Call(
        number=node["call"],
        name=node["name"],
        kind=node["kind"],
        source=node["source"],
        ops=tuple(node["ops"]),
        way=node["way"],
        operations=node.get("operations"),
        integer_operations=node.get("integer_operations"),
        bytes=None if bytes is None else tuple(bytes),
        slot=node.get("slot"),
    )
