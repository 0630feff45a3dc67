"""
Build a library for C: `libsr.a`, the kernels of models for several targets and what
runs models as data over them, and its header `sr.h`.

Nothing of a C compiler is needed. An object for each target has its kernels, by which a
table names them; another has the interpreter, and a list of the targets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...lowering.llvm_to_object import machine_of
from ...lowering.llvm_to_object.linked import linked_object
from ...lowering.loop_to_llvm import text_constant
from ...runtime import Cache, default_folder
from ...runtime.abi import START, ContextLayout, PlanLayout, RowLayout
from ...runtime.files import atomic_file
from ...runtime.hostcode import interpreter_text
from ...runtime.library import ImageHead, Selection
from ...runtime.machine import ENTRY, TARGETS, needed_words
from ..ir import find_target, isa_name, without_matrices
from ..session import CompileError, Options, Progress, silent, told
from .archive import ArchiveMember, archive
from .facts import facts_of, includes
from .image import image_version
from .kernels import Member, library_texts, selected_kernels

_HEADER = Path(__file__).parent / "sr.h"

_FUNCTIONS = ("sr_interpret", "sr_unite", "sr_place_all", "sr_spread", "sr_absent")
"""What the header calls."""


def build_c_library(
    selection: Selection,
    models: Sequence[Any],
    targets: Sequence[str],
    folder: Path,
    options: Options = Options(),
    progress: Progress = silent,
) -> list[Path]:
    """
    Writes `libsr.a` with the kernels of some models that a selection has, for each
    target, and `sr.h`, into a folder, which is made; what was written. `progress` is
    told of models, then of targets.

    Raises `CompileError` as `build_library_folder`, and for targets of two machines. No
    kernel uses registers of matrices, which a program must ask the system for.
    """
    names = [*dict.fromkeys(map(isa_name, targets))]
    if len({name == "aarch64" for name in names}) > 1:
        raise CompileError(
            f"expected targets of one machine for a C library, got {', '.join(names)}; "
            "build one for each"
        )
    kernels = selected_kernels(models, names, selection, options, progress)
    cache = Cache(default_folder()) if options.cache else None
    machine = machine_of(find_target("aarch64" if "aarch64" in names else "x86-64"))
    # The greatest first, as a program looks for one that runs.
    names = [each for each in reversed(TARGETS) if each in names]
    texts = [interpreter_text(), _main_text(names, len(kernels), selection)]
    main = linked_object(texts, _FUNCTIONS, machine, cache)
    shown = (*_FUNCTIONS, "sr_targets", "sr_target_count", "sr_version")
    shown += ("sr_selected", "sr_selected_count", "sr_selects")
    members = [ArchiveMember("sr.o", main, shown)]
    for number, name in enumerate(told(names, "targets", progress)):
        data = _kernels_object(kernels, name, cache)
        table = _table_name(name)
        members.append(ArchiveMember(f"kernels{number}.o", data, (table,)))
    files = {
        "libsr.a": archive(members),
        "sr.h": header_text().encode(),
    }
    folder.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        with atomic_file(folder / name) as file:
            file.write(data)
    return [folder / name for name in files]


def _usable(target: str) -> list[str]:
    """The features of a target that a program need not ask the system for."""
    features = TARGETS[target].split()
    usable = without_matrices({*features})
    return [each for each in features if each in usable]


def _table_name(target: str) -> str:
    """The name of the table of the kernels of a target."""
    return f"sr_kernels_{target.replace('-', '_')}"


def _kernels_object(
    kernels: Mapping[str, Member], target: str, cache: Cache | None
) -> bytes:
    """The object of the kernels of a target, and of the table that names them."""
    usable = find_target(target, matrices=False)
    texts, machine = library_texts(kernels, usable)
    table = _kernel_table(_table_name(target), kernels)
    return linked_object([*texts.values(), table], (), machine, cache)


def header_text() -> str:
    """The header, with the numbers of words that the runtime has."""
    words = {f"HEAD_{each.name}": each.value for each in ImageHead}
    words |= {"HEAD_SIZE": len(ImageHead), "START": START}
    kinds = {"PLAN": PlanLayout, "ROW": RowLayout, "CONTEXT": ContextLayout}
    for prefix, kind in kinds.items():
        for name, number in vars(kind).items():
            if name.isupper():
                words[f"{prefix}_{name}"] = number
    lines = "\n  ".join(f"SR_{name} = {number}," for name, number in words.items())
    return _HEADER.read_text().replace("@WORDS@", lines)


def _kernel_table(name: str, kernels: Mapping[str, Member]) -> str:
    """The constant that has the name, the function and the arguments of each kernel."""
    lines: list[str] = []
    rows: list[str] = []
    # As C orders them: by bytes.
    for at, kernel in enumerate(sorted(kernels, key=str.encode)):
        lines.append(text_constant(f"name.{at}", kernel))
        lines.append(f"declare i32 @{ENTRY}{kernel}(ptr, ptr)")
        count = kernels[kernel].arguments
        rows.append(
            f"{{ptr, ptr, i64}} {{ptr @name.{at}, ptr @{ENTRY}{kernel}, i64 {count}}}"
        )
    lines.append(_array(name, "{ptr, ptr, i64}", rows))
    return "\n".join(lines)


def _main_text(names: Sequence[str], count: int, selection: Selection) -> str:
    """
    The constants of the library: its version; its targets, the greatest first; and what
    was selected for it, if a kernel is lacking.
    """
    lines: list[str] = []
    rows: list[str] = []
    for at, name in enumerate(names):
        words = needed_words(_usable(name))
        lines.append(text_constant(f"target.{at}", name))
        needs = ", ".join(f"i32 {each}" for each in words)
        lines.append(f"@needs.{at} = internal constant [{len(words)} x i32] [{needs}]")
        lines.append(f"@{_table_name(name)} = external constant ptr")
        rows.append(
            f"{{ptr, ptr, ptr, i64}} {{ptr @target.{at}, ptr @needs.{at}, "
            f"ptr @{_table_name(name)}, i64 {count}}}"
        )
    lines.append(_array("sr_targets", "{ptr, ptr, ptr, i64}", rows))
    lines.append(f"@sr_target_count = constant i64 {len(names)}")
    lines.append(f"@sr_version = constant i64 {image_version()}")
    facts = facts_of(selection)
    lines += [text_constant(f"fact.{at}", each) for at, each in enumerate(facts)]
    lines.append(
        _array("sr_selected", "ptr", [f"ptr @fact.{x}" for x in range(len(facts))])
    )
    lines.append(f"@sr_selected_count = constant i64 {len(facts)}")
    flags = ", ".join(f"i64 {int(each)}" for each in includes(selection))
    lines.append(f"@sr_selects = constant [2 x i64] [{flags}]")
    return "\n".join(lines)


def _array(name: str, type: str, rows: Sequence[str]) -> str:
    """A constant array that others see."""
    return f"@{name} = constant [{len(rows)} x {type}] [{', '.join(rows)}]"
