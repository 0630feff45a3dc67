"""From an exported program to a module, or to all that is unsupported in it."""

from __future__ import annotations

from typing import Any

from torch import fx
from torch.export import ExportedProgram
from xdsl.dialects.builtin import ModuleOp

from ...ir import SrContext
from ...session import Cause, CompileError, Given, UnsupportedModelError
from ..unsupported import TakesGraphs, Unsupported
from . import control_flow, flexible
from .as_exported import Readings, readings
from .export import FAILURES, Whole, decompose
from .guards import guards_of, unproven
from .held import with_buffers
from .operator_names import operator_names
from .program import ProgramReader, Reading


def _by_us(reading: Reading) -> Reading:
    """A reader whose refusals say that PyTorch does not run the operator for us."""

    def read(reader: ProgramReader, node: fx.Node) -> Any:
        try:
            return reading(reader, node)
        except Unsupported as why:
            if why.cause is Cause.OP:
                raise TakesGraphs(str(why)) from why
            raise

    return read


_REGIONS = {
    name: _by_us(reading)
    for name, reading in {**control_flow.REGIONS, **flexible.REGIONS}.items()
}
"""The readers of all operators that take graphs."""


def read_program(
    program: ExportedProgram,
    ctx: SrContext,
    name: str = "the exported program",
    given: Given = Given(),
) -> ModuleOp:
    """The function `main` that computes `program`, which errors call `name`."""
    if ctx.operators is not None:
        ctx.operators |= operator_names(program.graph_module)
    traced = guards_of(program)
    try:
        with ctx.weights.attempt():
            special = readings(program, _REGIONS)
            return _read(program, traced, ctx, name, given, special)
    except (Whole, CompileError):
        pass  # what refuses the decomposed program is what a user is told
    try:
        core = decompose(with_buffers(program))
    except FAILURES as error:
        raise CompileError(
            f"PyTorch's run_decompositions of {name}: {error}; if that was exported "
            "without strict=True, export it so, as caches that a model changes need it"
        ) from error
    return _read(core, traced, ctx, name, given, {})


def _read(
    program: ExportedProgram,
    traced: list[Any],
    ctx: SrContext,
    name: str,
    given: Given,
    special: Readings,
) -> ModuleOp:
    """The function of a program whose conditions torch found while it `traced` it."""
    reader = ProgramReader(program, ctx, _REGIONS, given.bounds)
    reader.readings = special
    reader.draws = given.draws
    reader.calls_torch = given.fallback == "foreign"
    reader.assume(unproven(traced, guards_of(program), reader.sizes))
    function = reader.read()
    if reader.found:
        raise UnsupportedModelError(reader.found, name, framework="torch")
    return ModuleOp([function])
