"""
`StaticRuntime`: the memory of one caller's runs, planned for the sizes it last saw.

A run writes to a context (`runtime/layout.py`): inputs, outputs, the block of
activations and where each slot begins in it. With symbolic sizes the plan is made when
sizes are first met, and the last few plans are kept.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from .code import Code
from .layout import CALL_OUT_ERROR, EQUALITY_ERROR, RANGE_ERROR, SIZE_ERROR
from .memory import NoMemory
from .planning import Plan, Record, plan
from .program import LIMIT, Program, named
from .size import evaluate
from .thread_pool import thread_pool

Array: TypeAlias = npt.NDArray[Any]

ALIGNMENT = 64
KEPT_PLANS = 64
"""Plans of other sizes that are kept; the one unused for longest is dropped first."""


def aligned_block(size: int) -> npt.NDArray[np.uint8]:
    """Memory of so many bytes that begins at a multiple of the alignment."""
    block = np.empty(size + ALIGNMENT, np.uint8)
    start = -block.ctypes.data % ALIGNMENT
    return block[start : start + size]


class StaticRuntime:
    """The state of one caller; several may run at once, each with its own."""

    def __init__(
        self,
        program: Program,
        code: Code,
        constants: npt.NDArray[np.uint8],
        call_out: int,
        threads: int = 1,
    ):
        """
        A runtime of a program: `call_out` is the address of the function that runs its
        fallback ops, and `threads` how many may share a kernel.
        """
        self.program = program
        self.code = code
        self.constants = constants
        self.layout = program.layout
        self.context = np.zeros(self.layout.size, np.uint64)
        self.address = self.context.ctypes.data
        self.activations = aligned_block(0)
        self.plans: OrderedDict[tuple[int, ...], Plan] = OrderedDict()
        self.symbols: dict[str, int] = {}
        self.error: BaseException | None = None
        """What a fallback op raised in the last run."""
        self.context[self.layout.CONSTANTS] = constants.ctypes.data
        self.context[self.layout.CALL_OUT] = call_out
        self.context[self.layout.THREADS] = threads
        if threads > 1:
            pool = thread_pool()
            pool.grow(threads)
            self.context[self.layout.POOL] = pool.address
            self.context[self.layout.FORK] = pool.fork
        # No size is all ones: until the first plan the entry finds no sizes it knows.
        first = self.layout.first_symbol
        self.context[first : first + self.layout.symbols] = np.uint64(2**64 - 1)
        if not program.symbols:
            self.reserve(program.bytes)

    def reserve(self, size: int) -> None:
        """Allocates `size` bytes for activations, unless there are as many already."""
        if size > self.activations.size:
            with NoMemory(f"{size} bytes for what {self.program.name} computes"):
                self.activations = aligned_block(size)
        self.context[self.layout.ACTIVATIONS] = self.activations.ctypes.data

    @property
    def plan(self) -> Plan:
        """The plan that the next run of the same sizes uses."""
        if not self.program.symbols:
            offsets = tuple(slot.offset for slot in self.program.slots)
            return Plan(offsets, self.program.bytes, self.program.lower_bound)
        return self.plan_for(self.symbols) if self.symbols else Plan((), 0, 0)

    def prepare(self, symbols: Mapping[str, int]) -> None:
        """Plans the memory for a run in which the symbols have these values."""
        if not self.program.symbols or symbols == self.symbols:
            return
        made = self.plan_for(symbols)
        self.reserve(made.total)
        layout = self.layout
        for at, name in enumerate(self.program.symbols):
            self.context[layout.first_symbol + at] = symbols[name]
        slots = slice(layout.first_slot, layout.first_slot + layout.slots)
        self.context[slots] = np.array(made.offsets, np.uint64)
        self.symbols = dict(symbols)

    def plan_for(self, symbols: Mapping[str, int]) -> Plan:
        """The plan for these sizes: one that was made before, or a new one."""
        key = tuple(symbols[name] for name in self.program.symbols)
        if key in self.plans:
            self.plans.move_to_end(key)
            return self.plans[key]
        self.program.check_reach(symbols)
        slots = self.program.slots
        if self.program.is_planned:
            offsets = tuple(slot.offset for slot in slots)
            made = Plan(offsets, self.program.bytes, self.program.lower_bound)
        else:
            records = [
                Record(evaluate(slot.bytes, symbols), slot.first, slot.last)
                for slot in slots
            ]
            together = sum(each.size + ALIGNMENT for each in records)
            if together >= LIMIT:
                raise ValueError(
                    "expected sizes with which activations are less than 2**62 bytes, "
                    f"got {together} bytes with {named(symbols)}"
                )
            made = plan(records, self.program.planner, ALIGNMENT)
        self.plans[key] = made
        if len(self.plans) > KEPT_PLANS:
            self.plans.popitem(last=False)
        return made

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
        status = self.code.run(self.address)
        if status:
            raise self.failure(status)
        return self.cut(outputs, symbols) if given is None else given

    def make_outputs(self, symbols: Mapping[str, int]) -> list[Array]:
        """Arrays for the outputs; flat ones where only the run knows the shape."""
        program = self.program
        shapes: list[tuple[int, ...]] = [
            (evaluate(room, symbols),) for room in program.room
        ]
        if not program.defined:
            shapes = [info.sizes(symbols) for info in program.outputs]
        made: list[Array] = []
        for shape, info in zip(shapes, program.outputs, strict=True):
            with NoMemory(f"output {info.name} of shape {shape}"):
                made.append(np.empty(shape, info.dtype))
        return made

    def known_symbols(self, symbols: Mapping[str, int]) -> dict[str, int]:
        """What the symbols are, those that the last run defined among them."""
        first = self.layout.first_defined
        values = self.context[first : first + self.layout.defined].astype(np.int64)
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
            self.context[layout.HEAD + at] = array.ctypes.data
        for at, array in enumerate(outputs):
            self.context[layout.first_output + at] = array.ctypes.data

    def failure(self, status: int) -> BaseException:
        """What went wrong in the last run, which ended with this status."""
        source = self.program.calls[int(self.context[self.layout.FAILED])]
        if self.error is not None:
            error, self.error = self.error, None
            error.add_note(f"in {source}")
            return error
        if status == CALL_OUT_ERROR:
            # ctypes prints and drops what is raised before the op's function begins.
            return KeyboardInterrupt(f"in {source}")
        first = self.layout.ERROR
        index, least, bound = self.context[first : first + 3].astype(np.int64)
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
