"""
Machine code in this process: link the objects of a program, find its functions.

Objects were compiled before, by the compiler or in another process; nothing of LLVM
runs here.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import WORD, State
from ..elf import Image, link_image
from .numpy_layout import has_gil

More: TypeAlias = Callable[[Mapping[str, int]], Sequence[int]]


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
    """
    `sr_note(row, orders)`: notes that this thread ran with a plan row, and the bits of
    the indices that were in order.
    """

    noted: Any
    """`sr_noted() -> address` of both, of this thread's last run, or None."""

    absent: Any = None
    """`absent(call) -> Exception`: what is said of a kernel that is not there."""

    planning: tuple[int, ...] = ()
    """The addresses of the functions of `PLANNING`, where there is code of plans."""

    registers: int = 0
    """The words that a run needs after those of its context."""

    more: More | None = None
    """What the words after a plan row are, by the values of the symbols, if any."""


PLANNING = (
    *("sr_interpret", "sr_unite", "sr_place_all", "sr_spread"),
    *("sr_enter_row", "sr_need"),
)
"""The functions that plan by code."""


def planning_of(image: Image) -> tuple[int, ...]:
    """The addresses of the functions that plan by code."""
    return tuple(image[name] for name in PLANNING)


def link_functions(objects: Sequence[bytes], names: Sequence[str]) -> Image:
    """The addresses of functions by name, from objects that need no other."""
    return link_image(objects, names, {})


def link(
    objects: Sequence[bytes],
    marks: npt.NDArray[np.uint8] | None = None,
    plans: bool = False,
    outside: Mapping[str, int] | None = None,
    former: Code | None = None,
) -> Code:
    """
    The code of a program from its objects; raises `ObjectError` if one is amiss. It has
    the state of a `former` code of that program, if any, and may run beside it.

    Calls of a program that is traced set bytes of `marks`, which the code keeps. Where
    the program `plans` by code, the functions for that are among the objects. It may
    call functions `outside`, by their addresses.
    """
    given = dict(outside or {})
    if marks is not None:
        given["sr_marks"] = marks.ctypes.data
    state = None if former is None else former.state
    code, _ = link_with(objects, given, PLANNING if plans else (), state)
    if former is not None:
        # Where there is no GIL, the functions of one code share a lock.
        code = replace(code, borrow=former.borrow, give_back=former.give_back)
    return replace(
        code,
        library=(code.library, marks),
        planning=planning_of(code.library) if plans else (),
    )


_EXPORTED = (
    *("sr_call", "sr_enter", "sr_repeat", "sr_borrow", "sr_give_back"),
    *("sr_note", "sr_noted"),
)
"""The functions that a module calls."""


def link_with(
    objects: Sequence[bytes],
    given: Mapping[str, int],
    others: Sequence[str],
    state: npt.NDArray[np.uint64] | None = None,
) -> tuple[Code, Image]:
    """
    The code of objects that need memory at addresses that are given, and the image that
    has it, with other functions; raises `ObjectError` if one is amiss. Its state is a
    new one, unless there is one.
    """
    if state is None:
        state = np.zeros(State.SIZE, np.uint64)
    assert state.itemsize == WORD
    own = {"sr_state": state.ctypes.data}
    library = link_image(objects, [*_EXPORTED, *others], {**given, **own})
    address = {name: library[name] for name in _EXPORTED}
    pointer, status, times = ctypes.c_void_p, ctypes.c_int, ctypes.c_int64
    borrow = ctypes.PYFUNCTYPE(pointer)(address["sr_borrow"])
    give_back = ctypes.PYFUNCTYPE(None, pointer)(address["sr_give_back"])
    if not has_gil():
        lock = threading.Lock()
        borrow, give_back = guarded(borrow, lock), guarded(give_back, lock)
    # CFUNCTYPE lets go of the GIL during the call; PYFUNCTYPE keeps it, and raises the
    # exception that the call has set.
    code = Code(
        library,
        state,
        address["sr_call"],
        ctypes.PYFUNCTYPE(status, pointer)(address["sr_enter"]),
        ctypes.CFUNCTYPE(status, pointer, times)(address["sr_repeat"]),
        borrow,
        give_back,
        ctypes.PYFUNCTYPE(None, pointer, times)(address["sr_note"]),
        ctypes.PYFUNCTYPE(pointer)(address["sr_noted"]),
    )
    return code, library


def guarded(function: Any, lock: threading.Lock) -> Any:
    """A function that one thread at a time is in, where no GIL sees to it."""

    def call(*arguments: Any) -> Any:
        with lock:
            return function(*arguments)

    return call
