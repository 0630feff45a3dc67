"""
Lower the C functions of a bundle.

    int name(constants, mutable, activations)              runs the model
    int name_parallel(..., threads)                        the same by several threads
    int name_plan(sizes, memory)                           plans calls of some sizes
    int name_check(constants)                              tells its weights from others

A context is on the stack of a run, so calls with buffers of their own run side by side.
In a model of any size the first argument of a run is a plan, which `name_plan` made.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ...dialects.loop import ProgramOp
from ...runtime.abi import ContextLayout, PlanLayout, RowLayout
from ...runtime.hostcode import (
    ADDRESS,
    INT32,
    NULL,
    Builder,
    Function,
    Signature,
    Value,
)
from .addresses import layout_of
from .body import RUN
from .plan import PLAN, plan_layout

NOT_PLANNED = -1
"""What a run returns that was given no plan of its model."""

OTHER_WEIGHTS = -2
"""What the check returns for the weights of another model."""

_MOST_THREADS = 1 << 16
"""Threads that a run makes use of."""

_FACTOR = 0x9E3779B97F4A7C15
"""What the number of a word is multiplied by, for its own odd number."""


@dataclass(frozen=True)
class Places:
    """The offsets of inputs and outputs in the mutable buffer of a bundle."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def _mark_of(program: ProgramOp, name: str) -> int:
    """The number that marks a complete plan of this program."""
    text = f"{name}\n{program.symbols}\n{program.inputs}\n{program.plan}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:7], "little") | 1


def lower_bundle_runs(
    program: ProgramOp, name: str, places: Places | None
) -> list[Function]:
    """The functions that run a program; without places, where a plan says."""
    buffers = (ADDRESS,) * (3 if places else 4)
    parallel = Signature(f"{name}_parallel", (*buffers, ADDRESS), INT32)
    b = Builder(Signature(name, buffers, INT32), "nounwind")
    b.leave(b.call(parallel, *b.parameters, NULL))
    run = _Run(program, Builder(parallel, "nounwind"))
    if places is None:
        run.read_plan(_mark_of(program, name))
    else:
        run.place([*places.inputs, *places.outputs])
    run.end()
    return [run.b.function, b.function]


class _Run:
    """Builds the function that fills a context, and runs the program with it."""

    def __init__(self, program: ProgramOp, b: Builder):
        """A context whose fields are all zero."""
        self.program, self.b, self.layout = program, b, layout_of(program)
        *_, self.constants, self.mutable, self.activations, self.threads = b.parameters
        self.context = b.alloca(self.layout.size)
        with b.loop(0, self.layout.size) as each:
            b.store(0, b.at(self.context, each.index))

    def store(self, value: Value, field: int) -> None:
        """Stores a value in a field of the context."""
        self.b.store(value, self.context, field)

    def place(self, offsets: Iterable[Value]) -> None:
        """Stores the addresses of inputs and outputs."""
        for at, offset in enumerate(offsets):
            self.store(self.b.offset(self.mutable, offset), self.layout.HEAD + at)

    def read_plan(self, mark: int) -> None:
        """Stores the addresses that a plan says, unless it is of another model."""
        b, memory = self.b, self.b.parameters[0]
        layout = plan_layout(self.program, is_placed=True)
        row = b.offset(memory, 8 * layout.first_row)
        b.leave_if(b.ne(b.load(row, RowLayout.USED), mark), NOT_PLANNED)
        self.store(row, ContextLayout.PLAN)
        count = len(layout.ranks)
        self.place([b.load(memory, layout.HEAD + at) for at in range(count)])

    def end(self) -> None:
        """Stores the rest, and runs; by one thread where no others are given."""
        b = self.b
        self.store(self.constants, ContextLayout.CONSTANTS)
        self.store(self.activations, ContextLayout.ACTIVATIONS)
        self.store(1, ContextLayout.THREADS)
        with b.when(b.ne(self.threads, NULL)):
            function = b.load(self.threads, 0, ADDRESS)
            with b.when(b.ne(function, NULL)):
                self.store(function, ContextLayout.FORK)
                self.store(b.load(self.threads, 1), ContextLayout.POOL)
                most = b.min(b.load(self.threads, 2), _MOST_THREADS)
                self.store(most, ContextLayout.THREADS)
        b.leave(b.call(RUN, self.context))


def lower_bundle_plan(program: ProgramOp, name: str) -> Function:
    """The function that plans, by `sr_plan`, and marks a plan that was made."""
    b = Builder(Signature(f"{name}_plan", (ADDRESS, ADDRESS), INT32), "nounwind")
    sizes, memory = b.parameters
    layout = plan_layout(program, is_placed=True)
    used = layout.first_row + RowLayout.USED
    for field in (used, PlanLayout.PLACED, PlanLayout.ACTIVATIONS):
        b.store(0, memory, field)
    for at in range(len(program.symbols)):
        field = layout.first_row + layout.row.first_symbol + at
        b.store(b.load(sizes, at), memory, field)
    status = b.call(PLAN, memory)
    b.leave_if(b.ne(status, 0), status)
    b.store(_mark_of(program, name), memory, used)
    b.leave(0)
    return b.function


def sum_of_words(pieces: Iterable[npt.NDArray[np.uint8]]) -> tuple[int, int]:
    """
    The words of weights, which are whole in each piece, and their sum: each word times
    an odd number of its own. So one word that differs always shows, and several do
    unless by chance.
    """
    count, total = 0, 0
    for piece in pieces:
        words = piece.view(np.uint64)
        numbers = np.arange(count, count + words.size, dtype=np.uint64)
        odd: npt.NDArray[Any] = numbers * np.uint64(_FACTOR) | np.uint64(1)
        total += int(np.sum(words * odd, dtype=np.uint64))
        count += words.size
    return count, total % 2**64


def lower_bundle_check(name: str, pieces: Iterable[npt.NDArray[np.uint8]]) -> Function:
    """
    The function that compares the sum of the weights in memory with the sum over
    `pieces`. Other weights may have indices beyond the tables that a run reads.
    """
    count, expected = sum_of_words(pieces)
    b = Builder(Signature(f"{name}_check", (ADDRESS,), INT32), "nounwind")
    with b.loop(0, count, total=0) as word:
        value = b.load(b.at(b.parameters[0], word.index))
        odd = b.binary("or", b.mul(word.index, _FACTOR - 2**64), 1)
        word.total = b.add(word.total, b.mul(value, odd))
    wanted = expected - 2**64 if expected >= 2**63 else expected
    b.leave(b.select(b.eq(word.total, wanted), 0, OTHER_WEIGHTS))
    return b.function
