"""
`sr-opt`: run chosen passes on a file of IR, print the IR that results.

With --verify-diagnostics a section of the input that has `// expected-error {{text}}`
comments must fail as they say (`expected_errors.py`); the error of one that has none is
printed instead of the IR. A crash leaves a file that reproduces it (`reproducer.py`).
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.scf import Scf
from xdsl.passes import ModulePass, PassPipeline
from xdsl.targets.mlir import MLIRTarget
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.utils.exceptions import (
    ArgSpecParseError,
    DiagnosticException,
    ParseError,
    ShrinkException,
    VerifyException,
)
from xdsl.utils.target import Target
from xdsl.xdsl_opt_main import xDSLOptMain

from ...dialects.host import Host
from ..ir import WEIGHTS, context, load_sidecar, parse_module, verify, weights_of
from ..passes import PIPELINE
from ..session import CompileError, ModelFileError
from .expected_errors import Found, expected_errors, mismatches
from .output import leave_pipe, write_text
from .parse_pipeline import check_target, parse_pipeline
from .reproducer import CrashError, Guard, reproducer_text

PASSES = {each.name: each for each in (*PIPELINE, CanonicalizePass)}

_SEPARATOR = re.compile(rb"^// -----[ \t]*$", re.MULTILINE)
"""What stands between the sections of a file, on a line of its own."""


@dataclass(frozen=True)
class Section:
    """A part of the input that is a module by itself."""

    content: bytes
    lines_before: int = 0


@dataclass(frozen=True)
class LLVMTarget(Target):
    """Prints LLVM IR, when the passes have left nothing but the loop dialect."""

    name = "llvm"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Writes the text of the module; nobody else pays for importing the emitter."""
        from ...lowering.host_to_llvm import module_to_llvm

        output.write(module_to_llvm(module))


@dataclass(frozen=True)
class HostTarget(Target):
    """Prints what a program does besides kernels, as functions of MLIR's dialects."""

    name = "host"

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        """Writes the functions of the host level of the program."""
        from ...lowering.host_to_mlir import module_to_mlir

        MLIRTarget().emit(ctx, module_to_mlir(module), output)


class OptMain(xDSLOptMain):
    """xDSL's driver, knowing this compiler's dialects and passes and no others."""

    version_format = "sr-opt of static_runtime, on xdsl {xdsl_version}"

    def __init__(self, description: str, args: Sequence[str]):
        """The driver of a command; raises `PipelineError` for what is no target."""
        with suppress(ArgSpecParseError):
            super().__init__(description, args)
            return
        check_target(self.args.target, self.available_targets)

    def register_all_dialects(self) -> None:
        """Starts from a context that holds nothing of another module."""
        self.ctx = context()
        for dialect in (Host, Scf):
            self.ctx.load_dialect(dialect)

    def register_all_passes(self) -> None:
        """Offers the passes of the pipeline."""
        for name, each in PASSES.items():
            self.register_pass(name, lambda each=each: each)

    def register_all_targets(self) -> None:
        """Offers MLIR's text, LLVM's, and that of the host level."""
        self.available_targets["mlir"] = lambda: MLIRTarget
        self.available_targets["llvm"] = lambda: LLVMTarget
        self.available_targets["host"] = lambda: HostTarget

    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        """Adds the options of mlir-opt that xDSL lacks."""
        super().register_all_arguments(arg_parser)
        add = arg_parser.add_argument
        add(
            "--pass-pipeline",
            dest="passes",
            help="the same as --passes; both take builtin.module(a,func.func(b{x=1}))",
        )
        for when in ("before", "after"):
            add(
                f"--print-ir-{when}-all",
                action="store_true",
                help=f"print the IR to stderr {when} each pass",
            )
        add(
            "--verify-each",
            nargs="?",
            const="true",
            default="true",
            choices=["true", "false"],
            help="verify the IR after each pass (default: true)",
        )
        add("--weights-out", metavar="FILE", help="write the weights to a file")
        add(
            "--crash-reproducer",
            metavar="FILE",
            help="where a crash leaves its IR (default: crash-<pass>.mlir)",
        )
        add(
            "--debug",
            action="store_true",
            help="show the traceback of an error; SR_DEBUG=1 does too",
        )

    def setup_pipeline(self) -> None:
        """Reads the passes to run, and for what the IR is printed."""
        check_target(self.args.target, self.available_targets)
        self.pipeline = PassPipeline(parse_pipeline(self.args.passes, PASSES))

    def run(self) -> None:
        """Runs the passes on each section of the input, and prints what they leave."""
        self.wrong: list[str] = []
        texts = self.compiled(self.sections())
        try:
            self.write(texts)
        except ShrinkException:
            sys.exit(0 if self.args.shrink else 1)
        if self.args.shrink:
            sys.exit(1)

    def write(self, texts: Iterator[str]) -> None:
        """Writes to stdout as it goes, or to a file when all is done."""
        if self.args.output_file is not None:
            return write_text(self.args.output_file, "".join(texts))
        for text in texts:
            sys.stdout.write(text)
            sys.stdout.flush()
        return None

    def sections(self) -> list[Section]:
        """The sections of the input; raises `CompileError` when it cannot be read."""
        if self.args.input_file == "-":
            self.args.input_file = None
        name = self.get_input_name()
        try:
            stream, extension = self.get_input_stream()
            with stream:
                content = stream.read()
        except OSError as error:
            raise CompileError(f"cannot read {name}: {error.strerror}") from error
        if (self.args.frontend or extension) not in self.available_frontends:
            raise ModelFileError(
                f"{name}: expected a file ending in .mlir, got .{extension}"
            )
        try:
            content.decode()
        except UnicodeDecodeError as error:
            raise ModelFileError(
                f"{name}: expected text in UTF-8, got byte "
                f"0x{content[error.start]:02x} at offset {error.start}"
            ) from error
        sections = split(content) if self.args.split_input_file else [Section(content)]
        if self.args.weights_out is not None and len(sections) > 1:
            raise CompileError(
                f"--weights-out: expected one section, got {len(sections)}"
            )
        return sections

    def compiled(self, sections: Sequence[Section]) -> Iterator[str]:
        """What is printed for each section, one after the other."""
        for index, section in enumerate(sections):
            if index:
                yield "// -----\n"
            yield self.compiled_or_refused(section)
        if self.wrong:
            raise CompileError("\n".join(self.wrong))

    def compiled_or_refused(self, section: Section) -> str:
        """What is printed for one section; an error is printed, matched or raised."""
        name, above = self.get_input_name(), section.lines_before
        expected = ()
        if self.args.verify_diagnostics:
            expected = expected_errors(section.content.decode(), name, above)
        try:
            text, found = self.result(section), None
        except ParseError as error:
            error.span = dataclasses.replace(error.span, line_offset=above)
            if not expected:
                return _show(error, self.args.parsing_diagnostics)
            text, found = "", Found(error.msg, error.span.get_location().line)
        except (DiagnosticException, CompileError) as error:
            if not expected:
                return _show(error, self.args.verify_diagnostics)
            text, found = "", Found(str(error))
        self.wrong += mismatches(expected, found, name)
        return text

    def result(self, section: Section) -> str:
        """What the passes make of one section, as the target prints it."""
        module = self.parsed(section)
        passes = self.pipeline.passes
        accepts = (VerifyException,) if self.args.verify_diagnostics else ()
        for index, each in enumerate(passes):
            again = partial(self.reproduce, section, index, each.name)
            with Guard(f"pass {each.name} crashed", again, (VerifyException,)):
                self.apply_pass(each, module)
            if self.args.verify_each == "true" and not self.args.disable_verify:
                with Guard(f"pass {each.name} left invalid IR", again, accepts):
                    verify(module)
        if self.args.weights_out is not None:
            self.save_weights(module, Path(self.args.weights_out))
        target = self.args.target
        again = partial(self.reproduce, section, len(passes), target)
        # IR that passes left on another level is refused, and not a crash.
        with Guard(f"target {target} crashed", again, (VerifyException,)):
            return self.output_resulting_program(module)

    def parsed(self, section: Section) -> ModuleOp:
        """The module that a section holds, verified, in a context of its own."""
        self.register_all_dialects()
        self.ctx.allow_unregistered = self.args.allow_unregistered_dialect
        name = self.get_input_name()
        implicit = not self.args.no_implicit_module
        with Guard(f"reading {name} crashed", accepts=(VerifyException,)):
            module = parse_module(self.ctx, section.content.decode(), name, implicit)
            if not self.args.disable_verify:
                verify(module)
        load_sidecar(module, Path(name), weights_of(self.ctx))
        return module

    def save_weights(self, module: ModuleOp, path: Path) -> None:
        """Writes the weights to a file, which `module` names from here on."""
        try:
            weights_of(self.ctx).save(path)
        except OSError as error:
            raise CompileError(f"cannot write {path}: {error.strerror}") from error
        module.attributes[WEIGHTS] = StringAttr(path.name)

    def apply_pass(self, each: ModulePass, module: ModuleOp) -> None:
        """Runs one pass, and shows the IR and the time when these are asked for."""
        if self.args.print_ir_before_all:
            _print_ir("Before", each, module)
        start = time.perf_counter()
        each.apply(self.ctx, module)
        if self.args.time_passes:
            taken = (time.perf_counter() - start) * 1e3
            print(f"{taken:10.3f} ms  {each.name}", file=sys.stderr)
        if self.args.print_ir_after_all or self.args.print_between_passes:
            _print_ir("After", each, module)

    def reproduce(self, section: Section, index: int, name: str) -> str:
        """Writes the IR before pass `index` and the passes from there; says where."""
        passes = self.pipeline.passes
        module = self.parsed(section)
        for each in passes[:index]:
            each.apply(self.ctx, module)
        path = Path(self.args.crash_reproducer or f"crash-{name}.mlir")
        try:
            if len(weights_of(self.ctx)):
                self.save_weights(module, path.with_suffix(".safetensors"))
            text = reproducer_text(str(module), passes[index:], self.args.target)
            write_text(str(path), text)
        except CompileError as error:
            return str(error)
        return f"{path} reproduces it"


def split(content: bytes) -> list[Section]:
    """The sections that separators divide `content` into."""
    sections: list[Section] = []
    start = 0
    for match in (*_SEPARATOR.finditer(content), None):
        end = match.start() if match else len(content)
        sections.append(Section(content[start:end], content.count(b"\n", 0, start)))
        start = match.end() if match else end
    return sections


def _show(error: Exception, allowed: bool) -> str:
    """Prints an error and what was noted of it to stdout; raises it unless allowed."""
    if not allowed:
        raise error
    print(error, *getattr(error, "__notes__", ()), sep="\n")
    return ""


def _print_ir(when: str, each: ModulePass, module: ModuleOp) -> None:
    """Prints the IR to stderr, under MLIR's header for a pass."""
    title = f"IR Dump {when} {type(each).__name__} ({each.name})"
    print(f"// -----// {title} //----- //", module, sep="\n", file=sys.stderr)


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what went wrong is told without a traceback."""
    words = sys.argv[1:] if args is None else args
    debug = "--debug" in words or os.environ.get("SR_DEBUG", "0") != "0"
    try:
        with Guard("a bug of the compiler", accepts=(VerifyException,)):
            OptMain("sr-opt: run passes on a file of IR", words).run()
    except BrokenPipeError:
        leave_pipe()
    except (CrashError, CompileError, ParseError, DiagnosticException, OSError) as told:
        if debug:
            raise
        sys.exit(f"sr-opt: {told}")
