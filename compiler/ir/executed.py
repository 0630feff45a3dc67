"""What the calls of a model execute, by the marks that they set."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from ...runtime.abi import RAN, SHARED
from ...runtime.library import Operator, Selection
from ...runtime.program import Program
from ..selective import merge
from ..session import PACKAGES_NOTE
from .target import isa_name

_NOTE = "traced"
"""The note of an artifact that says what its model names and its calls execute."""


@dataclass
class Executed:
    """What runs where a mark is set."""

    family: str
    """The name of its kernels, after the ops that they compute."""

    operators: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The keys of operands and results of each op of the graph."""

    fusion: int | None = None
    """The number of the fusion that it is, where a library is built."""

    dtypes: list[str] = field(default_factory=list[str])
    """The dtypes of the buffers of its kernels."""

    is_called: bool = False
    """Whether a program calls something for it."""

    is_fallback: bool = False
    """Whether that is its numpy reference."""

    is_shared: bool = False
    """Whether threads may share the work of a call."""


@dataclass(frozen=True)
class Traced:
    """One compiled model: what it names, and what its calls would execute."""

    roots: Sequence[str]
    executed: Sequence[Executed]
    features: frozenset[str]
    marks: npt.NDArray[np.uint8]
    packages: frozenset[str] = frozenset()
    """The packages of ops that users brought."""

    @classmethod
    def of(cls, notes: Mapping[str, Any], program: Program, target: str) -> Traced:
        """The model of a program, as the notes of an artifact say."""
        note = notes[_NOTE]
        executed = [Executed(**each) for each in note["executed"]]
        features = {"python_entry", f"isa:{isa_name(target)}"}
        if program.symbols or program.defined:
            features.add("dynamic_shapes")
        marks = np.zeros(len(executed), np.uint8)
        packages = frozenset[str](notes.get(PACKAGES_NOTE, ()))
        return cls(note["roots"], executed, frozenset(features), marks, packages)

    def selection(self, static: bool = False) -> Selection:
        """What ran so far; with `static`, what could run in any call."""
        marked = zip(self.executed, self.marks, strict=True)
        called = [
            (each, RAN | SHARED if static else int(mark))
            for each, mark in marked
            if each.is_called
        ]
        ran = [each for each, mark in called if mark & RAN]
        features = {*self.features}
        if any(each.is_shared and mark & SHARED for each, mark in called):
            features.add("threads")
        return selection_of(self.roots, ran, features, self.packages)


def note_of(roots: Iterable[str], executed: Iterable[Executed]) -> dict[str, Any]:
    """What an artifact notes of a model that is traced, as JSON values."""
    found = [asdict(each) for each in executed]
    return {_NOTE: {"roots": sorted(roots), "executed": found}}


def selection_of(
    roots: Iterable[str],
    executed: Iterable[Executed],
    features: Iterable[str] = (),
    packages: Iterable[str] = (),
) -> Selection:
    """What a model names and executes, with the packages of ops that users brought."""
    named = _operators(roots, is_root=True)
    parts = [
        Selection(
            operators=_operators(each.operators, is_root=False),
            kernel_metadata=_frozen({each.family: each.dtypes} if each.dtypes else {}),
            et_kernel_metadata=_frozen(each.operators),
            build_features=frozenset(["fallback"] if each.is_fallback else []),
        )
        for each in executed
    ]
    shared = Selection(
        operators=named,
        build_features=frozenset(features),
        custom_classes=frozenset(packages),
    )
    return merge([shared, *parts])


def _operators(names: Iterable[str], is_root: bool) -> dict[str, Operator]:
    """Operators that are selected by their names alone, for inference."""
    return dict.fromkeys(names, Operator(False, is_root, False))


def _frozen(lists: Mapping[str, list[str]]) -> dict[str, frozenset[str]]:
    """The same lists, as sets that do not change."""
    return {name: frozenset(each) for name, each in lists.items()}
