"""
Code of a program that is data: bytecode, run by an interpreter over linked kernels.

Python calls it as it calls compiled code. The entry, the interpreter and what they call
are one object for all models, which is linked to each with a table of what they must
know of it (`ModelTable`).
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..abi import ModelTable, Words
from .code import PLANNING, Code, More, link_with, planning_of

ENTRY = "sr_e_"
"""How the name of a function begins by which a kernel is called."""

_PREBUILT = Path(__file__).parents[1]
"""Where the object is, in a folder that was built to need no LLVM."""


def interpreter_name(machine: str) -> str:
    """The name of the file of the interpreter's object for a machine."""
    return f"interpreter.{machine}.o"


def prebuilt_interpreter() -> bytes:
    """The object for this machine, in a folder that was built; raises `OSError`."""
    return (_PREBUILT / interpreter_name(platform.machine())).read_bytes()


@dataclass(frozen=True)
class Interpreted:
    """A program that is data, and what its entry must know of it."""

    code: Words
    registers: int
    kernels: Sequence[str]
    """The kernels that it calls, by their numbers."""

    head: Mapping[int, int]
    """Words of the head of the table, those that are no addresses."""

    rows: Sequence[tuple[int, int]]
    """The rows of the table: of inputs, of outputs, of symbols."""

    more: More
    """The words after a plan row."""

    is_taken: bool = True
    """Whether the entry takes calls; else Python does."""

    def link(
        self,
        interpreter: bytes,
        objects: Mapping[str, bytes],
        explain: Callable[[int], Exception | None],
    ) -> Code:
        """
        The code over the objects of its kernels, and that of the interpreter. A run
        that comes to a kernel which is not among them ends with `NOT_SELECTED`;
        `explain` says why, by the number of the call.
        """
        there = [name for name in dict.fromkeys(self.kernels) if name in objects]
        addresses = np.zeros(len(self.kernels) + 1, np.uint64)
        table = np.zeros(ModelTable.HEAD + 2 * len(self.rows), np.int64)
        for at, word in self.head.items():
            table[at] = word
        table[ModelTable.CODE] = self.code.ctypes.data
        table[ModelTable.KERNELS] = addresses.ctypes.data
        table[ModelTable.HEAD :] = np.array(self.rows, np.int64).reshape(-1)
        made, image = link_with(
            [interpreter, *(objects[name] for name in there)],
            {"sr_model": table.ctypes.data},
            [*PLANNING, "sr_absent", *(f"{ENTRY}{name}" for name in there)],
        )
        absent = image["sr_absent"]
        addresses[:] = [
            *(image[f"{ENTRY}{x}"] if x in objects else absent for x in self.kernels),
            absent,
        ]
        return replace(
            made,
            library=(image, self.code, table, addresses),
            call=made.call if self.is_taken else 0,
            absent=explain,
            planning=planning_of(image),
            registers=self.registers,
            more=self.more,
        )
