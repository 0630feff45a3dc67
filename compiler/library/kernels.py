"""
Compile the kernels of models for a target, those that a selection has.

A kernel is in a library if all that one of its calls uses is selected: the operators,
the dtypes of its family, and the dtypes and layouts of its operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from xdsl.dialects.builtin import ModuleOp

from ...dialects.loop import TARGET, KernelOp, target_of
from ...runtime import Cache, KernelLibrary, Selection, refusal_of_call
from ..building import alone
from ..codegen import lower_library, machine_of, objects
from ..context import context
from ..pipeline import schedule_passes
from ..target import find_target
from .data_model import GenericModel


def covered(
    models: Iterable[GenericModel], selection: Selection
) -> dict[str, KernelOp]:
    """The kernels of models that a selection has, by their names."""
    found: dict[str, KernelOp] = {}
    for model in models:
        for name, kernel in model.kernels.items():
            uses = model.uses.get(name, ())
            if any(refusal_of_call(selection, each) is None for each in uses):
                found.setdefault(name, kernel)
    return dict(sorted(found.items()))


def build_library(
    kernels: Mapping[str, KernelOp],
    selection: Selection,
    target: str,
    threads: int = 1,
    cache: Cache | None = None,
) -> KernelLibrary:
    """The library of kernels for a target, of which so many are compiled at once."""
    with alone():
        ctx = context()
        module = ModuleOp([each.clone() for each in kernels.values()])
        module.attributes[TARGET] = find_target(target)
        for each in schedule_passes():
            each.apply(ctx, module)
        texts = lower_library(module)
        machine = machine_of(target_of(module))
    codes, _ = objects([*texts.values()], machine, cache, threads)
    return KernelLibrary(target, selection, dict(zip(texts, codes, strict=True)))
