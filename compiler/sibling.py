"""
`Sibling`: modules of the same code and constants as another, with options of a run.

One is known, traced, profiled and pickled as the module that it is made for. A copy is
one with the same options.
"""

from __future__ import annotations

import time
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ..runtime.call import Aside, CompiledModule
from ..runtime.library import Artifact
from ..runtime.machine import unforked
from .building import make_module
from .observers import note_sibling
from .recipe import ModuleRecipe
from .session import CompileReport, Options, warm_report


def _benchmark(module: CompiledModule, *given: Any) -> object:
    """Measures a module by the profiler, which is imported where it is asked for."""
    with unforked():
        from .profiling import benchmark
    return benchmark(module, *given)


@dataclass(frozen=True)
class Sibling:
    """Makes modules of an artifact, each with a pool of its own."""

    artifact: Artifact
    report: CompileReport
    options: Options
    """The options that the code was compiled with."""

    marks: npt.NDArray[np.uint8] | None

    aside: Aside | None = None
    """What compiles the full code, where the artifact has quick code."""

    def first(self) -> CompiledModule:
        """The module with the options themselves, which is yet to be noted."""
        made = make_module(
            *(self.artifact, self.report, self.options.usable_threads, self.marks),
            self.options.manage_output_tensors,
            self.options.strict,
        )
        made.maker, made.profiler = self, _benchmark
        return made

    def __call__(
        self, module: CompiledModule, options: Options | None
    ) -> CompiledModule:
        """One for a module, with these options; raises `CompileError` for some."""
        if options is None:
            own, report = self.options, warm_report(self.artifact, time.perf_counter())
            report = replace(report, tier=self.report.tier)
        else:
            own, report = self.options.for_a_run(options), self.report
        made = replace(self, options=own, report=report).first()
        if isinstance(recipe := module.recipe, ModuleRecipe):
            compilation = copy(recipe.compilation)
            compilation.options = own
            made.recipe = replace(recipe, compilation=compilation)
        if own.strict:
            # What the module was warmed up with is planned here as well.
            made.plan_as(module)
        note_sibling(made, module, own)
        if self.aside is not None:
            self.aside.add(made)
        return made
