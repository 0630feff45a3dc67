"""
Code of a program that is data: bytecode, run by an interpreter over linked kernels.

Calls of the module go by way of Python, which finds the memory of each. Beside that a
run is as one of compiled code is, with the same kernels, threads and plans.
"""

from __future__ import annotations

import ctypes
import platform
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..abi import PAUSED, START, WORD, ContextLayout, State, Words
from ..elf import Image, link_image
from .code import PLANNING, Code, planning_of

ENTRY = "sr_e_"
"""How the name of a function begins by which a kernel is called."""

_PREBUILT = Path(__file__).parents[1]
"""Where the interpreter is, in a folder that was built to need no LLVM."""


def interpreter_name(machine: str) -> str:
    """The name of the file of the interpreter's object for a machine."""
    return f"interpreter.{machine}.o"


def _interpreter_object() -> bytes:
    """The interpreter for this machine."""
    machine = platform.machine()
    try:
        return (_PREBUILT / interpreter_name(machine)).read_bytes()
    except FileNotFoundError:
        # LLVM, which is there where a folder was not built.
        from .llvm_text import interpreter_object

        return interpreter_object(machine)


def interpreted(
    code: Words,
    registers: int,
    kernels: Sequence[str],
    objects: Mapping[str, bytes],
    explain: Callable[[int], Exception | None],
) -> Code:
    """
    Bytecode as the code of a module, over the objects of its kernels. A run that comes
    to one that is not among them ends with `NOT_SELECTED`; `explain` says why, by the
    number of the call.
    """
    there = [name for name in dict.fromkeys(kernels) if name in objects]
    wanted = [*PLANNING, "sr_absent", *(f"{ENTRY}{name}" for name in there)]
    files = [_interpreter_object(), *(objects[name] for name in there)]
    image = link_image(files, wanted, {})
    absent = image["sr_absent"]
    addresses = [
        image[f"{ENTRY}{name}"] if name in objects else absent for name in kernels
    ]
    table = np.array([*addresses, absent], np.uint64)
    return _Interpreter(code, registers, table, image).code(explain)


_FUEL = 1 << 27
"""Points of loops after which a run pauses: some milliseconds."""


class _Memory(NamedTuple):
    """What a run in a context needs."""

    fields: ctypes.Array[ctypes.c_uint64]
    """The fields of the context that all programs have."""
    registers: Words
    address: int
    """Where the registers are."""


class _Interpreter:
    """Runs bytecode, each context with registers of its own."""

    def __init__(
        self, code: Words, registers: int, kernels: npt.NDArray[np.uint64], image: Image
    ):
        """The interpreter of `code` over a table of the addresses of kernels."""
        self.count, self.kept, self.image = registers, (code, kernels), image
        self.tables = code.ctypes.data, kernels.ctypes.data
        pointer, status = ctypes.c_void_p, ctypes.c_int
        # CFUNCTYPE lets other threads run meanwhile.
        kind = ctypes.CFUNCTYPE(status, pointer, pointer, pointer, pointer)
        self.function = kind(image["sr_interpret"])
        self.memory: dict[int, _Memory] = {}
        self.free: list[int] = []
        self.row = threading.local()

    def code(self, explain: Callable[[int], Exception | None]) -> Code:
        """The functions that a module calls."""
        state = np.zeros(State.SIZE, np.uint64)
        return Code(
            *((self, explain), state, 0, self.run, self.repeat),
            *(self.borrow, self.give_back, self.note, self.noted, explain),
            planning_of(self.image),
        )

    def run(self, context: int) -> int:
        """
        Runs the program once; its status. Between its pauses Python runs the handlers
        of signals, and when one raises, the run does not go on.
        """
        memory, (code, kernels) = self.memory_of(context), self.tables
        fields = memory.fields
        fields[ContextLayout.THREAD] = 1
        memory.registers[START] = 0
        status = PAUSED
        while status == PAUSED:
            fields[ContextLayout.FUEL] = _FUEL
            status = self.function(context, code, memory.address, kernels)
        fields[ContextLayout.THREAD] = 0
        return status

    def repeat(self, context: int, times: int) -> int:
        """Runs the program n times, for measuring."""
        memory, (code, kernels) = self.memory_of(context), self.tables
        memory.registers[START] = memory.fields[ContextLayout.THREAD] = 0
        for _ in range(times):
            if status := self.function(context, code, memory.address, kernels):
                return status
        return 0

    def memory_of(self, context: int) -> _Memory:
        """What a run in a context needs besides."""
        if context not in self.memory:
            fields = (ctypes.c_uint64 * ContextLayout.HEAD).from_address(context)
            registers = np.zeros(self.count, np.int64)
            self.memory[context] = _Memory(fields, registers, registers.ctypes.data)
        return self.memory[context]

    def borrow(self) -> int | None:
        """The address of a context that nobody has, or None."""
        try:
            context = self.free.pop()
        except IndexError:
            return None
        self._next(context).value = context
        return context

    def give_back(self, context: int) -> None:
        """Lets others borrow a context."""
        self._next(context).value = 0
        self.free.append(context)

    def _next(self, context: int) -> ctypes.c_uint64:
        """The field that is the context's own address while somebody has it."""
        return ctypes.c_uint64.from_address(context + ContextLayout.NEXT * WORD)

    def note(self, row: int) -> None:
        """Notes the plan row of a run in this thread."""
        self.row.address = row

    def noted(self) -> int | None:
        """The plan row of the last run in this thread."""
        return getattr(self.row, "address", None)
