"""
Every described host has its code: compiled and assembled here, and run where it can be.

The models are what code depends on the host for: a product whose rows are a symbol, a
softmax, a convolution, a lookup, and products of bf16 and of bytes.
"""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.loop.target import target_of
from static_runtime.dialects.shape import Array
from static_runtime.lowering.host_to_llvm import SUPPORT, lower_program
from static_runtime.lowering.llvm_to_object import Machine, assembly, machine_of
from static_runtime.runtime.hostcode import interpreter_text
from static_runtime.runtime.machine import host

from .as_host import runs_here
from .hosts import HOSTS

F32 = """
func.func @main(%x: tensor<?x48xf32, ["n"]>, %image: tensor<1x16x12x12xf32>,
    %table: tensor<10x16xf32>, %places: tensor<5xi64>) -> (tensor<?x40xf32, ["n"]>,
    tensor<?x40xf32, ["n"]>, tensor<1x16x10x10xf32>, tensor<5x16xf32>) {
  %w = graph.weight "w" : tensor<48x40xf32>
  %v = graph.weight "v" : tensor<16x16x3x3xf32>
  %0 = graph.matmul %x, %w : tensor<?x48xf32, ["n"]>, tensor<48x40xf32>
    -> tensor<?x40xf32, ["n"]>
  %1 = graph.softmax %0 {axis = 1 : i64} : tensor<?x40xf32, ["n"]>
    -> tensor<?x40xf32, ["n"]>
  %2 = graph.conv %image, %v {strides = array<i64: 1, 1>,
    padding = array<i64: 0, 0, 0, 0>, dilation = array<i64: 1, 1>, groups = 1 : i64}
    : tensor<1x16x12x12xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x10x10xf32>
  %3 = graph.embedding %table, %places : tensor<10x16xf32>, tensor<5xi64>
    -> tensor<5x16xf32>
  return %0, %1, %2, %3 : tensor<?x40xf32, ["n"]>, tensor<?x40xf32, ["n"]>,
    tensor<1x16x10x10xf32>, tensor<5x16xf32>
}
"""

BF16 = """
func.func @main(%x: tensor<64x128xf32>) -> tensor<64x64xf32> {
  %w = graph.weight "w" : tensor<128x64xf32>
  %0 = graph.matmul %x, %w : tensor<64x128xf32>, tensor<128x64xf32>
    -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
"""

BYTES = """
func.func @main(%x: tensor<64x130xui8>) -> tensor<64x64xi32> {
  %w = graph.weight "w" : tensor<130x64xsi8>
  %0 = graph.cast %x {to = i32} : tensor<64x130xui8> -> tensor<64x130xi32>
  %1 = graph.cast %w {to = i32} : tensor<130x64xsi8> -> tensor<130x64xi32>
  %2 = graph.matmul %0, %1 : tensor<64x130xi32>, tensor<130x64xi32>
    -> tensor<64x64xi32>
  return %2 : tensor<64x64xi32>
}
"""

OLD = r"\tv[a-z]+\s|%[yz]mm|%k[0-7]\b"
AVX2 = r"%zmm|%k[0-7]\b|%[xy]mm(1[6-9]|[23]\d)"
NO_BF16 = r"bf16|%tmm|\tvpdp|\tvpermi2b|\tv[a-z0-9]+ph\s"
NO_AMX = r"%tmm|tilecfg|\tv(add|mul|fmadd\w+)ph\s"

BEYOND = {
    **dict.fromkeys(("haswell", "zen-3", "one-core", "sixteen-cores"), AVX2),
    "caches-unknown": AVX2,
    "no-avx": OLD,
    "alder-lake": AVX2,
    "skylake-sp": NO_BF16,
    "zen-4": NO_AMX,
    "sapphire-rapids": r"\t(vfmadd\w+ss4|vprot\w|extrq|insertq)\b",
    "neoverse-n1": r"\bz\d+\.|\bp\d+/[mz]|\tbf|\tfmmla|\t[us]+dot",
    "neoverse-v1": r"\bz\d+\.|\bp\d+/[mz]|\tbf|\tfmmla",
}
"""What no code for a host may have: instructions and registers that it lacks."""

USED = {
    **dict.fromkeys(("haswell", "zen-3", "one-core", "sixteen-cores"), r"vfmadd.*%ymm"),
    "caches-unknown": r"vfmadd.*%ymm",
    "no-avx": r"\tmulps\s",
    "alder-lake": r"vfmadd.*%ymm",
    "skylake-sp": r"vfmadd.*%zmm",
    "zen-4": r"vfmadd.*%zmm",
    "sapphire-rapids": r"vfmadd.*%zmm",
    **dict.fromkeys(("neoverse-n1", "neoverse-v1"), r"\tfmla\s+v"),
}
"""What code in f32 for a host has."""

DOTS = {"zen-4": r"\tvdpbf16ps\s.*%zmm", "sapphire-rapids": r"\ttdpbf16ps\s"}
"""And in bf16."""

FOURS = {
    "alder-lake": r"\{vex\}\s+vpdpbusd\s.*%ymm",
    "zen-4": r"\tvpdpbusd\s.*%zmm",
    "sapphire-rapids": r"\ttdpbusd\s",
    "skylake-sp": r"\tvpmaddwd\s.*%zmm",
    "no-avx": r"\tpmaddwd\s",
    "neoverse-n1": r"\tsmull\s",
    "neoverse-v1": r"\tusdot\s",
}
"""And in bytes, where it is not a product of pairs in 256 bits."""

PAIRS = r"\tvpmaddwd\s.*%ymm"

SATURATING = r"\tv?(pdpbusds|pmaddubsw|pdpwssds)\s"
"""What would not wrap."""

NEVER = r"\tv?(extrq|insertq|movnts[sd]|rdpru|clzero|clwb|cldemote|ptwrite|serialize)\b"
"""Instructions of `NEVER_CHOSEN`, without which code runs here."""

ELF = {"x86_64": 62, "aarch64": 183}
"""The number of an architecture in the header of an object."""


def numbers(*shape: int) -> Array:
    """Numbers at random."""
    return np.random.default_rng(sum(shape)).standard_normal(shape, np.float32)


WEIGHTS = {"w": numbers(48, 40), "v": numbers(16, 16, 3, 3)}


@cache
def listing(text: str, machine: Machine) -> str:
    """The assembly of a module, which hosts that differ in cores share."""
    return assembly(text, machine)


def build(
    text: str, precision: str, **weights: Array
) -> tuple[StaticModule | None, str]:
    """
    A model compiled for the host, if this machine can run it, and its assembly; the
    objects have been looked at.
    """
    ctx = context()
    for key, array in weights.items():
        ctx.weights.put(key, array)
    module = read_mlir(text, ctx)
    options = Options(cache=False, precision=precision)
    artifact, report = Driver(ctx, options, "host", None).compile(module)
    machine = machine_of(target_of(module))
    number = ELF[host.get_host().triple.split("-")[0]]
    for each in artifact.objects:
        assert (each[:4], each[18]) == (b"\x7fELF", number)
    texts = [*(each.text for each in lower_program(module).modules), SUPPORT]
    if artifact.plans:
        texts.append(interpreter_text())
    assert len(texts) == len(artifact.objects)
    code = "\n".join(listing(each, machine) for each in texts)
    if not runs_here(host.get_host()):
        return None, code
    return make_module(artifact, report, options.usable_threads), code


def check_instructions(name: str, code: str, expected: str) -> None:
    """Asserts that code has what is expected, and nothing that the host lacks."""
    assert re.search(expected, code)
    lacking = re.compile(f"{BEYOND[name]}|{NEVER}")
    found = [line for line in code.splitlines() if lacking.search(line)]
    assert not found


@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("name", HOSTS)
def test_models_of_f32(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(host, "MACHINE", HOSTS[name])
    model, code = build(F32, "f32", **WEIGHTS)
    check_instructions(name, code, USED[name])
    if model is None:
        return
    image, table, places = numbers(1, 16, 12, 12), numbers(10, 16), np.arange(9, 4, -1)
    windows = np.lib.stride_tricks.sliding_window_view(image[0], (3, 3), (1, 2))
    convolved = np.einsum("chwij,ocij->ohw", windows, WEIGHTS["v"], dtype=np.float64)
    for rows in (1, 7, 33):
        x = numbers(rows, 48)
        product, soft, conv, looked_up = model(x, image, table, places)
        np.testing.assert_allclose(product, x @ WEIGHTS["w"], rtol=0, atol=1e-4)
        e = np.exp(product - product.max(1, keepdims=True), dtype=np.float64)
        np.testing.assert_allclose(soft, e / e.sum(1, keepdims=True), rtol=1e-5)
        np.testing.assert_allclose(conv[0], convolved, rtol=0, atol=1e-4)
        np.testing.assert_array_equal(looked_up, table[places])


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("name", HOSTS)
def test_a_product_of_bf16(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(host, "MACHINE", HOSTS[name])
    w, x = numbers(128, 64), numbers(64, 128)
    model, code = build(BF16, "bf16", w=w)
    check_instructions(name, code, DOTS.get(name, USED[name]))
    if model is not None:
        # Both factors are rounded to eight bits, or one.
        error = np.abs(model(x) - x.astype(np.float64) @ w)
        assert (error <= 2.0**-7 * (np.abs(x) @ np.abs(w))).all()


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("name", HOSTS)
def test_a_product_of_bytes(monkeypatch: pytest.MonkeyPatch, name: str):
    monkeypatch.setattr(host, "MACHINE", HOSTS[name])
    random = np.random.default_rng(0)
    w = random.integers(-128, 128, (130, 64)).astype(np.int8)
    x = random.integers(0, 256, (64, 130)).astype(np.uint8)
    model, code = build(BYTES, "f32", w=w)
    check_instructions(name, code, FOURS.get(name, PAIRS))
    assert not re.search(SATURATING, code)
    if model is not None:
        expected = x.astype(np.int32) @ w.astype(np.int32)
        np.testing.assert_array_equal(model(x), expected)
