"""A compilation whose program marks what it calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ...runtime import RAN, SHARED, Artifact, StaticModule
from ..building import alone, make_module
from ..compile import Compilation
from ..report import CompileReport
from ..selective import Selection, merge
from ..target import isa_name

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from ..call_notes import CallNotes
    from ..context import SrContext


@dataclass(frozen=True)
class Traced:
    """One compiled model: what it names, and what its calls would execute."""

    roots: frozenset[str]
    notes: CallNotes
    marks: npt.NDArray[np.uint8]
    features: frozenset[str]

    def selection(self, static: bool = False) -> Selection:
        """What ran so far; with `static`, what could run in any call."""
        marked = zip(self.notes.executed, self.marks, strict=True)
        called = [
            (each, RAN | SHARED if static else int(mark))
            for each, mark in marked
            if each.is_called
        ]
        ran = [each for each, mark in called if mark & RAN]
        features = {*self.features}
        if any(each.is_shared and mark & SHARED for each, mark in called):
            features.add("threads")
        from ..call_notes import selection_of

        return selection_of(self.roots, ran, features)


class TracedCompilation(Compilation):
    """A compilation that tells what it compiled."""

    def __init__(self, of: Compilation, tell: Callable[[Traced], None]):
        """The same compilation as another one."""
        self.__dict__ |= vars(of)
        self.tell = tell

    def run_alone(self) -> StaticModule:
        """The compiled model, whose calls set marks."""
        from ..call_notes import CallNotes

        self.notes = CallNotes()
        self.roots: set[str] = set()
        self.after_pass = self.notes.after_pass
        return super().run_alone()

    def run_passes(self) -> None:
        """Compiles as far as the calls are known, for a machine of any kind."""
        from ..call_notes import CallNotes

        self.notes = CallNotes()
        self.roots = set()
        with alone():
            from ..context import context
            from ..describe import describe, program_of
            from ..driver import Driver

            ctx = context()
            module = self.front_end(self.source())(ctx)
            after = self.notes.after_pass
            Driver(ctx, self.options, self.target, None, after).run_passes(module)
            program = describe(program_of(module))
        self.tell_of(bool(program.symbols or program.defined))

    def front_end(self, model: Any) -> Callable[[SrContext], ModuleOp]:
        """What reads the source, and notes the operators that it names."""
        read = super().front_end(model)

        def read_names(ctx: SrContext) -> ModuleOp:
            ctx.operators = self.roots
            return read(ctx)

        return read_names

    def link(self, artifact: Artifact, report: CompileReport) -> StaticModule:
        """The module of an artifact, whose calls set marks."""
        program = artifact.program
        marks = self.tell_of(bool(program.symbols or program.defined))
        return make_module(artifact, report, self.options.usable_threads, marks)

    def tell_of(self, is_dynamic: bool) -> npt.NDArray[np.uint8]:
        """Tells of what was compiled; the marks that its calls set."""
        marks = np.zeros(len(self.notes.executed), np.uint8)
        features = {"python_entry", f"isa:{isa_name(self.target)}"}
        features |= {"dynamic_shapes"} if is_dynamic else set()
        roots = frozenset(self.roots)
        self.tell(Traced(roots, self.notes, marks, frozenset(features)))
        return marks


def static_selection(compilations: Iterable[Compilation]) -> Selection:
    """What models could execute, on any inputs of any sizes; none is run."""
    found: list[Traced] = []
    for each in compilations:
        TracedCompilation(each, found.append).run_passes()
    return merge(each.selection(static=True) for each in found)
