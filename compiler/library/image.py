"""Write the image of a model as data (`runtime/library/model_image.py`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from ...dialects import dtype, sizes
from ...dialects.loop import ProgramOp
from ...lowering.program_to_host import limits_of, refusals, sum_of_words
from ...runtime.abi import WORD, Words
from ...runtime.library import (
    IMAGE_FOOT,
    ImageHead,
    Selection,
    counts_of,
    missing_structure,
)
from ...runtime.plan import PlanCode
from ...runtime.program import ConstantBlock, Program
from ..session import version
from .facts import needs_of


@dataclass(frozen=True)
class Called:
    """What a program calls: bytecode, its registers, kernels by numbers, and needs."""

    code: Words
    registers: int
    kernels: Sequence[str]
    arguments: Sequence[int]

    uses: Sequence[tuple[str, Selection]]
    """Of each op that may end a run the kernel, and what it uses of a library."""


def write_image(
    program: ProgramOp,
    known: Program,
    called: Called,
    plans: PlanCode,
    constants: ConstantBlock,
) -> bytes:
    """The image of a program; `known` is what the runtime knows of it."""
    image = _Image()
    head = image.head
    kernels = len(called.kernels)
    counts = counts_of(known, plans.layout, constants.nbytes, kernels) | {
        ImageHead.VERSION: image_version(),
        ImageHead.REGISTERS: called.registers,
        ImageHead.PLAN_REGISTERS: plans.registers,
        ImageHead.CODE_WORDS: called.code.size,
        ImageHead.PLAN_WORDS: plans.code.size,
    }
    for place, count in counts.items():
        head[place] = count
    rows, needs = _calls(known, called)
    tables = {
        (ImageHead.SYMBOLS, ImageHead.SYMBOL_TABLE): limits_of(program),
        (None, ImageHead.TENSOR_TABLE): _tensors(program, known),
        (ImageHead.KERNELS, ImageHead.KERNEL_TABLE): zip(
            called.kernels, called.arguments, strict=True
        ),
        (ImageHead.CALLS, ImageHead.CALL_TABLE): rows,
        (None, ImageHead.NEED_TABLE): needs,
        (ImageHead.REFUSALS, ImageHead.REFUSAL_TABLE): (
            (each,) for each in refusals(program)
        ),
    }
    for (count, place), rows in tables.items():
        image.add_table(count, place, rows)
    orders = [each for order in known.orders for each in order]
    image.add(ImageHead.ORDERS, np.array([*orders, *[0] * (len(orders) % 2)], "<i4"))
    image.add(ImageHead.CODE, called.code)
    image.add(ImageHead.PLAN_CODE, plans.code)
    return image.closed(constants)


def image_version() -> int:
    """What kernels and images must have in common, as a number."""
    return int(version()[:15], 16)


def _tensors(program: ProgramOp, known: Program) -> Iterable[tuple[str, str, int, int]]:
    """The rows of the table of inputs and outputs."""
    types = (*program.input_types, *program.output_types)
    infos = (*known.inputs, *known.outputs)
    for type, info in zip(types, infos, strict=True):
        yield info.name, info.dtype, dtype(type).itemsize, len(sizes(type))


def _calls(
    known: Program, called: Called
) -> tuple[list[tuple[str, str, int, int]], list[tuple[int, str, str, str]]]:
    """The rows of the table of calls, and of what they need of a selection."""
    needs: list[tuple[int, str, str, str]] = []
    places: dict[tuple[tuple[int, str, str, str], ...], int] = {}
    rows: list[tuple[str, str, int, int]] = []
    for source, (kernel, used) in zip(known.calls, called.uses, strict=True):
        own = tuple(needs_of(used))
        if own not in places:
            places[own] = len(needs)
            needs += own
        said = str(missing_structure(kernel)) if kernel else ""
        rows.append((source, said, places[own], len(own)))
    return rows, needs


@dataclass
class _Image:
    """An image that is being written."""

    words: list[int] = field(default_factory=lambda: [0] * len(ImageHead))
    texts: bytearray = field(default_factory=bytearray)
    places: dict[int, str] = field(default_factory=dict[int, str])
    """The words that will say where a text is."""

    @property
    def head(self) -> list[int]:
        """The words so far, the head first."""
        return self.words

    def add(self, place: ImageHead, values: np.ndarray) -> None:
        """Adds words, where `place` says."""
        self.head[place] = len(self.words)
        self.words += values.view("<i8").tolist()

    def add_table(
        self,
        count: ImageHead | None,
        place: ImageHead,
        rows: Iterable[Sequence[int | str]],
    ) -> None:
        """Adds a table of numbers and texts, and how many rows it has."""
        self.head[place] = len(self.words)
        number = 0
        for row in rows:
            for each in row:
                if isinstance(each, str):
                    self.places[len(self.words)] = each
                self.words.append(0 if isinstance(each, str) else each)
            number += 1
        if count is not None:
            self.head[count] = number

    def closed(self, constants: ConstantBlock) -> bytes:
        """The image with its texts and its end."""
        known: dict[str, int] = {}
        for at, text in self.places.items():
            if text not in known:
                known[text] = len(self.words) * WORD + len(self.texts)
                self.texts += text.encode().replace(b"\0", b" ") + b"\0"
            self.words[at] = known[text]
        self.texts += b"\0" * (-len(self.texts) % WORD)
        words = [*self.words, *np.frombuffer(self.texts, "<i8").tolist()]
        total = len(words) + IMAGE_FOOT
        last = np.array(words, "<i8")
        _, sum = sum_of_words(chain(constants.pieces(), [last.view(np.uint8)]))
        foot = np.array([sum, total], "<u8").view("<i8")
        return np.append(last, foot).astype("<i8").tobytes()
