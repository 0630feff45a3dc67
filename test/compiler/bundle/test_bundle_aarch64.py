"""A bundle for AArch64 runs where there is an emulator and a compiler of C for it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import Network, make_bundle, write_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.call.arguments import bind_symbols

from ...models.open_models import BLOCK, OpenModel, several
from .c_program import any_size_program, build, run_any_size
from .test_bundle_any_size import IMAGE

COMPILERS = (
    ("aarch64-linux-gnu-gcc", "-static"),
    ("zig", "cc", "-target", "aarch64-linux-musl"),
)
EMULATORS = ("qemu-aarch64", "qemu-aarch64-static")


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize(
    ("model", "sizes"), [(BLOCK, (17, 33)), (BLOCK, (3, 1)), (IMAGE, (2, 64, 65))]
)
def test_results_are_those_of_this_machine(
    tmp_path: Path, model: OpenModel, sizes: tuple[int, ...]
):
    compiler = next((each for each in COMPILERS if shutil.which(each[0])), None)
    emulator = next(filter(None, map(shutil.which, EMULATORS)), None)
    if compiler is None or emulator is None:
        pytest.skip("needs qemu-aarch64, and a C compiler for AArch64")
    options = Options(cache=False, threads=1)
    compilation = Compilation(model.model, target="aarch64", options=options)
    write_bundle(make_bundle([Network(compilation, "net")]), tmp_path)
    module = sr.compile(model.model, options=options)
    program = module.program
    build(tmp_path, any_size_program(program), compiler=compiler)
    inputs = model.inputs(np.random.default_rng(0), *sizes)
    named = {i.name: x for i, x in zip(program.inputs, inputs, strict=True)}
    symbols = bind_symbols(program, inputs)
    expected = several(module(*inputs))
    results = [
        run_any_size(tmp_path, program, symbols, named, threads, [emulator])[1]
        for threads in (0, 4)
    ]
    assert results[0] == results[1]
    for got, want in zip(results[0], expected, strict=True):
        found = np.frombuffer(got, np.float32).reshape(want.shape)
        np.testing.assert_allclose(found, want, atol=2e-5, rtol=2e-5)
