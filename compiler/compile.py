"""
`compile`: turn a model into a `StaticModule`, or load its artifact from the cache.

A model that was compiled before, with the same options, for the same target, by the
same version, is loaded: no front end, pass or optimiser runs, and xDSL is imported only
when the model has ops that run their reference.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime import Cache, default_folder
from ..runtime.call import CompiledModule, StaticModule
from ..runtime.files import Array
from ..runtime.library import Artifact
from ..runtime.machine import check_whole, unforked
from .artifact_cache import find_artifact, keep_artifact, key_of
from .building import alone
from .first_call import compile_or_bind
from .freed_memory import give_back_freed_memory
from .front_end import as_path, is_read, reader_of
from .kept_model import Kept, keep, kept_in_cache
from .observers import Observers, marks_of, note_module, observers
from .origin import Origin, graph_model, graph_of, is_long, origin_note, parts_of
from .recipe import ModuleRecipe, checked, opened
from .session import (
    CompileError,
    CompileReport,
    Given,
    GraphModel,
    Options,
    SourceFile,
    check_is,
    check_runs_here,
    machine_text,
    target_text,
    version,
    warm_report,
    with_constants,
)
from .sibling import Sibling

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .driver import AfterPass
    from .fast_start import Rest
    from .ir import SrContext
    from .tuning import Tuner


def compile(
    model: Any,
    example_inputs: Sequence[Any] | dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    target: str = "host",
    options: Options = Options(),
    constants: Mapping[str, Any] | None = None,
) -> StaticModule:
    """
    The compiled form of `model`, to be called with arrays.

    `model` is a path to an .onnx, .mlir or .pt2 file (of `torch.export.save`), an ONNX
    model as bytes or `ModelProto`, textual IR, a `torch.export.ExportedProgram`, or a
    `torch.nn.Module` with `example_inputs` and, where sizes may vary, `dynamic_shapes`
    as `torch.export` takes them. `target` is "host" or a name such as x86-64-v3 of what
    this machine can run.
    `constants` are values of inputs by name, which are inputs no more.
    Raises `CompileError` for a model that cannot be compiled, with all that is
    unsupported, and `OSError` for a file that cannot be read.
    """
    made = Compilation(model, example_inputs, dynamic_shapes, target, options)
    made = made.with_constants(constants or {})
    return made.run() if options.bind == "refuse" else compile_or_bind(made)


class Compilation:
    """One call of `compile`."""

    def __init__(
        self,
        model: Any,
        example_inputs: Any = None,
        dynamic_shapes: Any = None,
        target: str = "host",
        options: Options = Options(),
        after_pass: AfterPass | None = None,
    ):
        """The compilation of `model`; `after_pass` is told of the IR after a pass."""
        check_is("options as Options(...)", Options, options)
        check_is("the name of a target, such as host", str, target)
        self.model = as_path(model)
        given = {"example_inputs": example_inputs, "dynamic_shapes": dynamic_shapes}
        for name, value in given.items():
            if value is not None and is_read(self.model):
                raise CompileError(
                    f"expected {name} with a torch.nn.Module alone, got some with a "
                    "model that tells its inputs itself; leave them out"
                )
        self.example_inputs = example_inputs
        self.dynamic_shapes = dynamic_shapes
        self.target = target
        self.options = options
        self.after_pass = after_pass
        self.observers: Observers = ()
        self.is_profiled = self.observes = False
        self.given = Given.of(options)
        self.cache = Cache(default_folder()) if options.cache else None
        self.kept: Kept | None = None
        """Where the model is, for a module to be pickled, if not in its source."""
        self.rest: Rest | None = None
        """What is left to do once there is a module, which has quick code."""

    def with_constants(self, constants: Mapping[str, Any]) -> Compilation:
        """The compilation in which these inputs, too, are constants."""
        made = copy(self)
        made.given = self.given.with_constants(constants)
        return made

    def observed_by(self, observers: Observers) -> Compilation:
        """The compilation of a model whose calls observers are told of."""
        made = copy(self)
        made.observers = observers
        return made

    def run(self) -> StaticModule:
        """The compiled model, observed as far as this thread is."""
        made = self.observed_by(observers())
        made.check()
        if not self.options.enable_out_variant:
            with unforked():
                from .reference_module import ReferenceModule
            return ReferenceModule(made)
        module = made.make(key := made.key_of_file())
        note_module(module, made, key)
        return module

    def remake(self, origin: Origin, kept: Kept) -> StaticModule:
        """
        The module of an origin, whose artifact is found, or compiled from the model
        that is kept.
        """
        start = time.perf_counter()
        made = self.observed_by(observers())
        made.check()
        made.kept = kept
        key = made.key_of(*origin.parts) if made.keeps else None
        if (found := made.find(key, origin.files)) is None:
            made.model = kept()
            made.given = Given.of(made.options)
            key = made.key_of_file()
        module = made.make(key, found, start)
        note_module(module, made, key)
        return module

    def check(self) -> None:
        """Raises `CompileError` for what cannot be compiled here."""
        try:
            check_whole()
        except RuntimeError as error:
            raise CompileError(str(error)) from None
        check_runs_here(self.target, self.options.tune)

    def make(
        self, key: str | None, found: Artifact | None = None, since: float | None = None
    ) -> CompiledModule:
        """The compiled model, found since then or looked for by a key."""
        artifact, report = self.made(key, found, since)
        marks = marks_of(artifact, self.target, self.observers)
        module = Sibling(artifact, report, self.options, marks).first()
        rest, self.rest = self.rest, None
        module.recipe = self.recipe(artifact.notes)
        if rest is not None:
            rest.begin(module)
        return module

    def made(
        self, key: str | None, found: Artifact | None = None, since: float | None = None
    ) -> tuple[Artifact, CompileReport]:
        """The artifact, found since then or looked for by a key, and what it took."""
        start = time.perf_counter() if since is None else since
        if found is not None or (found := self.find(key)) is not None:
            return found, warm_report(found, start)
        with alone(), self.lock(key):
            artifact, report, file = self.compile(key, start)
        # By now there is nothing left of what the model was compiled from.
        give_back_freed_memory()
        if file is not None:
            return with_constants(artifact, report, file)
        return artifact, report

    def lock(self, key: str | None) -> AbstractContextManager[None]:
        """Lets one process at a time compile a model that many got at once."""
        if self.cache is None or key is None or not isinstance(self.model, GraphModel):
            return nullcontext()
        return self.cache.lock(key)

    def recipe(self, notes: Mapping[str, Any]) -> ModuleRecipe:
        """How the module of an artifact with these notes is made again."""
        made = self.observed_by(())
        kept = self.kept or kept_in_cache(graph_of(notes), self.cache)
        if kept is not None:
            made.model = made.example_inputs = made.dynamic_shapes = None
        return ModuleRecipe(restore, made, Origin.of(notes), kept)

    def compile(
        self, key: str | None, start: float
    ) -> tuple[Artifact, CompileReport, FileIO | None]:
        """
        The model read and compiled anew, unless what was read is found by that.

        Where the artifact was kept, its constants are in the file that is returned.
        """
        if isinstance(self.model, GraphModel) and (found := self.find(key)) is not None:
            # Another process had the lock.
            return found, warm_report(found, start), None
        before_import = time.perf_counter()
        # A child would wait for the thread that was importing.
        with unforked():
            from .driver import Driver
            from .fast_start import begun
            from .ir import context

            source, ctx, tried = self.source(), context(), key
            ctx.operators = set() if self.observers else None
            read = self.front_end(source)
            tuner = self.tuner()
        before_read = time.perf_counter()
        start += before_read - before_import
        module = read(ctx)
        reading = time.perf_counter() - before_read
        # Of the bytes that were read: the file may have been replaced since.
        parts, graph = self.parts_of(source), None
        if parts is None or is_long(source):
            graph = graph_model(module, ctx.weights)
            self.kept = keep(graph, self.cache)
            parts = parts or self.parts_of(graph)
        assert parts is not None, "a key says something of all that was read"
        key = self.key_of(*parts) if self.keeps else None
        if key != tried and (found := self.find(key)) is not None:
            return found, warm_report(found, start), None
        del source, read  # weights alone hold the bytes of a file from here
        cache = None if self.after_pass is not None else self.cache
        driver = Driver(ctx, self.options, self.target, cache, self.after_pass, tuner)
        driver.is_profiled, driver.observes = self.is_profiled, self.observes
        notes = origin_note(parts, ctx.weights.files, graph)
        if self.is_quick:
            self.rest, report = begun(driver, module, notes, key)
            seconds = time.perf_counter() - start
            report = replace(report, seconds=seconds, read_seconds=reading)
            return self.rest.quick, report, None
        artifact, report = driver.compile(module)
        artifact = replace(artifact, notes={**artifact.notes, **notes})
        before_keep = time.perf_counter()
        file = keep_artifact(self.cache, key, artifact, ctx.weights)
        block = artifact.block if file is None else np.zeros(0, np.uint8)
        end = time.perf_counter()
        report = replace(
            report,
            seconds=end - start,
            read_seconds=reading,
            keep_seconds=end - before_keep,
        )
        return replace(artifact, constants=block), report, file

    def tuner(self) -> Tuner | None:
        """What measures contractions on this machine, where that is asked for."""
        if not self.options.tune:
            return None
        from .tuning import Tuner

        return Tuner(self.cache, f"{version()} {machine_text()}")

    def source(self) -> Any:
        """What the front end reads: the model, or the bytes of its file."""
        return (
            SourceFile.read(self.model) if isinstance(self.model, Path) else self.model
        )

    def front_end(self, model: Any) -> Callable[[SrContext], ModuleOp]:
        """What reads the source into the graph dialect, with its framework imported."""
        return reader_of(model, self.example_inputs, self.dynamic_shapes, self.given)

    @property
    def is_quick(self) -> bool:
        """Whether quick code is to answer first: not where all of it is looked at."""
        is_looked_at = self.is_profiled or self.observes or self.options.check_memory
        is_looked_at |= bool(self.observers) or self.after_pass is not None
        return self.options.tier != "full" and not is_looked_at

    @property
    def keeps(self) -> bool:
        """Whether the model is looked for and kept: not when the passes are seen."""
        return self.cache is not None and self.after_pass is None

    def key_of_file(self) -> str | None:
        """The key of a model that is a file or text, which need not be read for it."""
        parts = self.parts_of(self.model) if self.keeps else None
        return None if parts is None else self.key_of(*parts)

    def parts_of(self, source: Any) -> tuple[str, ...] | None:
        """What a key says of a source; None where that must be read for it."""
        return parts_of(source, self.given, self.options.usable_threads)

    def key_of(self, *parts: str) -> str:
        """A hash of parts of a model, the options, the target and this version."""
        target = target_text(self.target, self.options.tune)
        trace = "traced" if self.observers else "profiled" * self.is_profiled
        trace += "observed" * self.observes
        return key_of(*parts, self.options.key, target, version(), trace)

    def find(
        self, key: str | None, files: Mapping[str, Any] | None = None
    ) -> Artifact | None:
        """
        The artifact with this key, if there is one for the model's other files, or for
        files from which that was read.
        """
        if (found := find_artifact(self.cache, key)) is None:
            return None
        noted = Origin.of(found.notes)
        if files is not None:
            return found if noted.files == files else None
        folder = self.model.parent if isinstance(self.model, Path) else Path()
        return found if noted.has_its_files_in(folder) else None


def restore(
    facts: bytes, digest: str, text: str, weights: dict[str, Array]
) -> StaticModule:
    """
    The module that was pickled, with its artifact from the cache or compiled again.

    Raises `pickle.UnpicklingError` for a pickle that was damaged.
    """
    target, options, origin, known = opened(facts, digest)
    model = checked(GraphModel(text, weights, known))
    made = Compilation(model, target=target, options=options)
    return made.remake(origin, keep(model, made.cache))
