"""
`compile`: from a model to a `StaticModule`, by compiling it or by finding it on disk.

A model that was compiled before, with the same options, for the same target, by the
same version, is loaded: no front end, pass or optimiser runs, and xDSL is imported only
when the model has ops that run their reference.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..runtime.artifact import (
    Artifact,
    ArtifactError,
    load,
    mapped_constants,
    save,
)
from ..runtime.cache import Cache, default_folder
from ..runtime.code import link
from ..runtime.constant_block import Bytes
from ..runtime.fork import check_whole, unforked
from ..runtime.module import StaticModule
from .errors import CompileError, ModelFileError
from .host import check_runs_here, host_text, machine_text
from .options import Options, check_is
from .report import CompileReport

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from .context import SrContext
    from .driver import AfterPass

_building = threading.RLock()
"""One thread at a time makes IR: xDSL knows one place to build at in a process."""


def build_again() -> None:
    """Makes the lock new in a child, where a thread that held it is not."""
    global _building
    _building = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=build_again)

SUFFIX = ".sr"
"""How the name of an artifact ends."""

FILES = "files"
"""The note of an artifact that holds the digests of files beside the model's own."""


def compile(
    model: Any,
    example_inputs: Sequence[Any] | dict[str, Any] | None = None,
    *,
    dynamic_shapes: Any = None,
    target: str = "host",
    options: Options = Options(),
) -> StaticModule:
    """
    The compiled form of `model`, to be called with arrays.

    `model` is a path to an .onnx or .mlir file, an ONNX model as bytes or `ModelProto`,
    textual IR, a `torch.export.ExportedProgram`, or a `torch.nn.Module` with
    `example_inputs` and, where sizes may vary, `dynamic_shapes` as `torch.export` takes
    them. `target` is "host" or a name such as x86-64-v3 of what this machine can run.
    Raises `CompileError` for a model that cannot be compiled, with all that is
    unsupported, and `OSError` for a file that cannot be read.
    """
    return Compilation(model, example_inputs, dynamic_shapes, target, options).run()


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
        self.cache = Cache(default_folder()) if options.cache else None

    def run(self) -> StaticModule:
        """The compiled model."""
        start = time.perf_counter()
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
        key = self.key_of_file()
        if (found := self.find(key)) is not None:
            return self.load(found, start)
        with _building:
            return self.compile(key, start)

    def compile(self, key: str | None, start: float) -> StaticModule:
        """The model read and compiled anew, unless what was read is found by that."""
        before_import = time.perf_counter()
        # A child would wait for the thread that was importing.
        with unforked():
            from xdsl.printer import Printer

            from .context import context
            from .driver import Driver
            from .tuning.tuner import Tuner

            read, ctx = self.front_end(), context()
        if self.options.tune:
            ctx.tuner = Tuner(self.cache, f"{version()} {machine_text()}")
        before_read = time.perf_counter()
        start += before_read - before_import
        module = read(ctx)
        reading = time.perf_counter() - before_read
        if key is None:
            # With locations, which messages of the compiled model name.
            text = StringIO()
            Printer(text, print_debuginfo=True).print_op(module)
            key = self.key_of("ir", text.getvalue(), ctx.weights.digest())
            if (found := self.find(key)) is not None:
                return self.load(found, start)
        cache = None if self.after_pass is not None else self.cache
        driver = Driver(ctx, self.options, self.target, cache, self.after_pass)
        artifact, report = driver.compile(module)
        before_keep = time.perf_counter()
        constants = self.keep(key, artifact, ctx.weights.files)
        artifact = replace(artifact, constants=constants)
        end = time.perf_counter()
        report = replace(
            report,
            seconds=end - start,
            read_seconds=reading,
            keep_seconds=end - before_keep,
        )
        return make_module(artifact, report, self.options.usable_threads)

    def front_end(self) -> Callable[[SrContext], ModuleOp]:
        """What reads the model into the graph dialect, with its framework imported."""
        model = self.model
        if isinstance(model, str) or getattr(model, "suffix", "") == ".mlir":
            from .frontends.mlir import read_mlir

            return lambda ctx: read_mlir(model, ctx)
        if is_read(model):
            from .frontends.onnx import read_onnx

            return lambda ctx: read_onnx(model, ctx)
        from .frontends.torch import is_torch_model, read_torch

        if not is_torch_model(model):
            raise CompileError(
                "expected a path to an .onnx or .mlir file, an ONNX model, textual IR, "
                "a torch.nn.Module or an ExportedProgram, got "
                f"{type(model).__name__}"
            )
        inputs, shapes = self.example_inputs, self.dynamic_shapes
        return lambda ctx: read_torch(model, ctx, inputs, shapes)

    def key_of_file(self) -> str | None:
        """The key of a model that is a file or text, which need not be read for it."""
        match self.model:
            case Path():
                return self.key_of("file", self.model.suffix, hash_of(self.model))
            case str() | bytes():
                return self.key_of("data", self.model)
            case _:
                return None

    def key_of(self, *parts: str | bytes) -> str:
        """A hash of parts of a model, the options, the target and this version."""
        result = hashlib.sha256()
        target = target_text(self.target, self.options.tune)
        shared = (self.options.key, target, version())
        for part in (*parts, *shared):
            data = (
                part.encode(errors="surrogatepass") if isinstance(part, str) else part
            )
            # Apart, since to join them would copy a model that is given as bytes.
            result.update(len(data).to_bytes(8, "little"))
            result.update(data)
        return result.hexdigest()

    def find(self, key: str | None) -> Artifact | None:
        """The artifact with this key, unless the passes are to be seen."""
        if self.cache is None or key is None or self.after_pass is not None:
            return None
        path = self.cache.find(key, SUFFIX)
        if path is None:
            return None
        try:
            found = load(path)
        except ArtifactError:
            # What is broken counts as absent: it is compiled and written again.
            return None
        files = found.notes.pop(FILES, {})
        changed = any(
            digest(self.folder / name) != known for name, known in files.items()
        )
        return None if changed else found

    @property
    def folder(self) -> Path:
        """The folder of the model, which its other files are beside."""
        return self.model.parent if isinstance(self.model, Path) else Path()

    def keep(self, key: str, artifact: Artifact, files: Sequence[Path]) -> Bytes:
        """
        Writes the artifact of a model with these other files, where it can be; its
        constants, as they are mapped from there, or else in memory.
        """
        if self.cache is None or not self.cache.writable or self.after_pass is not None:
            return artifact.block
        digests = {os.path.relpath(each, self.folder): digest(each) for each in files}
        notes = {**artifact.notes, FILES: digests}
        path = self.cache.path(key, SUFFIX)
        try:
            save(path, replace(artifact, notes=notes))
            # First, since whoever registers a file may find that it is too large.
            mapped = mapped_constants(path)
        except OSError:
            # A full disk does not keep a model from running.
            return artifact.block
        self.cache.register(key, SUFFIX)
        return mapped

    def load(self, artifact: Artifact, start: float) -> StaticModule:
        """The model of an artifact."""
        report = CompileReport(
            seconds=time.perf_counter() - start,
            warm=True,
            constant_bytes=artifact.constants.nbytes,
            **artifact.notes,
        )
        return make_module(artifact, report, self.options.usable_threads)


def make_module(
    artifact: Artifact, report: CompileReport, threads: int = 1
) -> StaticModule:
    """The module of an artifact, linked; a run may use so many threads."""
    references = []
    if artifact.program.call_outs:
        from .references import references_of

        with _building:
            references = references_of(artifact.program)
    start = time.perf_counter()
    code = link(artifact.objects)
    module = StaticModule(artifact.program, code, artifact.block, references, threads)
    linking = time.perf_counter() - start
    module.report = replace(report, seconds=report.seconds + linking)
    return module


def is_read(model: Any) -> bool:
    """Whether a model is a file, text or an ONNX model, and not one of torch's."""
    known = isinstance(model, Path | str | bytes)
    return known or type(model).__name__ == "ModelProto"


def as_path(model: Any) -> Any:
    """The model; a name of a file as a path. Raises `ModelFileError` if it is none."""
    if isinstance(model, str) and "\n" not in model and "func.func" not in model:
        model = Path(model)
    if isinstance(model, Path):
        if not model.is_file():
            raise ModelFileError(f"{model}: expected a model, got no such file")
        if model.suffix not in (".onnx", ".mlir"):
            raise ModelFileError(
                f"{model}: expected a file that ends in .onnx or .mlir, got "
                f"{model.suffix or 'no ending'}"
            )
    return model


def hash_of(path: Path) -> str:
    """A hash of the bytes of a file; raises `OSError` when it cannot be read."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(path: Path) -> str:
    """A hash of the bytes of a file; nothing when it cannot be read."""
    try:
        return hash_of(path)
    except OSError:
        return ""


def target_text(target: str, tune: bool = False) -> str:
    """A target, and what this machine can do, which its code may depend on."""
    return f"{target} {machine_text() if tune else host_text()}"


@cache
def version() -> str:
    """A hash of this compiler's own source, so that no old code is ever loaded."""
    root = Path(__file__).resolve().parent.parent
    result = hashlib.sha256()
    for room in ("compiler", "dialects", "lowering", "runtime"):
        for path in sorted((root / room).rglob("*.py")):
            result.update(path.read_bytes())
    return result.hexdigest()
