"""
`compile`: turn a model into a `StaticModule`, or load its artifact from the cache.

A model that was compiled before, with the same options, for the same target, by the
same version, is loaded: no front end, pass or optimiser runs, and xDSL is imported only
when the model has ops that run their reference.
"""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from copy import copy
from dataclasses import replace
from io import FileIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..runtime import Cache, default_folder
from ..runtime.call import StaticModule
from ..runtime.library import Artifact, ArtifactError, load, save
from ..runtime.machine import check_whole, unforked
from .building import alone, make_module
from .first_call import compile_or_bind
from .front_end import as_path, is_read, reader_of
from .observers import Observers, note_module, observers
from .session import (
    CompileError,
    CompileReport,
    Given,
    Options,
    SourceFile,
    check_is,
    check_runs_here,
    digest_of,
    host_text,
    is_as_noted,
    machine_text,
    version,
    warm_report,
    with_constants,
)

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .driver import AfterPass
    from .ir import SrContext, WeightStore
    from .tuning import Tuner

SUFFIX = ".sr"
"""How the name of an artifact ends."""

_FILES = "files"
"""The note of an artifact that says what was read of files beside the model's own."""

_NOTHING = np.zeros(0, np.uint8)
"""The constants of an artifact while they are in its file only."""


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

    `model` is a path to an .onnx or .mlir file, an ONNX model as bytes or `ModelProto`,
    textual IR, a `torch.export.ExportedProgram`, or a `torch.nn.Module` with
    `example_inputs` and, where sizes may vary, `dynamic_shapes` as `torch.export` takes
    them. `target` is "host" or a name such as x86-64-v3 of what this machine can run.
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
        for name, value in (
            ("example_inputs", example_inputs),
            ("dynamic_shapes", dynamic_shapes),
        ):
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
        self.is_profiled = False
        self.given = Given(options.bounds)
        self.cache = Cache(default_folder()) if options.cache else None

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
        module = made.make(key := made.key_of_file())
        note_module(module, made, key)
        return module

    def check(self) -> None:
        """Raises `CompileError` for what cannot be compiled here."""
        try:
            check_whole()
        except RuntimeError as error:
            raise CompileError(str(error)) from None
        check_runs_here(self.target)
        if self.options.tune and self.target != "host":
            raise CompileError(
                f"expected the target host, to measure on, got {self.target} with "
                "tune=True; leave one of them out"
            )

    def make(self, key: str | None) -> StaticModule:
        """The compiled model, looked for by a key."""
        artifact, report = self.made(key)
        marks = None
        if self.observers:
            from .ir import Traced

            traced = Traced.of(artifact.notes, artifact.program, self.target)
            for each in self.observers:
                each.add(traced)
            marks = traced.marks
        return make_module(
            *(artifact, report, self.options.usable_threads, marks),
            self.options,
        )

    def made(self, key: str | None) -> tuple[Artifact, CompileReport]:
        """The artifact, looked for by a key, and what it took."""
        start = time.perf_counter()
        file: FileIO | None = None
        if (found := self.find(key)) is not None:
            artifact, report = found, warm_report(found, start)
        else:
            with alone():
                artifact, report, file = self.compile(key, start)
        if file is not None:
            # By now there is nothing left of what the model was compiled from.
            return with_constants(artifact, report, file)
        return artifact, report

    def compile(
        self, key: str | None, start: float
    ) -> tuple[Artifact, CompileReport, FileIO | None]:
        """
        The model read and compiled anew, unless what was read is found by that.

        Where the artifact was kept, its constants are in the file that is returned.
        """
        before_import = time.perf_counter()
        # A child would wait for the thread that was importing.
        with unforked():
            from .driver import Driver
            from .ir import context

            source, ctx, tried = self.source(), context(), key
            ctx.operators = set() if self.observers else None
            read = self.front_end(source)
            tuner = self.tuner()
        before_read = time.perf_counter()
        start += before_read - before_import
        module = read(ctx)
        reading = time.perf_counter() - before_read
        if self.keeps and (key is None or isinstance(source, SourceFile)):
            key = self.key_of_read(source, module, ctx)
        if key != tried and (found := self.find(key)) is not None:
            return found, warm_report(found, start), None
        cache = None if self.after_pass is not None else self.cache
        driver = Driver(ctx, self.options, self.target, cache, self.after_pass, tuner)
        driver.is_profiled = self.is_profiled
        artifact, report = driver.compile(module)
        before_keep = time.perf_counter()
        file = self.keep(key, artifact, ctx.weights)
        block = artifact.block if file is None else _NOTHING
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
    def keeps(self) -> bool:
        """Whether the model is looked for and kept: not when the passes are seen."""
        return self.cache is not None and self.after_pass is None

    def key_of_file(self) -> str | None:
        """The key of a model that is a file or text, which need not be read for it."""
        match self.model:
            case Path() if self.keeps:
                digest = digest_of(self.model, self.options.usable_threads)
                return self.key_of("file", self.model.suffix, digest)
            case str() | bytes() if self.keeps:
                return self.key_of("data", self.model)
            case _:
                return None

    def key_of_read(self, source: Any, module: ModuleOp, ctx: SrContext) -> str:
        """
        The key of what was read.

        A file may have been replaced since it was looked for, so the key is of the
        bytes that were read of it, and of nothing that is still to be read.
        """
        if isinstance(source, SourceFile):
            digest = source.digest(self.options.usable_threads)
            return self.key_of("file", source.path.suffix, digest)
        from xdsl.printer import Printer

        # With locations, which messages of the compiled model name.
        text = StringIO()
        Printer(text, print_debuginfo=True).print_op(module)
        return self.key_of("ir", text.getvalue(), ctx.weights.digest())

    def key_of(self, *parts: str | bytes) -> str:
        """A hash of parts of a model, the options, the target and this version."""
        result = hashlib.sha256()
        target = target_text(self.target, self.options.tune)
        trace = "traced" if self.observers else "profiled" * self.is_profiled
        shared = (self.options.key, target, version(), trace, *self.given.parts())
        for part in (*parts, *shared):
            data = (
                part.encode(errors="surrogatepass") if isinstance(part, str) else part
            )
            # Apart, since to join them would copy a model that is given as bytes.
            result.update(len(data).to_bytes(8, "little"))
            result.update(data)
        return result.hexdigest()

    def find(self, key: str | None) -> Artifact | None:
        """The artifact with this key, if there is one for the model's other files."""
        if self.cache is None or key is None:
            return None
        file = self.cache.open(key, SUFFIX)
        if file is None:
            return None
        with file:
            try:
                found = load(file, key)
            except ArtifactError:
                # What is broken counts as absent: it is compiled and written again.
                return None
        files = found.notes.pop(_FILES, {})
        is_current = all(
            is_as_noted(self.folder, name, note) for name, note in files.items()
        )
        return found if is_current else None

    @property
    def folder(self) -> Path:
        """The folder of the model, which its other files are in."""
        return self.model.parent if isinstance(self.model, Path) else Path()

    def keep(
        self, key: str | None, artifact: Artifact, weights: WeightStore
    ) -> FileIO | None:
        """
        Writes the artifact of a model with these weights; it, open for reading, or None
        where it cannot be kept.
        """
        if self.cache is None or key is None or not self.cache.writable:
            return None
        noted = replace(artifact, notes={**artifact.notes, _FILES: weights.files})
        try:
            with ExitStack() as stack:
                with self.cache.create(key, SUFFIX) as file:
                    save(file, noted, key)
                    if not weights.is_as_hashed():
                        raise OSError(errno.EBUSY, "weights that others write to")
                    file.flush()
                    # Whoever else keeps something may find that this is too large.
                    kept = stack.enter_context(FileIO(os.dup(file.fileno())))
                stack.pop_all()
                return kept
        except OSError:
            # A full disk does not keep a model from running, nor do weights that were
            # changed meanwhile: but then this is not what its key says.
            return None


def target_text(target: str, tune: bool = False) -> str:
    """A target, and what this machine can do, which its code may depend on."""
    return f"{target} {machine_text() if tune else host_text()}"
