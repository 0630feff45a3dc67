"""
Compile the kernels of models for a target, those that a selection has.

A kernel is in a library if all that one of its calls uses is selected: the operators,
the dtypes of its family, and the dtypes and layouts of its operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ...dialects.loop import TARGET, KernelOp, TargetAttr
from ...runtime import Cache
from ...runtime.library import (
    KernelLibrary,
    Selection,
    Stored,
    missing_feature,
    refusal_of_call,
)
from ..building import alone
from ..driver import Machine, lower_library, machine_of, objects
from ..ir import context, find_target
from ..passes import schedule_passes
from ..selective import merge
from ..session import CompileError, Options
from .data_model import GenericModel, arguments_of, make_data_model


@dataclass(frozen=True)
class Member:
    """A kernel of a library before it is compiled, and what its calls use."""

    kernel: KernelOp
    uses: Sequence[Selection]

    @property
    def arguments(self) -> int:
        """The words that a call gives it."""
        return arguments_of(self.kernel)


def covered(models: Iterable[GenericModel], selection: Selection) -> dict[str, Member]:
    """The kernels of models that a selection has, by their names."""
    found: dict[str, Member] = {}
    for model in models:
        for name, kernel in model.kernels.items():
            uses = [
                each
                for each in model.uses.get(name, ())
                if refusal_of_call(selection, each) is None
            ]
            known = found.get(name)
            if known is not None:
                found[name] = Member(known.kernel, [*known.uses, *uses])
            elif uses:
                found[name] = Member(kernel, uses)
    return dict(sorted(found.items()))


def selected_kernels(
    models: Sequence[Any],
    targets: Sequence[str],
    selection: Selection,
    options: Options,
) -> dict[str, Member]:
    """
    The kernels of models that a selection has, by their names; raises `CompileError`
    for a target that is not selected, and where no kernel is.
    """
    for name in targets:
        if not selection.is_feature_selected(f"isa:{name}"):
            raise CompileError(str(missing_feature(f"isa:{name}")))
    kernels = covered([make_data_model(each, options) for each in models], selection)
    if not kernels:
        raise CompileError(
            "expected models with kernels that are selected, got none; give the models "
            "that were traced beside the selection"
        )
    return kernels


def build_library(
    kernels: Mapping[str, Member],
    selection: Selection,
    target: str,
    threads: int = 1,
    cache: Cache | None = None,
) -> KernelLibrary:
    """The library of kernels for a target, compiled by `threads` threads."""
    texts, machine = library_texts(kernels, find_target(target))
    codes, _ = objects([*texts.values()], machine, cache, threads)
    made = dict(zip(texts, codes, strict=True))
    about = {name: _stored(len(made[name]), kernels[name]) for name in made}
    return KernelLibrary(target, selection, made, about)


def library_texts(
    kernels: Mapping[str, Member], target: TargetAttr
) -> tuple[dict[str, str], Machine]:
    """The LLVM text of each kernel for a target, by its name, and LLVM's machine."""
    with alone():
        ctx = context()
        module = ModuleOp([each.kernel.clone() for each in kernels.values()])
        module.attributes[TARGET] = target
        for each in schedule_passes():
            each.apply(ctx, module)
        return lower_library(module), machine_of(target)


def _stored(size: int, member: Member) -> Stored:
    """What is known of a kernel of `size` bytes."""
    known = merge(member.uses)
    dtypes = {each for values in known.kernel_metadata.values() for each in values}
    return Stored(
        size, member.arguments, tuple(sorted(known.operators)), tuple(sorted(dtypes))
    )
