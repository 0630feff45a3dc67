"""
What an artifact notes of the ops that users registered, and what it needs of them.

Code calls C functions of users by name; where these are, the registry says in each
process anew. An artifact is used where its ops are as they were when it was compiled.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ...dialects.graph import GraphOp
from ...dialects.graph.custom import PREFIX, NativeKernel
from ...dialects.loop import NativeOp
from ..session import (
    FUNCTIONS_NOTE,
    OPS_NOTE,
    PACKAGES_NOTE,
    SPELLED_NOTE,
    CompileError,
    how_to_register,
)
from .registry import are_spelled_as, digests_of, find_op, package_of


def note_of_ops(module: ModuleOp, spelled: Mapping[str, str | None]) -> dict[str, Any]:
    """
    What an artifact notes of the ops of users in a module that was just read, and of
    what was looked for meanwhile, as `SrContext.spelled` has it.
    """
    own = sorted({op.name for op in _ops_of_users(module)})
    notes: dict[str, Any] = {SPELLED_NOTE: dict(spelled)} if spelled else {}
    if own:
        notes |= {OPS_NOTE: digests_of(own), PACKAGES_NOTE: packages_of(module)}
    return notes


def packages_of(module: ModuleOp) -> list[str]:
    """The packages of the ops of users in a module, as a selection names them."""
    found = {package_of(type(op)) for op in _ops_of_users(module)}
    return sorted(each for each in found if each is not None)


def _ops_of_users(module: ModuleOp) -> Iterator[GraphOp]:
    """The ops of a module that are not ours."""
    for op in module.walk():
        if isinstance(op, GraphOp) and not op.name.startswith("graph."):
            yield op


def note_of_functions(module: ModuleOp) -> dict[str, Any]:
    """What an artifact notes of the functions that a lowered module calls."""
    ops = (op for op in module.walk() if isinstance(op, NativeOp))
    names = sorted({op.function.data for op in ops if not op.text.data})
    return {FUNCTIONS_NOTE: names} if names else {}


def are_as_noted(notes: Mapping[str, Any]) -> bool:
    """Whether the ops of users are what they were when an artifact was compiled."""
    digests: Mapping[str, str] = notes.get(OPS_NOTE, {})
    return digests_of(digests) == digests and are_spelled_as(
        notes.get(SPELLED_NOTE, {})
    )


def addresses_of(symbols: Iterable[str]) -> dict[str, int]:
    """
    Where functions that an artifact calls are, by their symbols.

    Raises `CompileError` for an op that nobody has registered in this process.
    """
    found: dict[str, int] = {}
    for symbol in symbols:
        name, _, label = symbol.removeprefix(PREFIX).rpartition(".")
        known = find_op(name)
        kernels = () if known is None else getattr(known.op, "KERNELS", ())
        same = [each for each in kernels if each.label == label]
        if not same:
            raise CompileError(
                f"expected the op {name} with a kernel {label} in this process, as "
                f"where the model was compiled, got none; {how_to_register(name)}"
            )
        found[symbol] = _address_of(name, same[0])
    return found


def _address_of(op: str, kernel: NativeKernel) -> int:
    """Where the function of a kernel is; raises `CompileError` where there is none."""
    given = kernel.function
    if isinstance(given, str):
        try:
            given = _library(kernel.library)[given]
        except (AttributeError, OSError) as error:
            raise CompileError(
                f"{op}: expected a function {kernel.function} in "
                f"{kernel.library or 'this process'}, got an error: {error}"
            ) from error
    number = getattr(given, "address", given)
    if not isinstance(number, int):
        number = ctypes.cast(given, ctypes.c_void_p).value
    if not number:
        raise CompileError(f"{op}: expected the address of a function, got {number}")
    return number


@cache
def _library(path: str | Path | None) -> ctypes.CDLL:
    """A shared library, or all that is in this process; it stays loaded."""
    return ctypes.CDLL(None if path is None else str(path))
