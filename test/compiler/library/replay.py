"""Models as data over a library in this process, without files between."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.library.data_model import GenericModel, make_data_model
from static_runtime.compiler.library.kernels import build_library, covered
from static_runtime.compiler.runtime_folder import interpreter_object
from static_runtime.compiler.session.options import Options
from static_runtime.runtime import call
from static_runtime.runtime.cache import Cache, default_folder
from static_runtime.runtime.library.data_model import DataModel
from static_runtime.runtime.library.selection import Selection

EVERY = Selection(include_all_operators=True)


def module_of(
    model: GenericModel,
    selection: Selection = EVERY,
    threads: int = 1,
    others: tuple[GenericModel, ...] = (),
) -> call.StaticModule:
    """A model over the library that a selection of it, or of others, is."""
    kernels = covered(others or (model,), selection)
    cache = Cache(default_folder())
    library = build_library(kernels, selection, isa_name("host"), 1, cache)
    data, block = DataModel.of(model.artifact), model.artifact.block
    code = data.link(library, interpreter_object(platform.machine()))
    return call.module_of(model.artifact.program, code, block, (), threads, data.plans)


def replay(
    model: Any,
    selection: Selection = EVERY,
    threads: int = 1,
    options: Options | None = None,
) -> call.StaticModule:
    """A model that is compiled to data, over the library of it alone."""
    return module_of(make_data_model(model, options or Options()), selection, threads)


def as_arrays(answer: Any) -> list[npt.NDArray[Any]]:
    """The outputs of a call, one or several."""
    several = cast(Sequence[Any], answer if isinstance(answer, tuple) else (answer,))
    return [np.asarray(each) for each in several]


def check_equal(one: Any, other: Any) -> None:
    """Two answers have the same shapes and bits."""
    made, known = as_arrays(one), as_arrays(other)
    assert [(each.shape, each.dtype) for each in made] == [
        (each.shape, each.dtype) for each in known
    ]
    assert [each.tobytes() for each in made] == [each.tobytes() for each in known]
