"""From an exported program to a module, or to all that is unsupported in it."""

from __future__ import annotations

from torch.export import ExportedProgram
from xdsl.dialects.builtin import ModuleOp

from ...ir import SrContext
from ...session import CompileError, Given, UnsupportedModelError
from .control_flow import REGIONS
from .export import FAILURES, decompose
from .guards import guards_of, unproven
from .operator_names import operator_names
from .program import ProgramReader


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
        core = decompose(program)
    except FAILURES as error:
        raise CompileError(f"run_decompositions of {name}: {error}") from error
    reader = ProgramReader(core, ctx, REGIONS, given.bounds)
    reader.draws = given.draws
    reader.calls_torch = given.fallback == "foreign"
    reader.assume(unproven(traced, guards_of(core), reader.sizes))
    function = reader.read()
    if reader.found:
        raise UnsupportedModelError(reader.found, name, framework="torch")
    return ModuleOp([function])
