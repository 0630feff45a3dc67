"""
Run a program and check its memory before and after each call of a kernel.

All that a run works on is in memory of the check, between red zones. Bytes that belong
to no value, since none is there yet or its last use is over, have a pattern. After a
kernel every byte that is not its result must be as it was before. Then memory is put
back, the pattern is another, and the kernel runs again: a result that differs was
computed from bytes that belong to nothing.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import AGAIN, CALLED, WHOLE, WORD, RowLayout
from ..call import Context
from .guarded_area import Area, Range, first_run
from .memory_notes import CheckedCall, Memory, MemoryNotes

Array: TypeAlias = npt.NDArray[Any]
Bytes: TypeAlias = npt.NDArray[np.uint8]

_PATTERNS = 0x7A, 0xFB
"""Bytes that belong to nothing: of all types great numbers, and far below zero."""

_MAX_COMPARED = 64 << 20
"""Bytes of constants from which on they are compared once a run, by a sum."""


class MemoryFault(RuntimeError):
    """A kernel wrote or read memory that it must not."""


class _MemoryCheck:
    """The checks of one run."""

    def __init__(
        self,
        checks: MemoryChecks,
        context: Context,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
    ):
        """The memory of a run of a context that is prepared, with copies of inputs."""
        self.checks, self.notes, program = checks, checks.notes, context.program
        bytes = program.bytes
        if program.symbols:
            assert context.row is not None, "the context is prepared"
            bytes = int(context.row[RowLayout.BYTES])
        self.activations = Area.of("the activations", bytes)
        self.names: dict[Memory, str] = {}
        self.outputs: list[Area] = []
        for at, (array, info) in enumerate(zip(outputs, program.outputs, strict=True)):
            self.names["outputs", at] = name = f"output {info.shown}"
            self.outputs.append(Area.of(name, array.nbytes))
        self.inputs: list[Area] = []
        self.same: set[tuple[Memory, Memory]] = set()
        for at, (array, info) in enumerate(zip(inputs, program.inputs, strict=True)):
            self.names["inputs", at] = name = f"input {info.shown}"
            area = self._donated(at, array, outputs)
            if area is None:
                area = Area.of(name, array.nbytes, is_fixed=True)
            area.own(("inputs", at), array)
            self.inputs.append(area)
        self.areas = list(
            dict.fromkeys([self.activations, *self.outputs, *self.inputs])
        )
        self.starts = {each.memory.ctypes.data: each for each in self.areas}
        self.runs = 0
        """How often the kernel of the call ran."""

    def _donated(self, at: int, array: Array, outputs: Sequence[Array]) -> Area | None:
        """The area of the output that is given the memory of an input."""
        for number, output in enumerate(outputs):
            if array.nbytes and array.ctypes.data == output.ctypes.data:
                self.same.add((("inputs", at), ("outputs", number)))
                return self.outputs[number]
        return None

    def ask(self, number: int, table: int) -> int:
        """What compiled code asks before a call, and after it: whether to go on."""
        call = self.notes.calls[number // 2]
        words = (ctypes.c_int64 * (2 * len(call.buffers))).from_address(table)
        buffers = [*zip(words[::2], words[1::2], strict=True)]
        places = [self._place(*each) for each in buffers]
        if number % 2 == 0:
            self._before(number // 2, call, places)
            return CALLED
        return self._after(call, places)

    def _place(self, address: int, bytes: int) -> tuple[Area, int, int] | None:
        """The area of a buffer and its bytes there; None for constants."""
        for start, area in self.starts.items():
            if 0 <= address - start <= area.memory.size:
                begin = address - start
                end = area.end if bytes == WHOLE else begin + max(bytes, 0)
                return area, begin, end
        return None

    def _before(
        self, number: int, call: CheckedCall, places: Sequence[Any | None]
    ) -> None:
        """Checks that what a call reads is there, and notes all memory."""
        last = self.notes.last
        self.activations.shadow.drop(
            lambda owner: owner[0] == "activations" and last[owner[1]] < number
        )
        for memory, place in zip(call.buffers[: call.first_written], places):
            if place is not None and not place[0].is_fixed:
                self._check_read(number, call, memory, *place)
        for each in self.areas:
            each.fill(_PATTERNS[0])
        self.runs = 0
        _ = self.checks.kept

    def _check_read(
        self,
        number: int,
        call: CheckedCall,
        memory: Memory,
        area: Area,
        begin: int,
        end: int,
    ) -> None:
        """Raises `MemoryFault` unless a buffer that is read has its own bytes."""
        for first, past, owner in area.shadow.within(begin, end):
            what = f"bytes {first - begin} to {past - begin} of {self._name(memory)}"
            if owner is None:
                if memory[0] == "activations" and self.notes.last[memory[1]] < number:
                    raise MemoryFault(
                        f"expected {call.name} ({call.source}) to read what is there, "
                        f"got {what}, whose last use is over"
                    )
            elif not self._is_same(memory, owner):
                raise MemoryFault(
                    f"expected {call.name} ({call.source}) to read what is there, got "
                    f"{what}, where {self._name(owner)} was written since"
                )

    def _is_same(self, memory: Memory, owner: Memory) -> bool:
        """Whether what belongs to an owner may be read as other memory."""
        groups = self.notes.groups
        is_grouped = memory in groups and groups.get(owner) == groups[memory]
        pairs = {(memory, owner), (owner, memory)}
        return memory == owner or is_grouped or bool(pairs & self.same)

    def _after(self, call: CheckedCall, places: Sequence[Any | None]) -> int:
        """Checks what a call wrote; `AGAIN` where it is to run once more."""
        written = [each for each in places[call.first_written :] if each is not None]
        for area in self.areas:
            ranges = [(begin, end) for each, begin, end in written if each is area]
            if (found := area.changed(ranges)) is not None:
                raise self._wrote(call, area, found, ranges)
        if not self.checks.are_many and (found := self.checks.changed()) is not None:
            raise MemoryFault(
                f"expected {call.name} ({call.source}) to write to its result alone, "
                f"got bytes {found[0]} to {found[1]} of the constants changed"
            )
        self.runs += 1
        if self.runs == 1 and call.name.startswith("kernel"):
            for area in self.areas:
                area.first = area.memory.copy()
                np.copyto(area.memory, area.before)
                area.fill(_PATTERNS[1])
            return AGAIN
        owners = call.buffers[call.first_written :]
        for owner, (area, begin, end) in zip(owners, written, strict=True):
            if self.runs > 1:
                self._compare(call, owner, area, begin, end)
            area.shadow.give(begin, end, owner)
        return CALLED

    def _compare(
        self, call: CheckedCall, owner: Memory, area: Area, begin: int, end: int
    ) -> None:
        """Raises `MemoryFault` if the two runs of a kernel differ."""
        assert area.first is not None, "the kernel ran once before"
        one, other = area.first[begin:end], area.memory[begin:end]
        unwritten = (one == _PATTERNS[0]) & (other == _PATTERNS[1])
        if (found := first_run((one != other) & ~unwritten)) is not None:
            raise MemoryFault(
                f"expected {call.name} ({call.source}) to read what it is given alone, "
                f"got bytes {found[0]} to {found[1]} of {self._name(owner)} that "
                "depend on bytes which belong to no value"
            )

    def _wrote(
        self, call: CheckedCall, area: Area, found: Range, written: Sequence[Range]
    ) -> MemoryFault:
        """The error that a call wrote where it must not."""
        begin, end = found
        owner = area.shadow.owner_at(begin)
        if owner is None:
            what = f"{end - begin} bytes in {area.name} that belong to no value"
        else:
            name, at = self._name(owner[0]), owner[1]
            what = f"bytes {at} to {at + end - begin} of {name}"
        where = [f"{begin - past} bytes after its result" for _, past in written]
        where = [
            text if begin >= past else f"{first - end} bytes before its result"
            for text, (first, past) in zip(where, written, strict=True)
        ]
        place = f", {' and '.join(where)}" if where else ""
        return MemoryFault(
            f"expected {call.name} ({call.source}) to write to its result alone, got "
            f"{what} changed{place}"
        )

    def _name(self, memory: Memory) -> str:
        """What some memory is, as messages say it."""
        if (known := self.names.get(memory)) is not None:
            return known
        source = self.notes.writer_of(memory)
        return f"activation {memory[1]}" + (f" ({source})" if source else "")

    def end(self, outputs: Sequence[Array]) -> None:
        """Checks constants that are many, and copies the outputs."""
        if self.checks.are_many and self.checks.changed() is not None:
            raise MemoryFault(
                "expected kernels to leave the constants alone, got others after the "
                "run; a model with less than 64 MiB of them is told the kernel"
            )
        for area, array in zip(self.outputs, outputs, strict=True):
            np.copyto(array, area.content.view(array.dtype).reshape(array.shape))


@dataclass(frozen=True)
class MemoryChecks:
    """What the checks of all runs of a module know."""

    notes: MemoryNotes
    constants: Bytes

    @cached_property
    def kept(self) -> Bytes:
        """The constants as they were first, or their sum where they are many."""
        if self.are_many:
            return self._sum
        return self.constants.copy()

    @property
    def are_many(self) -> bool:
        """Whether constants are compared once a run."""
        return self.constants.size > _MAX_COMPARED

    @property
    def _sum(self) -> Bytes:
        """The sum of all constants as words."""
        words = self.constants[: self.constants.size // WORD * WORD].view(np.uint64)
        return np.atleast_1d(words.sum(dtype=np.uint64)).view(np.uint8)

    def changed(self) -> Range | None:
        """The first constants that changed, which then are put back if they can be."""
        if self.are_many:
            is_same = np.array_equal(self._sum, self.kept)
            return None if is_same else (0, self.constants.size)
        found = first_run(self.constants != self.kept)
        if found is not None and self.constants.flags.writeable:
            np.copyto(self.constants, self.kept)
        return found

    def run(
        self,
        context: Context,
        inputs: Sequence[Array],
        symbols: Mapping[str, int],
        given: Sequence[Array] | None = None,
    ) -> Sequence[Array]:
        """
        What `Context.run` returns, with its memory checked.

        Raises `MemoryFault` with the kernel, the op, the buffer and the bytes.
        """
        context.prepare(symbols)
        outputs = context.make_outputs(symbols) if given is None else given
        check = _MemoryCheck(self, context, inputs, outputs)
        words, activations = context.words, context.layout.ACTIVATIONS
        before = words[activations]
        words[activations] = check.activations.address
        for first, areas in (
            (context.layout.HEAD, check.inputs),
            (context.layout.first_output, check.outputs),
        ):
            words[first : first + len(areas)] = [each.address for each in areas]
        context.error, context.check = None, check
        try:
            status = context.enter()
        finally:
            context.check = None
            words[activations] = before
        if status:
            raise context.failure(status)
        check.end(outputs)
        return context.cut(outputs, symbols) if given is None else given
