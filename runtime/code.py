"""
Machine code in this process: link the objects of a program, find its functions.

Objects were compiled before, by the compiler or in another process; nothing of LLVM's
optimiser runs here.
"""

from __future__ import annotations

import ctypes
import itertools
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .fork import check_whole, unforked
from .layout import WORD, State
from .numpy_layout import has_gil

if TYPE_CHECKING:
    from llvmlite import binding

_LOCK = threading.Lock()
"""Linking is done by one thread at a time."""

LINKED = 16
"""
Programs that one linker links. It keeps ten kilobytes of each, also of those that are
gone, and goes itself with the last of them.
"""

_NAMES = itertools.count()
_linkers: list[binding.LLJIT] = []
"""The linker in use; a program keeps the one that linked it alive."""


@cache
def _native_machine() -> binding.TargetMachine:
    """This machine, in LLVM's own form; the first call sets LLVM up for it."""
    from llvmlite import binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    return binding.Target.from_default_triple().create_target_machine(jit=True)


def linked(builder: binding.JITLibraryBuilder, name: str) -> binding.ResourceTracker:
    """What a builder has been given, linked; the name is for LLVM's own messages."""
    from llvmlite import binding

    number = next(_NAMES)
    if number % LINKED == 0 or not _linkers:
        made = binding.create_lljit_compiler(_native_machine(), use_jit_link=True)
        _linkers[:] = [made]
    return builder.link(_linkers[0], f"{name}{number}")


def _builder(
    objects: Sequence[bytes], exported: Sequence[str]
) -> binding.JITLibraryBuilder:
    """A builder that was given objects, and the names of what it shall offer."""
    from llvmlite import binding

    builder = binding.JITLibraryBuilder().add_current_process()
    for each in objects:
        builder.add_object_img(each)
    for each in exported:
        builder.export_symbol(each)
    return builder


@dataclass(frozen=True)
class Code:
    """The functions of a program, and what must live as long as they do."""

    library: Any
    state: npt.NDArray[np.uint64]
    call: int
    """The address of `sr_call`, which Python calls."""

    run: Any
    """
    `sr_enter(context) -> status`, which lets other threads run meanwhile; raises what a
    handler of a signal raised.
    """

    repeat: Any
    """`sr_repeat(context, times) -> status`."""

    borrow: Any
    """`sr_borrow() -> context`, or None when no context is free."""

    give_back: Any
    """`sr_give_back(context)`."""

    note: Any
    """`sr_note(row)`: notes that this thread ran with a plan row."""

    noted: Any
    """`sr_noted() -> row`, that of this thread's last run, or None."""


def link_text(text: str, exported: Sequence[str], name: str) -> Any:
    """The addresses of functions by name, from LLVM IR that is compiled as it is."""
    check_whole()
    with unforked(), _LOCK:
        from llvmlite import binding

        code = _native_machine().emit_object(binding.parse_assembly(text))
    return link_functions([code], exported, name)


def link_functions(objects: Sequence[bytes], names: Sequence[str], name: str) -> Any:
    """The addresses of functions by name, from objects that need no other."""
    check_whole()
    with unforked(), _LOCK:
        return linked(_builder(objects, names), name)


def link(objects: Sequence[bytes], marks: npt.NDArray[np.uint8] | None = None) -> Code:
    """
    The code of a program from its objects; raises `RuntimeError` if one is amiss.

    Calls of a program that is traced set bytes of `marks`, which the code keeps.
    """
    state = np.zeros(State.SIZE, np.uint64)
    assert state.itemsize == WORD
    exported = ("sr_call", "sr_enter", "sr_repeat", "sr_borrow", "sr_give_back")
    exported += ("sr_note", "sr_noted")
    check_whole()
    with unforked(), _LOCK:
        builder = _builder(objects, exported)
        builder.import_symbol("sr_state", state.ctypes.data)
        if marks is not None:
            builder.import_symbol("sr_marks", marks.ctypes.data)
        library = linked(builder, "program")
    address = {name: library[name] for name in exported}
    pointer, status, times = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    borrow = ctypes.PYFUNCTYPE(pointer)(address["sr_borrow"])
    give_back = ctypes.PYFUNCTYPE(None, pointer)(address["sr_give_back"])
    if not has_gil():
        lock = threading.Lock()
        borrow, give_back = guarded(borrow, lock), guarded(give_back, lock)
    # CFUNCTYPE lets go of the GIL during the call; PYFUNCTYPE keeps it, and raises the
    # exception that the call has set.
    return Code(
        (library, marks),
        state,
        address["sr_call"],
        ctypes.PYFUNCTYPE(status, pointer)(address["sr_enter"]),
        ctypes.CFUNCTYPE(status, pointer, times)(address["sr_repeat"]),
        borrow,
        give_back,
        ctypes.PYFUNCTYPE(None, pointer)(address["sr_note"]),
        ctypes.PYFUNCTYPE(pointer)(address["sr_noted"]),
    )


def guarded(function: Any, lock: threading.Lock) -> Any:
    """A function that one thread at a time is in, where no GIL sees to it."""

    def call(*arguments: Any) -> Any:
        with lock:
            return function(*arguments)

    return call
