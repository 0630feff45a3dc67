"""
`Context`: the memory of one run at a time.

The words of a context (`runtime/abi/layout.py`) are inputs, outputs, the block of
activations, and the plan row that says where in the block each slot begins. The rows
belong to the module; the block is the context's own. It grows when a plan needs more,
shrinks when many runs needed much less, and can be given back while nobody runs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import (
    CALL_OUT_ERROR,
    CALLS,
    EQUALITY_ERROR,
    NOT_SELECTED,
    RANGE_ERROR,
    SIZE_ERROR,
    dtype_of,
)
from ..files import shortened
from ..machine import Code, thread_pool
from ..plan import LOCK, NO_BLOCK, PlanTable, aligned_block, fits
from ..planning import Plan
from ..program import Program, evaluate, named
from .memory import NoMemory

Array: TypeAlias = npt.NDArray[Any]

_GROWTH_SHARE = 8
"""A block that grows again gets 1 / GROWTH_SHARE more, to grow in fewer steps."""


class _MemoryAsked(Protocol):
    """What compiled code asks before and after calls whose memory is checked."""

    def ask(self, number: int, table: int) -> int:
        """The answer to a question of this number, on the buffers in a table."""
        ...


class Context:
    """What one run reads and writes; several may run at once, each with its own."""

    def __init__(
        self,
        program: Program,
        code: Code,
        constants: npt.NDArray[np.uint8],
        call_out: int,
        plans: PlanTable,
        threads: int = 1,
    ):
        """
        A context of a program: `call_out` is the address of the function that runs its
        fallback ops, `plans` has the plans of its module, and `threads` is how many may
        share a kernel.
        """
        self.program = program
        self.code = code
        self.constants = constants
        self.plans = plans
        self.layout = program.layout
        self.words = np.zeros(self.layout.size + code.registers, np.uint64)
        self.address = self.words.ctypes.data
        self.activations = NO_BLOCK
        self.row: npt.NDArray[np.uint64] | None = None
        """The plan row of the last run that Python prepared, kept for that run."""
        self.error: BaseException | None = None
        """What a fallback op raised in the last run."""
        self.check: _MemoryAsked | None = None
        """What checks the memory of the run, if anything does."""
        self.words[self.layout.NEXT] = self.address
        self.words[self.layout.CONSTANTS] = constants.ctypes.data
        self.words[self.layout.CALL_OUT] = call_out
        self.words[self.layout.THREADS] = threads
        self.words[self.layout.LEFT] = CALLS
        if threads > 1:
            pool = thread_pool()
            pool.grow(threads)
            self.words[self.layout.POOL] = pool.address
            self.words[self.layout.FORK] = pool.fork
        plans.watch(self.words)
        if not program.symbols:
            self.prepare({})

    @property
    def symbols(self) -> dict[str, int]:
        """What the symbols were in the last run; none before the first."""
        return self.plans.symbols_of(self.words)

    @property
    def plan(self) -> Plan:
        """The plan of the last run; an empty one before the first with symbols."""
        return self.plans.plan_of(self.words)

    @property
    def is_to_look(self) -> bool:
        """Whether the next `prepare` looks if the block is too large."""
        return not self.words[self.layout.LEFT]

    @property
    def is_idle(self) -> bool:
        """Whether no run has the context."""
        return int(self.words[self.layout.NEXT]) != self.address

    def prepare(self, symbols: Mapping[str, int]) -> None:
        """
        Plans a run in which the symbols have these values, and sees to its memory.

        Only a context that is borrowed may be prepared. Raises `MemoryError` when there
        is not enough, with the sizes and the largest tensor.
        """
        size = self.program.bytes
        if not self.program.symbols:
            self.reserve(size, symbols)
            self.code.note(int(self.words[self.layout.PLAN]), 0)
            return
        row = self.plans.row_for(symbols)
        size = max(int(row[self.plans.layout.BYTES]), self.plans.planned_bytes)
        self.reserve(size, symbols)
        self.row = row
        self.words[self.layout.PLAN] = row.ctypes.data
        self._look(size)
        self.code.note(row.ctypes.data, 0)

    def reserve(self, size: int, symbols: Mapping[str, int]) -> None:
        """Makes the block one of `size` bytes at least."""
        with LOCK:
            old = self.activations.size
            if size > old:
                # What a block holds between runs is nothing.
                self._set_block(NO_BLOCK)
                more = old + old // _GROWTH_SHARE
                size = more if size < more and fits(more) else size
                self._set_block(aligned_block(size, lambda: self._need(symbols)))
            elif self.words[self.layout.BLOCK_BYTES] != old:
                self._set_block(self.activations)

    def release(self) -> None:
        """Gives the block back if no run has the context; the next run gets another."""
        with LOCK:
            if self.is_idle:
                # A run that begins from here on asks Python for memory first.
                self.words[self.layout.BLOCK_BYTES] = 0
            if self.is_idle:
                self._set_block(NO_BLOCK)

    def release_if_unused(self) -> None:
        """Gives the block back if no call had it since this was last asked."""
        if not self.words[self.layout.TOUCHED]:
            self.release()
        self.words[self.layout.TOUCHED] = 0

    def _set_block(self, block: npt.NDArray[np.uint8]) -> None:
        """Lets runs use a block from now on."""
        self.words[self.layout.ACTIVATIONS] = block.ctypes.data
        self.words[self.layout.BLOCK_BYTES] = block.size
        self.activations = block

    def _look(self, size: int) -> None:
        """
        Notes what a call needs, and shrinks a block after enough calls that needed
        little.
        """
        self.words[self.layout.TOUCHED] = 1
        peak = int(self.words[self.layout.PEAK])
        if self.plans.shrinks(self.address, size):
            with LOCK:
                self._set_block(NO_BLOCK)
                most = max(peak, size, 1)
                self._set_block(aligned_block(most, lambda: self.program.name))
            # The count begins anew, as by a call that needs all of it.
            self.plans.shrinks(self.address, most)

    def _need(self, symbols: Mapping[str, int]) -> str:
        """What the block is for, as a message says it, with the largest tensor."""
        text = f"what {self.program.name} computes"
        if symbols:
            text += f" with {named(symbols)}"
        slots = self.program.slots
        if slots:
            largest = max(slots, key=lambda each: evaluate(each.bytes, symbols))
            text += f"; the largest tensor has {evaluate(largest.bytes, symbols)} bytes"
            text += f" ({largest.source})" if largest.source else ""
        return text

    def run(
        self,
        inputs: Sequence[Array],
        symbols: Mapping[str, int],
        given: Sequence[Array] | None = None,
    ) -> Sequence[Array]:
        """
        The outputs for contiguous inputs of the declared dtypes and of these sizes, in
        arrays that are given or made.

        Raises `IndexError` for an index out of its range, `ValueError` for a size that
        is computed and does not fit, or what a fallback op raised.
        """
        self.prepare(symbols)
        outputs = self.make_outputs(symbols) if given is None else given
        self.point_at(inputs, outputs)
        self.error = None
        status = self.enter()
        if status:
            raise self.failure(status)
        return self.cut(outputs, symbols) if given is None else given

    def enter(self) -> int:
        """Runs what was prepared, and notes which indices were in order; the status."""
        status = self.code.run(self.address)
        if self.layout.orders:
            row, orders = self.words[[self.layout.PLAN, self.layout.order]].tolist()
            self.code.note(row, orders)
        return status

    def make_outputs(self, symbols: Mapping[str, int]) -> list[Array]:
        """Arrays for the outputs; flat ones where only the run knows the shape."""
        program = self.program
        shapes: list[tuple[int, ...]] = [
            (evaluate(each, symbols),) for each in program.capacities
        ]
        if not program.defined:
            shapes = [info.sizes(symbols) for info in program.outputs]
        made: list[Array] = []
        for shape, info in zip(shapes, program.outputs, strict=True):
            with NoMemory(f"output {info.shown} of shape {shape}"):
                made.append(np.empty(shape, dtype_of(info.dtype)))
        return made

    def known_symbols(self, symbols: Mapping[str, int]) -> dict[str, int]:
        """What the symbols are, those that the last run defined among them."""
        first = self.layout.first_defined
        values = self.words[first : first + self.layout.defined].astype(np.int64)
        return {**symbols, **dict(zip(self.program.defined, map(int, values)))}

    def cut(
        self, outputs: Sequence[Array], symbols: Mapping[str, int]
    ) -> Sequence[Array]:
        """The outputs in the shapes that the run defined."""
        if not self.program.defined:
            return outputs
        known = self.known_symbols(symbols)
        results: list[Array] = []
        for array, info in zip(outputs, self.program.outputs, strict=True):
            shape = info.sizes(known)
            count = math.prod(shape)
            whole = array if count == array.size else array[:count].copy()
            results.append(whole.reshape(shape))
        return results

    def point_at(self, inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
        """Lets the next run read `inputs` and write `outputs`."""
        layout = self.layout
        for at, array in enumerate(inputs):
            self.words[layout.HEAD + at] = array.ctypes.data
        for at, array in enumerate(outputs):
            self.words[layout.first_output + at] = array.ctypes.data

    def failure(self, status: int) -> BaseException:
        """What went wrong in the last run, which ended with this status."""
        number = int(self.words[self.layout.FAILED])
        source = shortened(self.program.calls[number], 800)
        if self.error is not None:
            error, self.error = self.error, None
            error.add_note(f"in {source}")
            return error
        if status == CALL_OUT_ERROR:
            # ctypes prints and drops what is raised before the op's function begins.
            return KeyboardInterrupt(f"in {source}")
        if status == NOT_SELECTED:
            error = self.code.absent(number)
            error.add_note(f"in {source}")
            return error
        first = self.layout.ERROR
        index, least, bound = self.words[first : first + 3].astype(np.int64)
        if status == SIZE_ERROR:
            return ValueError(source)
        if status == EQUALITY_ERROR:
            return ValueError(f"{source}, got {index} and {least}")
        if status == RANGE_ERROR:
            return ValueError(
                f"{source}: expected a size from {least} to {bound}, got {index}"
            )
        if bound == 0:
            return IndexError(f"{source}: expected no index into nothing, got {index}")
        return IndexError(
            f"{source}: expected an index from {least} to {bound - 1}, got {index}"
        )
