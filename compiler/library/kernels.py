"""
Compile the kernels of models for a target, those that a selection has.

A kernel is in a library if all that one of its calls uses is selected: the operators,
the dtypes of its family, and the dtypes and layouts of its operands.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from ...dialects import Dim
from ...dialects.loop import TARGET, KernelOp, TargetAttr
from ...lowering.host_to_llvm import lower_library
from ...lowering.llvm_to_object import Machine, machine_of, objects
from ...runtime import Cache
from ...runtime.library import (
    KernelLibrary,
    Selection,
    Stored,
    missing_feature,
    refusal_of_call,
)
from ..building import alone
from ..ir import context, find_target
from ..passes import schedule_passes
from ..selective import merge
from ..session import CompileError, Options, Progress, silent, told
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


class _Gathered:
    """The kernels of models that a selection has, as the models come."""

    def __init__(self, selection: Selection):
        """None yet."""
        self.selection = selection
        self.found: dict[str, Member] = {}
        """The kernels by their names, in the order in which they were found."""

    def add(self, model: GenericModel) -> dict[str, Member]:
        """Adds the kernels of a model; those that no other had."""
        new: dict[str, Member] = {}
        for name, kernel in model.kernels.items():
            uses = [
                each
                for each in model.uses.get(name, ())
                if refusal_of_call(self.selection, each) is None
            ]
            known = self.found.get(name)
            if known is not None:
                self.found[name] = Member(known.kernel, [*known.uses, *uses])
            elif uses:
                self.found[name] = new[name] = Member(kernel, uses)
        return new


def covered(models: Iterable[GenericModel], selection: Selection) -> dict[str, Member]:
    """The kernels of models that a selection has, by their names."""
    gathered = _Gathered(selection)
    for model in models:
        gathered.add(model)
    return dict(sorted(gathered.found.items()))


def _made(
    models: Sequence[Any], options: Options, progress: Progress, selection: Selection
) -> Iterator[GenericModel]:
    """
    Models as data, one after the other; raises `CompileError` for ops of a package that
    is not selected.
    """
    computed: dict[str, tuple[Dim, ...]] = {}
    for each in told(models, "models", progress):
        made = make_data_model(each, options, computed=computed)
        for name in sorted(made.packages):
            if not selection.is_class_selected(name):
                raise CompileError(
                    f"expected a selection with the package {name}, which has ops of a "
                    f"model, got one without\ncustom_classes: [{name}]"
                )
        yield made


def _check_targets(targets: Sequence[str], selection: Selection) -> None:
    """Raises `CompileError` for a target that is not selected."""
    for name in targets:
        if not selection.is_feature_selected(f"isa:{name}"):
            raise CompileError(str(missing_feature(f"isa:{name}")))


def _check_some(kernels: Mapping[str, Member]) -> None:
    """Raises `CompileError` where there are no kernels."""
    if not kernels:
        raise CompileError(
            "expected models with kernels that are selected, got none; give the models "
            "that were traced beside the selection"
        )


def selected_kernels(
    models: Sequence[Any],
    targets: Sequence[str],
    selection: Selection,
    options: Options,
    progress: Progress = silent,
) -> dict[str, Member]:
    """
    The kernels of models that a selection has, by their names; raises `CompileError`
    for a target that is not selected, and where no kernel is.
    """
    _check_targets(targets, selection)
    kernels = covered(_made(models, options, progress, selection), selection)
    _check_some(kernels)
    return kernels


def build_libraries(
    models: Sequence[Any],
    targets: Sequence[str],
    selection: Selection,
    options: Options,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> list[KernelLibrary]:
    """
    The libraries, for each target, of the kernels of models that a selection has;
    raises as `selected_kernels`. Threads compile kernels while models are made.
    """
    _check_targets(targets, selection)
    gathered, first = _Gathered(selection), find_target(targets[0])

    def texts() -> Iterator[str]:
        for model in _made(models, options, progress, selection):
            yield from library_texts(gathered.add(model), first)[0].values()

    threads = options.usable_threads
    codes, _ = objects(
        texts(), machine_of(first), cache, threads, partial(progress, "kernels")
    )
    _check_some(gathered.found)
    made = dict(sorted(zip(gathered.found, codes, strict=True)))
    kernels = {name: gathered.found[name] for name in made}
    others = (
        build_library(kernels, selection, each, threads, cache, progress)
        for each in targets[1:]
    )
    return [_library(targets[0], selection, made, kernels), *others]


def build_library(
    kernels: Mapping[str, Member],
    selection: Selection,
    target: str,
    threads: int = 1,
    cache: Cache | None = None,
    progress: Progress = silent,
) -> KernelLibrary:
    """The library of kernels for a target, compiled by `threads` threads."""
    texts, machine = library_texts(kernels, find_target(target))
    codes, _ = objects(
        texts.values(), machine, cache, threads, partial(progress, "kernels")
    )
    made = dict(zip(texts, codes, strict=True))
    return _library(target, selection, made, kernels)


def _library(
    target: str,
    selection: Selection,
    made: Mapping[str, bytes],
    kernels: Mapping[str, Member],
) -> KernelLibrary:
    """The library of objects."""
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
