"""A C program runs models as data over `libsr.a`, with the bits of Python."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import load_model_from_string

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.library import build_c_library, build_data_model
from static_runtime.compiler.library.c_library import header_text
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.tools.build import main
from static_runtime.runtime.abi import ContextLayout, PlanLayout, RowLayout
from static_runtime.runtime.call.arguments import bind_symbols
from static_runtime.runtime.library import model_image
from static_runtime.runtime.library.not_selected import NotSelectedError
from static_runtime.runtime.library.selection import Selection

from ...house import ROOT
from ...models.open_models import BLOCK, CHAIN, OpenModel, several
from ...models.stored import STORED
from ..bundle.c_program import SANITIZERS
from ..bundle.c_program import build as compile_c
from ..tracing.models import BRANCH
from .replay import replay

EVERY = Selection(include_all_operators=True)
PROGRAM = (ROOT / "examples" / "c_library" / "main.c").read_text()
BASE = "aarch64" if isa_name("host") == "aarch64" else "x86-64"

# Every buffer ends where nobody may read: the library is not instrumented, so that no
# sanitizer sees what it touches.
GUARDED = """
#define _DEFAULT_SOURCE
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
static int guarded(void **buffer, size_t alignment, size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE), used = (size + page - 1) / page * page;
  unsigned char *start = mmap(NULL, used + 2 * page, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (start == MAP_FAILED) return 1;
  if (mprotect(start + page, used, PROT_READ | PROT_WRITE)) return 1;
  *buffer = start + page + (used - size) / alignment * alignment;
  return 0;
}
#define posix_memalign guarded
#define free(buffer) (void)(buffer)
"""

MODELS = {"block": BLOCK, "chain": CHAIN}
SIZES = {
    "block": [(1, 1), (3, 7), (2, 0), (17, 130)],
    "chain": [(1, 1, 1, 1), (3, 1, 2, 2), (4, 9, 0, 7), (64, 40, 65, 40)],
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library of two models, and one of them as data."""
    folder = tmp_path_factory.mktemp("library")
    build_c_library(EVERY, [CHAIN.model, BRANCH], ["host", BASE], folder)
    build_data_model(CHAIN.model, folder / "chain.sr")
    return folder


def program(library: Path, folder: Path, source: str, *flags: str) -> None:
    """Builds a C program with the library."""
    for each in library.iterdir():
        shutil.copy(each, folder)
    compile_c(folder, source, *flags, objects=["libsr.a"])


def run(
    folder: Path, name: str, threads: int, symbols: Mapping[str, int]
) -> subprocess.CompletedProcess[str]:
    """What the program says of a model."""
    values = (f"{symbol}={value}" for symbol, value in symbols.items())
    command = ["./main", f"{name}.sr", str(threads), *values]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def check(folder: Path, name: str, model: OpenModel, sizes: Sequence[int]) -> None:
    """A call of these sizes gives the bits of Python, with one thread and with four."""
    module = sr.compile(model.model, target=isa_name("host"))
    inputs = model.inputs(np.random.default_rng(1), *sizes)
    known = several(module(*inputs))
    symbols = bind_symbols(module.program, inputs)
    for info, array in zip(module.program.inputs, inputs, strict=True):
        array.tofile(folder / f"{info.name}.in")
    for threads in (1, 4):
        done = run(folder, name, threads, symbols)
        assert not done.returncode, done.stderr
        for info, wanted in zip(module.program.outputs, known, strict=True):
            assert (folder / f"{info.name}.out").read_bytes() == wanted.tobytes()
            shape = ", ".join(map(str, wanted.shape))
            assert f"output {info.name}: {info.dtype}[{shape}]\n" in done.stdout


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("flags", SANITIZERS, ids=["plain", "memory", "threads"])
def test_each_size_has_the_bits_of_python(
    library: Path, tmp_path: Path, flags: Sequence[str]
):
    program(library, tmp_path, PROGRAM if flags else GUARDED + PROGRAM, *flags)
    for sizes in SIZES["chain"]:
        check(tmp_path, "chain", CHAIN, sizes)


@pytest.mark.full(beside="test_each_size_has_the_bits_of_python")
@pytest.mark.usefixtures("runs_host")
def test_each_of_two_models_has_the_bits_of_python(tmp_path: Path):
    models = [each.model for each in MODELS.values()]
    build_c_library(EVERY, models, ["host", BASE], tmp_path)
    for name, each in MODELS.items():
        build_data_model(each.model, tmp_path / f"{name}.sr")
    for flags in SANITIZERS:
        source = PROGRAM if flags else GUARDED + PROGRAM
        compile_c(tmp_path, source, *flags, objects=["libsr.a"])
        for name, model in MODELS.items():
            for sizes in SIZES[name]:
                check(tmp_path, name, model, sizes)


@pytest.mark.usefixtures("runs_host")
def test_what_is_refused(library: Path, tmp_path: Path):
    program(library, tmp_path, PROGRAM)
    known = sr.compile(CHAIN.model, target=isa_name("host")).program
    inputs = CHAIN.inputs(np.random.default_rng(1), 3, 1, 2, 2)
    symbols = bind_symbols(known, inputs)
    (first, *_) = symbols
    said = run(tmp_path, "chain", 1, {**symbols, first: -1}).stderr
    assert said == f"expected {first} of 0 or more\n"
    said = run(tmp_path, "chain", 1, {**symbols, first: 2**61}).stderr
    assert said == "expected sizes whose products stay below 2**62 bytes\n"
    for info, array in zip(known.inputs, inputs, strict=True):
        array.tofile(tmp_path / f"{info.name}.in")
    # A library that was built of another model.
    build_c_library(EVERY, [BRANCH], [BASE], tmp_path)
    compile_c(tmp_path, PROGRAM, objects=["libsr.a"])
    done = run(tmp_path, "chain", 1, symbols)
    assert done.returncode == 1
    assert "the status 7\nexpected a library with the kernel " in done.stderr
    data = (tmp_path / "chain.sr").read_bytes()
    (tmp_path / "chain.sr").write_bytes(data[:-8])
    assert "got the status -1" in run(tmp_path, "chain", 1, symbols).stderr


@pytest.mark.sampled(every=2)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("flags", [(), SANITIZERS[1]], ids=["plain", "memory"])
def test_what_was_not_traced_is_told_when_a_run_comes_to_it(
    tmp_path: Path, flags: Sequence[str]
):
    with sr.trace() as traced:
        branch = sr.compile(BRANCH)
        x = np.ones((3, 4), np.float32)
        known: Any = branch(True, x)
    build_c_library(traced.selection, [BRANCH], ["host"], tmp_path)
    build_data_model(BRANCH, tmp_path / "branch.sr")
    compile_c(tmp_path, PROGRAM, *flags, objects=["libsr.a"])
    x.tofile(tmp_path / "x.in")
    np.array(True).tofile(tmp_path / "c.in")
    done = run(tmp_path, "branch", 1, {"n": 3})
    assert not done.returncode, done.stderr
    (name,) = branch.output_names
    assert (tmp_path / f"{name}.out").read_bytes() == known.tobytes()
    np.array(False).tofile(tmp_path / "c.in")
    done = run(tmp_path, "branch", 1, {"n": 3})
    assert done.returncode == 1
    with pytest.raises(NotSelectedError) as python:
        replay(BRANCH, traced.selection)(False, x)
    assert f"the status 7\n{python.value}\n" in done.stderr
    assert "kernel_metadata: {tanh: [Float]}" in done.stderr


_MUTANTS = """
#include <stdio.h>
#include <stdlib.h>
#include "sr.h"
int main(int count, char **arguments) {
  FILE *file = fopen(arguments[1], "rb");
  if (count != 3 || !file) return 2;
  static _Alignas(64) unsigned char data[1 << 22];
  size_t size = fread(data, 1, sizeof data, file);
  sr_model model;
  if (sr_open(&model, data, size)) return 3;
  uint64_t head = 8 + *(uint64_t *)(void *)data;
  srand(1);
  for (int at = 0; at < atoi(arguments[2]); ++at) {
    size_t less = rand() % 4 ? 0 : (size_t)rand() % size;
    size_t where = rand() % 2 ? (size_t)rand() % size : (size_t)rand() % (size / 8) * 8;
    unsigned char by = (unsigned char)(1 + rand() % 255);
    /* Memory of its own size, so that a sanitizer sees what is read after it. */
    unsigned char *copy = aligned_alloc(64, (size - less + 63) / 64 * 64);
    if (!copy) return 4;
    memcpy(copy, data, size - less);
    if (where < size - less) copy[where] ^= by;
    int status = sr_open(&model, copy, size - less);
    int matters = less || (where < 8) || (where >= head && where < size - SR_DIGEST);
    if (!status == !!matters) return printf("%zu, %zu less\\n", where, less);
    free(copy);
  }
  return 0;
}
"""


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_changed_file_is_refused(library: Path, tmp_path: Path, count: int):
    program(library, tmp_path, _MUTANTS, *SANITIZERS[1])
    done = subprocess.run(
        ["./main", "chain.sr", str(count)], cwd=tmp_path, capture_output=True, text=True
    )
    assert not done.returncode, done.stdout + done.stderr


def test_the_header_has_the_words_of_python():
    """What C and Python read and write is at the same places."""
    rows = re.findall(r"^  SR_(\w+) = (-?\d+)", header_text(), re.MULTILINE)
    known = {name: int(value) for name, value in rows}
    assert len(known) == len(rows)
    assert known["FOOT"] == model_image.FOOT
    assert known["HEAD_CODE"] == model_image.Head.CODE
    assert known["PLAN_HEAD"] == PlanLayout.HEAD
    assert known["ROW_USED"] == RowLayout.USED
    assert known["CONTEXT_HEAD"] == ContextLayout.HEAD


@pytest.mark.usefixtures("runs_host")
def test_the_library_needs_memcpy_and_memset_alone(library: Path):
    if shutil.which("nm") is None:
        pytest.skip("needs nm")
    command = ["nm", "--undefined-only", "--format=posix", str(library / "libsr.a")]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = {line.split()[0] for line in said.splitlines() if " U" in line}
    outside = {name for name in names if not name.startswith("sr_kernels_")}
    assert outside <= {"memcpy", "memset"}


@pytest.mark.usefixtures("runs_host")
def test_shared_and_from_cpp(library: Path, tmp_path: Path):
    for each in library.iterdir():
        shutil.copy(each, tmp_path)
    if shutil.which("c++") is None:
        pytest.skip("needs a C++ compiler")
    whole = ["-Wl,--whole-archive", "libsr.a", "-Wl,--no-whole-archive"]
    linked = ["c++", "-shared", "-o", "libsr.so", *whole]
    subprocess.run(linked, cwd=tmp_path, check=True)
    source = f"""#include "sr.h"
    int main() {{ return strcmp(sr_target_here()->name, "{isa_name("host")}"); }}"""
    (tmp_path / "main.cc").write_text(source)
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror"]
    command = ["c++", *flags, "main.cc", "-L.", "-lsr", "-Wl,-rpath,.", "-o", "main"]
    subprocess.run(command, cwd=tmp_path, check=True)
    subprocess.run(["./main"], cwd=tmp_path, check=True)


def test_targets_that_do_not_go_together(tmp_path: Path):
    model = STORED["mlp_small"].dynamic
    with pytest.raises(CompileError, match=r"one machine .* aarch64, x86-64"):
        build_c_library(EVERY, [model], ["aarch64", "x86-64"], tmp_path)
    message = "expected --c-library with --yaml"
    with pytest.raises(SystemExit, match=message):
        main([str(model), "--c-library", "-o", str(tmp_path / "out")])


def test_a_library_for_another_machine(tmp_path: Path):
    build_c_library(EVERY, [BRANCH], ["aarch64"], tmp_path)
    data = (tmp_path / "libsr.a").read_bytes()
    assert data.startswith(b"!<arch>\n")
    # The machine of an ELF file: 183 is AArch64.
    assert {data[at + 18] for at in _starts(data)} == {183}


def _starts(data: bytes) -> list[int]:
    """Where ELF files begin."""
    return [each.start() for each in re.finditer(rb"\x7fELF", data)]


def test_the_inputs_of_models_have_names_of_files():
    """What `main.c` reads and writes are files of these names."""
    for model in MODELS.values():
        inputs = load_model_from_string(model.model).graph.input
        assert all(each.name.isidentifier() for each in inputs)
