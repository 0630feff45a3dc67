"""
A model as data: bytecode, constants, and what it needs of a library of kernels.

It is an artifact (`artifact.py`) whose only object is an image (`model_image.py`); its
notes say the rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..abi import (
    DTYPE_NAMES,
    WIDTH,
    WORTH_RELEASING,
    ModelTable,
    Opcode,
    State,
    Words,
    check_bytecode,
)
from ..machine import Code, Interpreted, prebuilt_interpreter
from ..plan import PlanCode, PlanLayout
from ..program import Program, Size, evaluate, symbols_in
from .artifact import Artifact
from .coverage import refusal_of_call, refusals
from .kernel_library import KernelLibrary, from_json
from .model_image import ModelImage, counts_of
from .not_selected import NotSelectedError, missing_structure
from .selection import Selection

IS_DATA = "needs"
"""The note that only a model as data has: what must be there when it is loaded."""

WORK = "work"
"""The note of the points of the loops of a run, a number or a size of symbols."""


@dataclass(frozen=True)
class DataModel:
    """What the notes and the only object of an artifact say."""

    code: Words
    registers: int
    plans: PlanCode
    kernels: Sequence[str]
    """The kernels that it calls, by their numbers."""

    arguments: Sequence[int]
    """How many arguments each of them takes."""

    needs: Selection

    uses: Sequence[Selection]
    """What the call of each number uses of the library."""

    program: Program

    work: Size
    """The points of the loops of a run."""

    @staticmethod
    def of(artifact: Artifact) -> DataModel:
        """The model in an artifact; raises `ValueError` where that is none."""
        notes, program = artifact.notes, artifact.program
        try:
            kernels = [str(each) for each in notes["kernels"]]
            arguments = [int(each) for each in notes["arguments"]]
            table = [from_json(each) for each in notes["uses"]]
            tensors = () if program.defined else (*program.inputs, *program.outputs)
            ranks = tuple(len(each.shape) for each in tensors)
            layout = PlanLayout(program.row_layout, ranks)
            size = artifact.constants.nbytes
            counts = counts_of(program, layout, size, len(kernels))
            image = ModelImage.of(artifact.objects[0], layout, counts)
            made = DataModel(
                *(image.code, image.registers, image.plans),
                kernels,
                arguments,
                from_json(notes[IS_DATA]),
                [table[int(each)] for each in notes["calls"]],
                program,
                notes[WORK],
            )
            made.more(dict.fromkeys(program.symbols, 1))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"expected a model as data, got {error}") from error
        if len(arguments) != len(kernels):
            raise ValueError(f"expected arguments of {len(kernels)} kernels")
        fields = program.layout.size
        calls = min(len(made.uses), len(program.calls))
        check_bytecode(made.code, made.registers, arguments, fields, calls)
        return made

    @property
    def is_taken(self) -> bool:
        """Whether the entry of models as data takes the calls of this one."""
        program, defined = self.program, {*self.program.defined}
        sizes = {each for info in program.outputs for each in info.shape}
        names = {name for each in sizes for name in symbols_in(each)}
        counts = len(program.inputs), len(program.outputs), len(program.symbols)
        return not names & defined and max(counts) <= ModelTable.ARRAYS

    def more(self, symbols: Mapping[str, int]) -> list[int]:
        """The words that the entry reads after a plan row for these symbols."""
        is_long = evaluate(self.work, symbols) >= WORTH_RELEASING
        infos = (*self.program.inputs, *self.program.outputs)
        sizes = (info.sizes(symbols) for info in infos) if self.is_taken else ()
        return [int(is_long), *(each for shape in sizes for each in shape)]

    def rows(self) -> list[tuple[int, int]]:
        """The rows of the table of the entry."""
        program = self.program
        kinds = [
            (State.DTYPES + DTYPE_NAMES.index(each.dtype), len(each.shape))
            for each in (*program.inputs, *program.outputs)
        ]
        places = {
            size: (number, axis)
            for number, info in enumerate(program.inputs)
            for axis, size in enumerate(info.shape)
        }
        return [*kinds, *(places[each] for each in program.symbols)]

    def link(self, library: KernelLibrary, interpreter: bytes | None = None) -> Code:
        """
        The code of the model over a library, with the object of the interpreter, which
        is that of the folder unless one is given.

        Raises `NotSelectedError` for what the library lacks of what a load needs, and
        `ValueError` for kernels that take other arguments. A kernel that it lacks is an
        error of the call that comes to it.
        """
        for error in refusals(library.selection, self.needs):
            raise error
        for name, count in zip(self.kernels, self.arguments, strict=True):
            known = library.about.get(name)
            if known is not None and known.arguments != count:
                raise ValueError(
                    f"expected {known.arguments} arguments for the kernel {name}, got "
                    f"a model that has {count}"
                )
        called: dict[int, str] = {}
        code = self.code.reshape(-1, WIDTH).copy()

        def refusal(call: int) -> NotSelectedError | None:
            error = refusal_of_call(library.selection, self.uses[call])
            if error is None and called[call] not in library.objects:
                return missing_structure(called[call])
            return error

        for at in np.flatnonzero(code[:, 0] == Opcode.CALL):
            kernel, call = int(code[at, 1]), int(code[at, 3])
            called[call] = self.kernels[kernel]
            if refusal(call) is not None:
                code[at, 1] = len(self.kernels)
        program = self.program
        head = {
            ModelTable.CONTEXT: program.layout.size,
            ModelTable.ROW: program.row_layout.size,
            ModelTable.INPUTS: len(program.inputs),
            ModelTable.OUTPUTS: len(program.outputs),
            ModelTable.SYMBOLS: len(program.symbols),
        }
        made = Interpreted(
            *(code.reshape(-1), self.registers, self.kernels, head, self.rows()),
            *(self.more, self.is_taken),
        )
        own = prebuilt_interpreter() if interpreter is None else interpreter
        return made.link(own, library.objects, refusal)
