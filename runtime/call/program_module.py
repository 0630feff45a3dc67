"""`ProgramModule`: a module of one program, which says what calls take and return."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..program import Program
from .arguments import bind_symbols, to_arrays
from .module import OUT, StaticModule
from .structure import builder, match_tree, parameters
from .texts import TEXT

Array: TypeAlias = npt.NDArray[Any]


class ProgramModule(StaticModule):
    """A module of a program; what runs it, subclasses say."""

    def __init__(
        self, program: Program, is_strict: bool, declared: Program | None = None
    ):
        """
        The module of `program`, which takes arrays alone if it is strict. Callers know
        it as `declared`, if that differs from what is run.
        """
        self._declared = declared or program
        names = [each.name for each in program.outputs]
        super().__init__(self._declared.inputs, names)
        self._program = program
        self._is_strict = is_strict
        self._build = builder(program.structure)
        structure = program.structure
        none = frozenset[str]()
        self._texts = none if structure is None else structure.inputs_of_texts
        """The inputs that are texts, whose numbers Python is to find."""

    @property
    def program(self) -> Program:
        """Inputs, outputs, memory and calls of the model."""
        return self._program

    def bind_arguments(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[list[Array], dict[str, int]]:
        """The arrays that the program takes, and what the symbols are with them."""
        arrays = self.arrays_of(arguments, named)
        return arrays, bind_symbols(self._program, arrays)

    def arrays_of(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> list[Array]:
        """Contiguous arrays of the declared dtypes; their shapes may be wrong."""
        infos = self._program.inputs
        values = match_tree(self._program.structure, infos, arguments, named)
        return to_arrays(values, infos, self._is_strict)

    def __repr__(self) -> str:
        texts = self._texts
        inputs = ", ".join(
            f"{each.name}: {replace(each, dtype=TEXT) if each.name in texts else each}"
            for each in self._inputs
        )
        outputs = ", ".join(map(str, self._declared.outputs))
        tier = "" if self.aside is None else " by fast-start code"
        return f"<StaticModule {self._program.name}({inputs}) -> {outputs}{tier}>"

    def _call_names(self) -> npt.NDArray[np.object_]:
        """
        The names by which compiled code takes inputs, and then the one for outputs:
        None where Python is to say what is meant.
        """
        structure = self._program.structure
        tree = None if structure is None else structure.inputs
        is_plain = tree is None or not tree.has_complex
        names = [sys.intern(each.name) for each in self._program.inputs]
        known: list[str | None] = [each if is_plain else None for each in names]
        last = None if self._has_input_out else OUT
        return np.array([*known, last], object)

    @cached_property
    def _has_input_out(self) -> bool:
        """Whether the name by which a caller gives outputs is that of an input."""
        return OUT in (*self.input_names, *parameters(self._program.structure))
