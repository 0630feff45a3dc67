"""Several models in one bundle: an object, in which what they share is there once."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import (
    Bundle,
    Network,
    make_bundle,
    write_bundle,
)
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options

from .c_program import SANITIZERS, build

WIDE = 48

BODY = """
builtin.module {{
  func.func @main(%x: tensor<17x{k}xf32>, %w: tensor<{k}x33xf32>)
      -> tensor<17x33xf32> {{
    %0 = "graph.matmul"(%x, %w)
      : (tensor<17x{k}xf32>, tensor<{k}x33xf32>) -> tensor<17x33xf32>
    %1 = "graph.{last}"(%0) : (tensor<17x33xf32>) -> tensor<17x33xf32>
    func.return %1 : tensor<17x33xf32>
  }}
}}
"""

MODELS = {
    "one": BODY.format(k=WIDE, last="tanh"),
    "two": BODY.format(k=16, last="tanh"),
    "three": BODY.format(k=WIDE, last="tanh"),
}
"""Models; the first and the last have the same kernels."""

PROGRAM = """
#include <stdio.h>
#include "one.h"
#include "two.h"
#include "three.h"
static GLOW_MEM_ALIGN(64) uint8_t weights[64], scratch[1 << 20], data[1 << 20];
static int run(const char *file, int (*net)(uint8_t *, uint8_t *, uint8_t *),
               size_t size) {
  FILE *from = fopen(file, "rb");
  if (!from || fread(data, 1, size, from) != size) return 2;
  fclose(from);
  if (net(weights, data, scratch)) return 3;
  FILE *to = fopen(file, "wb");
  if (!to || fwrite(data, 1, size, to) != size) return 4;
  fclose(to);
  return 0;
}
int main(void) {
  int bad = run("one.bin", one, ONE_MUTABLE_MEM_SIZE);
  bad |= run("two.bin", two, TWO_MUTABLE_MEM_SIZE);
  return bad | run("three.bin", three, THREE_MUTABLE_MEM_SIZE);
}
"""


def bundle(folder: Path, *names: str) -> None:
    """Writes the bundle of some of the models."""
    options = Options(cache=False, threads=1)
    networks = [
        Network(Compilation(MODELS[each], target="x86-64-v3", options=options), each)
        for each in names
    ]
    write_bundle(make_bundle(networks, "all"), folder)


@cache
def all_models() -> tuple[Bundle, Mapping[str, sr.StaticModule]]:
    """The bundle of all models, and the compiled models."""
    options = Options(cache=False, threads=1)
    networks = [Network(Compilation(MODELS[n], options=options), n) for n in MODELS]
    modules = {n: sr.compile(MODELS[n], options=options) for n in MODELS}
    return make_bundle(networks, "all"), modules


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("flags", SANITIZERS)
def test_each_has_the_bits_of_python(tmp_path: Path, flags: tuple[str, ...]):
    made, modules = all_models()
    write_bundle(made, tmp_path)
    random = np.random.default_rng(0)
    expected: dict[str, bytes] = {}
    for name, module in modules.items():
        shapes = (each.sizes({}) for each in module.program.inputs)
        inputs = [random.standard_normal(shape, np.float32) for shape in shapes]
        expected[name] = np.asarray(module(*inputs)).tobytes()
        pieces = [each.tobytes() for each in (*inputs, np.zeros((17, 33), np.float32))]
        padded = [each + bytes(-len(each) % 64) for each in pieces]
        (tmp_path / f"{name}.bin").write_bytes(b"".join(padded))
    build(tmp_path, PROGRAM, *flags, objects=["all.o"])
    subprocess.run(["./main"], cwd=tmp_path, check=True)
    for name, result in expected.items():
        assert (tmp_path / f"{name}.bin").read_bytes().find(result) > 0


def test_a_kernel_that_models_share_is_there_once(tmp_path: Path):
    if (nm := shutil.which("nm")) is None:
        pytest.skip("needs nm")
    kernels: dict[tuple[str, ...], set[str]] = {}
    for names in (("one",), ("two",), ("one", "two")):
        bundle(tmp_path, *names)
        told = subprocess.run(
            [nm, "all.o"], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        found = [line.split()[-1] for line in told.stdout.splitlines()]
        kernels[names] = {each for each in found if each.startswith("sr_k_")}
    one, two, both = kernels.values()
    assert one
    assert both <= one | two


def test_the_files_are_those_of_each_model(tmp_path: Path):
    bundle(tmp_path, "one", "two")
    assert {each.name for each in tmp_path.iterdir()} == {
        "all.o",
        *(f"{n}.{x}" for n in ("one", "two") for x in ("h", "weights.bin")),
        *(f"{n}.weights.txt" for n in ("one", "two")),
    }


def test_a_bundle_of_no_model_is_refused():
    with pytest.raises(CompileError, match="expected models for a bundle, got none"):
        make_bundle([])


def test_models_of_one_name_are_refused():
    networks = [Network(Compilation(MODELS[each]), "net") for each in ("one", "two")]
    with pytest.raises(CompileError, match="expected models with names of their own"):
        make_bundle(networks)
