"""
What becomes of one mutant: it is refused with a sentence, or computes what it says.

Anything else is a finding: an exception that tells the user nothing, a result that
differs from that of the ops' references, a message that is no sentence.
"""

from __future__ import annotations

import os
import re
import signal
import tempfile
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.utils.exceptions import DiagnosticException, ParseError

import static_runtime as sr
from static_runtime.compiler.frontends.mlir import only_function, read_mlir
from static_runtime.compiler.frontends.onnx import read_onnx
from static_runtime.compiler.ir.context import SrContext, context
from static_runtime.compiler.selective import (
    SelectionError,
    merge,
    parse_selection,
    yaml_of,
)
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options
from static_runtime.compiler.tools.opt import OptMain, Section
from static_runtime.compiler.tools.reproducer import CrashError
from static_runtime.dialects.graph import LoopOp
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.runtime.planning import PLANNERS
from static_runtime.runtime.program.program import Program
from static_runtime.runtime.program.program_json import read_program
from static_runtime.runtime.program.size import evaluate

from ..compiler.frontends.interpret import interpret
from ..models.random_graphs import RandomGraph, make_inputs
from .corpus import ARTIFACT_MODEL, SIDECAR_MODEL, Mutant, cache_files, compiled_in
from .edges_trial import edge_outcome
from .outcome import (
    MOST_ELEMENTS,
    Lowered,
    Outcome,
    Slow,
    bare,
    near,
    place,
    refused,
    without_llvm,
)
from .results import Array, arrays_of, bits


def attempt(mutant: Mutant, in_full: bool) -> Outcome:
    """What becomes of a mutant; `in_full` it is compiled to code, and run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return TRIALS[mutant.kind](mutant, in_full)
        except MemoryError as error:
            return Outcome("refused", place(error), "out of memory")
        except Slow as error:
            return bare(error, "slow")
        except (Exception, RecursionError) as error:
            return bare(error)


def as_model(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a model."""
    random = Random(mutant.name)
    outside = b"location" in mutant.data or random.random() < 0.05
    if mutant.kind == "mlir":
        return compiled(mutant.data.decode(errors="replace"), random, in_full)
    if not outside:
        return compiled(mutant.data, random, in_full)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        path.write_bytes(mutant.data)
        path.with_name("weights.bin").write_bytes(bytes(64))
        return compiled(path, random, in_full)


def as_edge(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a model with sizes or numbers at an edge."""
    return edge_outcome(mutant.data, mutant.passes == "sizes", in_full)


def as_graph(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of random ops, at sizes of every kind."""
    seed = int(mutant.data)
    graph = RandomGraph(seed, symbolic=True)
    module = graph.compile([*PLANNERS][seed % len(PLANNERS)])
    for batch in (33, 0, 1, 7, 33):
        inputs = make_inputs(graph, batch)
        try:
            wanted = graph.reference(inputs, batch)
        except ValueError:
            continue  # as for a maximum of nothing
        try:
            results = module(*inputs)
        except ValueError as error:
            return Outcome("refuses", place(error), str(error)[:500])
        for got, each in zip(results, wanted, strict=True):
            if not (got.shape == each.shape and near(got, each)):
                return Outcome("differs", f"batch {batch}", f"{got} and {each}"[:500])
    return Outcome("same")


def as_sidecar(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a model with these weights beside it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.mlir"
        path.write_text(SIDECAR_MODEL)
        path.with_suffix(".safetensors").write_bytes(mutant.data)
        return compiled(path, Random(mutant.name), in_full)


def compiled(model: Any, random: Random, in_full: bool) -> Outcome:
    """The outcome of compiling, and of what a run gives."""
    options = Options(cache=False, threads=random.choice((1, 1, 2)))
    try:
        with without_llvm(not in_full):
            module = sr.compile(model, options=options)
    except Lowered:
        return Outcome("lowered")
    except CompileError as error:
        return refused(error)
    inputs = inputs_of(module.program, random)
    return Outcome("compiled") if inputs is None else ran(module, model, inputs)


def inputs_of(program: Program, random: Random) -> list[Array] | None:
    """Arrays that fit a program, None when they would be large."""
    symbols: dict[str, int] = {}
    for name in program.symbols:
        least, most = program.ranges.get(name, (0, 8))
        symbols[name] = min(most, least + random.randrange(4))
    numbers = np.random.default_rng(random.randrange(2**32))
    arrays: list[Array] = []
    for info in (*program.inputs, *program.outputs):
        known = {*program.symbols}.isdisjoint(program.defined)
        try:
            shape = info.sizes(symbols) if known else ()
        except ValueError:
            shape = ()
        if any(each < 0 for each in shape) or np.prod(shape, dtype=float) > (
            MOST_ELEMENTS
        ):
            return None
        arrays.append((numbers.standard_normal(shape) * 3).astype(info.dtype))
    return arrays[: len(program.inputs)]


def ran(module: Any, model: Any, inputs: Sequence[Array]) -> Outcome:
    """The outcome of a run, beside what the references of the ops compute."""
    try:
        got = module(*inputs)
        again = module(*inputs)
    except (IndexError, TypeError, ValueError) as error:
        return refused(error)
    if is_text(model) and has_open_stacks(read_mlir(model, context())):
        return Outcome("ran")
    if bits(got) != bits(again):
        return Outcome("differs", "a second run", "other bits")
    return beside_reference(model, inputs, arrays_of(got))


def beside_reference(
    model: Any, inputs: Sequence[Array], results: Sequence[Array]
) -> Outcome:
    """Whether results are near those of the references of the ops."""
    ctx = SrContext() if not is_text(model) else context()
    module = read_mlir(model, ctx) if is_text(model) else read_onnx(model, ctx)
    type = only_function(module).function_type
    if not all(isinstance(each, TensorType) for each in (*type.inputs, *type.outputs)):
        # What a container holds is taken, and returned, one by one.
        return Outcome("ran")
    drop_unused(module)
    try:
        expected = interpret(module, ctx.weights, inputs)
    except MemoryError:
        return Outcome("ran")
    except Exception as error:
        return bare(error, "differs")
    for got, wanted in zip(results, expected, strict=True):
        if got.shape != wanted.shape or got.dtype != wanted.dtype:
            text = f"{got.dtype}{got.shape}, reference {wanted.dtype}{wanted.shape}"
            return Outcome("differs", "the type of a result", text)
        if not near(got, wanted):
            ops = sorted({op.name for op in module.walk() if op.name[:5] == "graph"})
            text = f"{got.ravel()[:8]}, reference {wanted.ravel()[:8]}"
            return Outcome("differs", ", ".join(ops), text)
    return Outcome("same")


def has_open_stacks(module: ModuleOp) -> bool:
    """Whether stacks may be undefined in part, as loops end early by a condition."""
    return any(
        isinstance(op, LoopOp)
        and bool(op.conditional.value.data)
        and len(op.outputs) > op.carried.value.data
        for op in module.walk()
    )


def drop_unused(module: ModuleOp) -> None:
    """Removes ops that nothing reads, whose errors no run has."""
    for op in reversed(list(only_function(module).body.block.ops)):
        # What has no results says something of sizes.
        is_read = not op.results or any(each.uses.get_length() for each in op.results)
        if isinstance(op, GraphOp) and not is_read:
            op.detach()
            op.erase()


def is_text(model: str | bytes | Path) -> bool:
    """Whether a model is textual IR."""
    match model:
        case str():
            return True
        case bytes():
            return False
        case _:
            return model.suffix == ".mlir"


def as_passes(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of sr-opt: reading, and passes, each followed by the verifier."""
    with tempfile.TemporaryDirectory() as folder:
        crash = ["--crash-reproducer", f"{folder}/crash.mlir"]
        try:
            command = OptMain("sr-opt", ["-p", mutant.passes, *crash])
            command.result(Section(mutant.data))
        except (CompileError, DiagnosticException, ParseError) as error:
            return Outcome("refused", place(error), str(error)[:500])
        except CrashError as error:
            return bare(error.__cause__ or error)
    return Outcome("lowered")


def as_artifact(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a damaged artifact in a cache: the same answers, and a new one."""
    x, i = np.ones((2, 4), np.float32), np.array([0, 1, 1])
    files = cache_files(ARTIFACT_MODEL)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o700)
        for name, data in {**files, mutant.made_of: mutant.data}.items():
            (folder / name).write_bytes(data)
            (folder / name).chmod(0o600)
        module = compiled_in(ARTIFACT_MODEL, folder)
        rows, softmax = module(x, i)
        right = np.allclose(rows, np.e) and np.allclose(softmax, 0.25)
        was_warm = module.report.warm and mutant.data != files[mutant.made_of]
    if was_warm:
        return Outcome("differs", "a damaged artifact", "was used")
    return Outcome("same") if right else Outcome("differs", "a damaged artifact")


def as_program(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a program of an artifact that somebody wrote on purpose."""
    try:
        program = read_program(mutant.data.decode())
        symbols = dict.fromkeys((*program.symbols, *program.defined), 3)
        for info in (*program.inputs, *program.outputs):
            for size in info.shape:
                evaluate(size, symbols)
    except ValueError as error:  # a file with that counts as absent
        return Outcome("refused", place(error), str(error)[:500])
    return Outcome("loaded")


def as_selection(mutant: Mutant, in_full: bool) -> Outcome:
    """The outcome of a selection of a selective build: with a line, or read again."""
    try:
        made = parse_selection(mutant.data, "mutant")
    except SelectionError as error:
        if re.match(r"mutant:\d+: expected ", str(error)) is None:
            return Outcome("message", place(error), str(error)[:500])
        return refused(error)
    if merge([made, parse_selection(yaml_of(made).encode())]) != made:
        return Outcome("differs", "a selection", "read again")
    return Outcome("same")


def as_fault(mutant: Mutant, in_full: bool) -> Outcome:
    """Ends badly, to see that this is seen."""
    if mutant.data == b"crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if mutant.data == b"hang":
        # As if it did not hear the signal; to block it here leaves it to other threads.
        signal.setitimer(signal.ITIMER_PROF, 0)
    while True:
        pass


TRIALS: dict[str, Callable[[Mutant, bool], Outcome]] = {
    "onnx": as_model,
    "node": as_model,
    "edge": as_edge,
    "node-edge": as_edge,
    "graph": as_graph,
    "mlir": as_model,
    "passes": as_passes,
    "sidecar": as_sidecar,
    "artifact": as_artifact,
    "program": as_program,
    "yaml": as_selection,
    "fault": as_fault,
}
