"""
Build a folder that runs a model without the compiler: a package that needs numpy alone.

It has the files of `runtime/` that loading and running a model import, the pool of
threads as objects, and an artifact for each target.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..dialects.graph.custom import PREFIX
from ..lowering.host_to_llvm import data_entry_text
from ..lowering.llvm_to_object import kept_object, machine_of
from ..runtime.files import atomic_file
from ..runtime.library import KEY_FILE, Artifact, file_name, save
from ..runtime.machine import interpreter_name, object_name
from ..runtime.machine.llvm_text import pool_object
from ..runtime.program import Program
from .artifact_cache import SUFFIX
from .building import alone
from .compile import Compilation
from .ir import TARGETS, find_target, isa_name
from .session import FUNCTIONS_NOTE, CompileError, Options, version, with_constants

_RUNTIME = Path(__file__).parent.parent / "runtime"

_ENTRIES = ("run.py", "library/standalone.py")
"""The files that a user of the folder imports."""

_NEEDS_LLVM = "llvm_text.py"
"""The file that is imported where something was not built before."""

_FACE = '''"""A compiled model, and what it needs to run: numpy."""

from __future__ import annotations

from .call import StaticModule
from .library import load_model as load

__all__ = ["StaticModule", "load"]
'''


def build_runtime(
    model: Any, targets: Sequence[str], folder: Path, options: Options = Options()
) -> list[Path]:
    """
    Builds the folder, or writes its files again; what was written.

    Raises `CompileError` for a model that cannot run without the compiler, and for a
    folder with other things in it.
    """
    names = list(dict.fromkeys(map(isa_name, targets)))
    check_folder(folder)
    artifacts = {name: _artifact(model, name, options) for name in names}
    written = write_runtime(folder, names)
    for name, artifact in artifacts.items():
        own = f"model{SUFFIX}" if len(names) == 1 else file_name("model", name)
        with atomic_file(folder / own) as file:
            save(file, artifact, runtime_key())
        written.append(folder / own)
    return written


def runtime_key() -> str:
    """What the files of this version are for."""
    return f"runtime {version()}"


def write_runtime(
    folder: Path, targets: Sequence[str], interprets: bool = False
) -> list[Path]:
    """
    Writes the package without models, for the machines of some targets, which
    `interprets` models as data; what was written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    key = f"{runtime_key()}\n".encode()
    files = {folder / KEY_FILE: key, folder / "__init__.py": _FACE.encode()}
    for path in runtime_files():
        files[folder / path.relative_to(_RUNTIME)] = path.read_bytes()
    for machine in sorted({_machine(name) for name in targets}):
        files[folder / object_name(machine)] = pool_object(machine)
        if interprets:
            name = interpreter_name(machine)
            files[folder / name] = interpreter_object(machine)
    return [_write(path, data) for path, data in files.items()]


def interpreter_object(machine: str) -> bytes:
    """The object that runs models as data on a machine, x86_64 or aarch64."""
    target = find_target("aarch64" if machine == "aarch64" else "x86-64")
    return kept_object(data_entry_text(), machine_of(target), None)


def runtime_files() -> list[Path]:
    """The files of `runtime/` that loading and running a model may import."""
    found: set[Path] = set()
    queue = [_RUNTIME / each for each in _ENTRIES]
    while queue:
        path = queue.pop()
        if path in found or path.name == _NEEDS_LLVM:
            continue
        found.add(path)
        queue += _imported(path)
        # The files of a package come with its own.
        face = path.parent / "__init__.py"
        queue += [face] if path.parent != _RUNTIME else []
    return sorted(found)


def _imported(path: Path) -> Iterator[Path]:
    """The files of `runtime/` that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = path.parents[node.level - 1]
        inside = base.joinpath(*(node.module or "").split("."))
        for each in (inside, *(inside / alias.name for alias in node.names)):
            for file in (each.with_suffix(".py"), each / "__init__.py"):
                if file.exists() and file != _RUNTIME / "__init__.py":
                    yield file


def _artifact(model: Any, target: str, options: Options) -> Artifact:
    """The artifact of a model for a target, with nothing but what a run needs."""
    options.check_built()
    compilation = Compilation(model, target=target, options=options)
    key = compilation.key_of_file()
    found = compilation.find(key)
    if found is None:
        with alone():
            found, report, file = compilation.compile(key, time.perf_counter())
        if file is not None:
            found, _ = with_constants(found, report, file)
    refuse_fallbacks(found.program)
    refuse_functions(found.notes.get(FUNCTIONS_NOTE, ()))
    return replace(found, notes={"target": target})


def refuse_fallbacks(program: Program) -> None:
    """Raises `CompileError` where ops are run by their reference, with their nodes."""
    if nodes := [each.source for each in program.call_outs]:
        raise CompileError(
            "expected a model of compiled ops alone, got some that are run by their "
            "numpy reference, a PythonKernel or a framework, which cannot be built: "
            f"{', '.join(nodes)}; give ops of your own a NestKernel or an LlvmKernel"
        )


def refuse_functions(symbols: Iterable[str]) -> None:
    """Raises `CompileError` for functions that are outside of what is built."""
    if names := [each.removeprefix(PREFIX) for each in symbols]:
        raise CompileError(
            "expected a model of compiled ops alone, got some that call C functions of "
            f"a NativeKernel, which cannot be built: {', '.join(names)}; give these "
            "ops a NestKernel or an LlvmKernel"
        )


def _machine(target: str) -> str:
    """The machine that a target is for, as Python names it."""
    return "aarch64" if TARGETS[target].cpu.data.startswith("aarch64") else "x86_64"


def check_folder(folder: Path) -> None:
    """Raises `CompileError` for a folder that has other things in it."""
    if folder.exists() and not folder.is_dir():
        raise CompileError(f"expected a folder to build, got the file {folder}")
    is_ours = (folder / KEY_FILE).exists()
    if folder.exists() and not is_ours and any(folder.iterdir()):
        raise CompileError(
            f"expected an empty folder, or one that was built before, got {folder}; "
            "name another with -o"
        )


def _write(path: Path, data: bytes) -> Path:
    """Writes a file, whole or not at all, into a folder that is made."""
    path.parent.mkdir(exist_ok=True)
    with atomic_file(path) as file:
        file.write(data)
    return path
