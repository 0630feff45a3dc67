"""A bundle, called from C, computes what the compiled model does."""

from __future__ import annotations

import re
import shutil
import subprocess
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
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.options import Options

from ...models.stored import STORED
from .c_program import SANITIZERS, build

MODEL = """
builtin.module {
  func.func @main(%x: tensor<17x48xf32>, %w: tensor<48x33xf32>) -> tensor<17x33xf32> {
    %0 = "graph.matmul"(%x, %w)
      : (tensor<17x48xf32>, tensor<48x33xf32>) -> tensor<17x33xf32>
    %1 = "graph.tanh"(%0) : (tensor<17x33xf32>) -> tensor<17x33xf32>
    func.return %1 : tensor<17x33xf32>
  }
}
"""

REMAINDERS = """
builtin.module {
  func.func @main(%x: tensor<?x8xf32, ["n"]>, %y: tensor<?xf64, ["n"]>)
      -> (tensor<?x8xf32, ["n"]>, tensor<?xf64, ["n"]>) {
    %0 = "graph.rem"(%x, %x)
      : (tensor<?x8xf32, ["n"]>, tensor<?x8xf32, ["n"]>) -> tensor<?x8xf32, ["n"]>
    %1 = "graph.softmax"(%0) {axis = 1 : i64}
      : (tensor<?x8xf32, ["n"]>) -> tensor<?x8xf32, ["n"]>
    %2 = "graph.mod"(%y, %y)
      : (tensor<?xf64, ["n"]>, tensor<?xf64, ["n"]>) -> tensor<?xf64, ["n"]>
    func.return %1, %2 : tensor<?x8xf32, ["n"]>, tensor<?xf64, ["n"]>
  }
}
"""

ORDERS = """
builtin.module {
  func.func @main(%x: tensor<?x?xf32, ["n", "m"]>, %y: tensor<9x100xf64>)
      -> (tensor<?x?xi64, ["n", "m"]>, tensor<9x3xf64>, tensor<9x100xf64>) {
    %0, %1 = graph.sort %x {axis = 1 : i64, descending = false}
      : tensor<?x?xf32, ["n", "m"]>
      -> tensor<?x?xf32, ["n", "m"]>, tensor<?x?xi64, ["n", "m"]>
    %2, %3 = graph.topk %y {axis = 1 : i64, k = "3", largest = true}
      : tensor<9x100xf64> -> tensor<9x3xf64>, tensor<9x3xi64>
    %4, %5 = graph.sort %y {axis = 1 : i64, descending = true}
      : tensor<9x100xf64> -> tensor<9x100xf64>, tensor<9x100xi64>
    func.return %1, %2, %4
      : tensor<?x?xi64, ["n", "m"]>, tensor<9x3xf64>, tensor<9x100xf64>
  }
}
"""

STATIC = """
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include "net.h"
static GLOW_MEM_ALIGN(NET_MEM_ALIGN) uint8_t weights[NET_CONSTANT_MEM_SIZE + 64];
static GLOW_MEM_ALIGN(NET_MEM_ALIGN) uint8_t mutables[2][NET_MUTABLE_MEM_SIZE];
static GLOW_MEM_ALIGN(NET_MEM_ALIGN) uint8_t scratch[2][NET_ACTIVATIONS_MEM_SIZE + 64];
static int status[2];
static void *run(void *which) {
  int at = *(int *)which;
  for (int i = 0; i < 20; ++i) status[at] |= net(weights, mutables[at], scratch[at]);
  return NULL;
}
static void get(const char *name, uint8_t *to, size_t size) {
  FILE *file = fopen(name, "rb");
  if (!file || fread(to, 1, size, file) != size) exit(2);
  fclose(file);
}
int main(void) {
  pthread_t threads[2];
  int which[2] = {0, 1};
  get("net.weights.bin", weights, NET_CONSTANT_MEM_SIZE);
  for (int i = 0; i < 2; ++i) get("mutable.bin", mutables[i], NET_MUTABLE_MEM_SIZE);
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, run, &which[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < 2; ++i) {
    FILE *file = fopen(i ? "1.bin" : "0.bin", "wb");
    if (!file || fwrite(mutables[i], 1, NET_MUTABLE_MEM_SIZE, file) == 0) return 3;
    fclose(file);
  }
  return status[0] | status[1];
}
"""

OTHERS = """
#include <stdio.h>
#include "net.h"
static GLOW_MEM_ALIGN(NET_MEM_ALIGN) uint8_t weights[NET_CONSTANT_MEM_SIZE];
int main(void) {
  FILE *file = fopen("net.weights.bin", "rb");
  if (!file || fread(weights, 1, sizeof weights, file) != sizeof weights) return 2;
  fclose(file);
  uint64_t random = 1;
  for (int turn = 0; turn < 10000; ++turn) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    uint64_t at = (random >> 16) % sizeof weights;
    uint8_t kept = weights[at];
    weights[at] = (uint8_t)(kept ^ (1 + (random >> 56) % 255));
    if (net_check(weights) != -2) return 3;
    weights[at] = kept;
    if (turn % 1000 == 0 && net_check(weights) != GLOW_SUCCESS) return 4;
  }
  return net_check(weights);
}
"""

DYNAMIC = """
#include <stdio.h>
#include "net.h"
int main(void) {
  const BundleConfig *c = &net_config;
  printf("%d %d\\n", (int)c->mutableWeightVarsMemSize, (int)c->alignment);
  for (uint64_t i = 0; i < c->numSymbols; ++i) {
    const SymbolTableEntry *e = &c->symbolTable[i];
    printf("%s %d %d %d\\n", e->name, (int)e->offset, (int)e->size, e->kind);
  }
  return 0;
}
"""

OFFSETS = (0, 3264, 9600)
"""Of the inputs of 17 x 48 and 48 x 33, and the output, at multiples of 64."""

TARGET = "x86-64-v3"


TRAINED = Path(__file__).parents[2] / "models" / "trained" / "version-slim-320.onnx"
"""A detector of faces in an image of a known size."""


def bundle(
    folder: Path,
    api: str = "static",
    target: str = "host",
    model: str | Path = MODEL,
) -> None:
    """Writes the bundle of a model."""
    write_bundle(made(api, target, model), folder)


@cache
def made(api: str, target: str, model: str | Path) -> Bundle:
    """The bundle of a model, made once for all tests."""
    options = Options(cache=False, threads=1)
    compilation = Compilation(model, target=target, options=options)
    return make_bundle([Network(compilation, "net")], api=api)


@pytest.mark.sampled(every=2)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("flags", SANITIZERS)
def test_two_threads_in_c_have_the_bits_of_python(tmp_path: Path, flags: tuple[str]):
    rng = np.random.default_rng(0)
    x, w = (rng.standard_normal(s, np.float32) for s in ((17, 48), (48, 33)))
    module = sr.compile(MODEL, options=Options(cache=False, threads=1))
    expected = np.asarray(module(x, w))
    bundle(tmp_path)
    size = 9600 + 17 * 33 * 4
    block = np.zeros(-(-size // 64) * 64, np.uint8)
    for at, array in zip(OFFSETS, (x, w), strict=False):
        block[at : at + array.nbytes] = array.reshape(-1).view(np.uint8)
    block.tofile(tmp_path / "mutable.bin")
    build(tmp_path, STATIC, *flags)
    subprocess.run(["./main"], cwd=tmp_path, check=True)
    for name in ("0.bin", "1.bin"):
        result = np.fromfile(tmp_path / name, np.uint8)[9600:size]
        assert result.tobytes() == expected.tobytes()


@pytest.mark.full(beside="test_two_threads_in_c_have_the_bits_of_python")
@pytest.mark.usefixtures("runs_host")
def test_a_trained_model_in_c_has_the_bits_of_python(tmp_path: Path):
    module = sr.compile(TRAINED, options=Options(cache=False, threads=1))
    (image,) = module.program.inputs
    x = np.random.default_rng(0).standard_normal(image.sizes({}), np.float32)
    bundle(tmp_path, model=TRAINED)
    header = (tmp_path / "net.h").read_text()
    known = {
        name: int(at) for name, at in re.findall(r"define NET_(\w+) (\d+)", header)
    }
    block = np.zeros(known["MUTABLE_MEM_SIZE"], np.uint8)
    block[known[image.name] :][: x.nbytes] = x.reshape(-1).view(np.uint8)
    block.tofile(tmp_path / "mutable.bin")
    build(tmp_path, STATIC)
    subprocess.run(["./main"], cwd=tmp_path, check=True)
    found = np.fromfile(tmp_path / "1.bin", np.uint8)
    for info, expected in zip(module.program.outputs, module(x), strict=True):
        result = found[known[info.name] :][: expected.nbytes]
        assert result.tobytes() == expected.tobytes()


@pytest.mark.usefixtures("runs_host")
def test_other_weights_are_told_from_those_of_the_model(tmp_path: Path):
    bundle(tmp_path, model=str(STORED["mlp_small"].fixed))
    build(tmp_path, OTHERS, "-fsanitize=address,undefined")
    subprocess.run(["./main"], cwd=tmp_path, check=True)


@pytest.mark.usefixtures("runs_host")
def test_the_table_of_the_dynamic_api_has_each_tensor(tmp_path: Path):
    bundle(tmp_path, "dynamic")
    build(tmp_path, DYNAMIC)
    told = subprocess.run(
        ["./main"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    first, *rows = told.stdout.splitlines()
    assert first == "11904 64"
    numbers = [tuple(map(int, row.split()[1:])) for row in rows]
    assert numbers == [(0, 816, 1), (3264, 1584, 1), (9600, 561, 1)]


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("text", [MODEL, REMAINDERS, ORDERS])
def test_an_object_needs_nothing_but_memory_functions(tmp_path: Path, text: str):
    if (nm := shutil.which("nm")) is None:
        pytest.skip("needs nm")
    bundle(tmp_path, target=TARGET, model=text)
    told = subprocess.run(
        [nm, "net.o"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    seen = {tuple(line.split()[-2:]) for line in told.stdout.splitlines()}
    assert {name for kind, name in seen if kind == "U"} <= {"memcpy", "memset"}
    functions = {name for kind, name in seen if kind == "T"}
    assert functions - {"net_plan"} == {"net", "net_parallel", "net_check"}


def test_an_object_is_for_its_target(tmp_path: Path):
    bundle(tmp_path, target="aarch64")
    head = (tmp_path / "net.o").read_bytes()[:20]
    assert head[:4] == b"\x7fELF"
    assert int.from_bytes(head[18:20], "little") == 183


PRODUCT = """
func.func @main(%x: tensor<?x64xf32, ["n"]>, %w: tensor<64x64xf32>)
    -> tensor<?x64xf32, ["n"]> {
  %0 = graph.matmul %x, %w : tensor<?x64xf32, ["n"]>, tensor<64x64xf32>
    -> tensor<?x64xf32, ["n"]>
  func.return %0 : tensor<?x64xf32, ["n"]>
}
"""

RELEASE = b"\xc4\xe2\x78\x49\xc0"
"""TILERELEASE, with which each kernel ends that has used tile registers."""


def test_an_object_uses_no_registers_that_linux_grants():
    """Linux ends a program that uses AMX without asking, as a C program does not."""
    options = Options(cache=False, threads=1, precision="bf16")
    compilation = Compilation(PRODUCT, target="sapphirerapids", options=options)
    made = make_bundle([Network(compilation, "net")])
    assert RELEASE not in made.code
    ctx = context()
    driver = Driver(ctx, options, "sapphirerapids", None)
    artifact, _ = driver.compile(read_mlir(PRODUCT, ctx))
    assert any(RELEASE in each for each in artifact.objects)


def test_files_of_others_stay(tmp_path: Path):
    (tmp_path / "mine").write_text("mine")
    bundle(tmp_path)
    names = {each.name for each in tmp_path.iterdir()}
    assert names == {"mine", *(f"net.{x}" for x in ("o", "h", "weights.bin"))} | {
        "net.weights.txt"
    }


@pytest.mark.parametrize(
    ("model", "name", "message"),
    [
        (MODEL.replace("%x", "%MEM_ALIGN"), "net", "names differ in C, got a macro"),
        (MODEL, "sr_run", "expected a name that does not begin with sr_"),
        (MODEL, "a-b", "expected a name that C has for a bundle, got a-b"),
        (MODEL, "while", "expected a name that C does not keep for a bundle, got whi"),
        (MODEL, "stdint", "expected a name that C does not keep for a bundle, got std"),
    ],
)
def test_what_a_bundle_cannot_hold_is_refused(model: str, name: str, message: str):
    with pytest.raises(CompileError, match=message):
        make_bundle([Network(Compilation(model, options=Options(cache=False)), name)])
