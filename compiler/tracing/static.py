"""What models could execute, found by compiling them as far as their calls."""

from __future__ import annotations

from collections.abc import Iterable

from ...runtime.library import Selection
from ..building import alone
from ..compile import Compilation
from ..ir import Traced
from ..selective import merge


def static_selection(compilations: Iterable[Compilation]) -> Selection:
    """What models could execute, on any inputs of any sizes; none is run."""
    return merge(_traced(each).selection(static=True) for each in compilations)


def _traced(compilation: Compilation) -> Traced:
    """A model that is compiled as far as its calls are known, for any machine."""
    with alone():
        from ..driver import Driver, describe, program_of
        from ..ir import context, note_of_ops

        ctx = context()
        ctx.operators = set()
        module = compilation.front_end(compilation.source())(ctx)
        noted = note_of_ops(module, ctx.spelled)
        driver = Driver(ctx, compilation.options, compilation.target, None)
        driver.run_passes(module)
        program = describe(program_of(module))
        noted |= driver.trace_note(module)
        return Traced.of(noted, program, compilation.target)
