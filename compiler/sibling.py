"""
`Sibling`: modules of the same code and constants as another, with options of a run.

One is known, traced, profiled and pickled as the module that it is made for.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ..runtime.call import StaticModule
from ..runtime.library import Artifact
from .building import make_module
from .observers import note_sibling
from .recipe import ModuleRecipe
from .session import CompileReport, Options


@dataclass(frozen=True)
class Sibling:
    """Makes modules of an artifact, each with a pool of its own."""

    artifact: Artifact
    report: CompileReport
    options: Options
    """The options that the code was compiled with."""

    marks: npt.NDArray[np.uint8] | None

    def first(self) -> StaticModule:
        """The module with the options themselves, which is yet to be noted."""
        made = make_module(
            *(self.artifact, self.report, self.options.usable_threads, self.marks),
            self.options.manage_output_tensors,
        )
        made.maker = self
        return made

    def __call__(self, module: StaticModule, options: Options) -> StaticModule:
        """One for a module, with other options; raises `CompileError` for some."""
        own = self.options.for_a_run(options)
        made = replace(self, options=own).first()
        if isinstance(recipe := module.recipe, ModuleRecipe):
            compilation = copy(recipe.compilation)
            compilation.options = own
            made.recipe = replace(recipe, compilation=compilation)
        note_sibling(made, module, own)
        return made
