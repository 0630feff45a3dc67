"""
A model as data: bytecode, constants, and what it needs of a library of kernels.

It is an artifact (`artifact.py`) whose only object is an image (`model_image.py`); its
notes say the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..abi import WIDTH, Opcode, Words, check_bytecode
from ..machine import Code, interpreted
from ..plan import PlanCode, PlanLayout
from .artifact import Artifact
from .coverage import refusal_of_call, refusals
from .kernel_library import KernelLibrary, from_json
from .model_image import ModelImage, counts_of
from .not_selected import NotSelectedError, missing_structure
from .selection import Selection

IS_DATA = "needs"
"""The note that only a model as data has: what must be there when it is loaded."""


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
            )
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise ValueError(f"expected a model as data, got {error}") from error
        if len(arguments) != len(kernels):
            raise ValueError(f"expected arguments of {len(kernels)} kernels")
        fields = program.layout.size
        calls = min(len(made.uses), len(program.calls))
        check_bytecode(made.code, made.registers, arguments, fields, calls)
        return made

    def link(self, library: KernelLibrary) -> Code:
        """
        The code of the model over a library.

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
        return interpreted(
            *(code.reshape(-1), self.registers, self.kernels),
            *(library.objects, refusal),
        )
