"""
Products of 8-bit integers have the bits of numpy, whatever instructions they run by.

Sums are those of i32, which wrap. What this machine has no instructions for is computed
by a portable set of the same layout, which moves and corrects factors as they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product as pairs

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper, parser

import static_runtime as sr
from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir import target as targets
from static_runtime.compiler.ir.context import context
from static_runtime.dialects.loop.target import TargetAttr
from static_runtime.dialects.shape import Array

from ..as_host import skip_unless_runs
from ..compiler.library.replay import replay


def machine(vector: int, *isas: str) -> TargetAttr:
    """A machine with vectors of this many bits, and these sets."""
    if vector == 128:
        return TargetAttr.of("x86-64", 128, 16, False, isas=isas)
    return TargetAttr.of("x86-64-v3", vector, 16, True, isas=isas)


MACHINES = {
    "pairs": machine(256),
    "old pairs": machine(128),
    "fours": machine(256, "portable_vnni"),
    "old fours": machine(128, "portable_vnni"),
    "matrices": machine(256, "portable_amx_int8"),
}
"""Machines that compute products of bytes in different ways, and all run here."""

TYPES = {"si8": np.dtype(np.int8), "ui8": np.dtype(np.uint8)}
SIGNS = [*pairs(TYPES, TYPES)]

SIZES = (*((1, 64, 64), (9, 2, 300), (13, 7, 65), (70, 33, 1300), (33, 17, 3)),)

by_machine = pytest.mark.parametrize("target", MACHINES)
by_signs = pytest.mark.parametrize("signs", SIGNS, ids="x".join)


@pytest.fixture(autouse=True)
def with_machines(monkeypatch: pytest.MonkeyPatch):
    """Makes these targets known."""
    for name, target in MACHINES.items():
        monkeypatch.setitem(targets.TARGETS, name, target)


def build(
    text: str, weights: dict[str, Array], target: str = "pairs", threads: int = 1
) -> StaticModule:
    """The model of a text with these weights."""
    ctx = context()
    for key, array in weights.items():
        ctx.weights.put(key, array)
    driver = Driver(ctx, sr.Options(cache=False), target, None)
    artifact, report = driver.compile(read_mlir(text, ctx))
    skip_unless_runs(MACHINES[target].cpu.data)
    return make_module(artifact, report, threads)


def numbers(shape: Sequence[int], type: str) -> Array:
    """Elements at random, every third of them a limit of the type."""
    random, limits = np.random.default_rng(sum(shape)), np.iinfo(TYPES[type])
    found = random.integers(limits.min, limits.max + 1, shape)
    ends = np.where(random.random(shape) < 0.5, limits.min, limits.max)
    return np.where(random.random(shape) < 1 / 3, ends, found).astype(TYPES[type])


def wide(array: Array) -> Array:
    """The elements in i32."""
    return array.astype(np.int32)


def product(m: int | str, n: int, k: int, signs: tuple[str, str]) -> str:
    """The text of a product with a weight."""
    rows, names = (m, "") if isinstance(m, int) else ("?", f', ["{m}"]')
    a, b = signs
    x, out = (f"tensor<{rows}x{k}x{each}{names}>" for each in (a, "i32"))
    w, into = f"tensor<{k}x{n}x{b}>", f"tensor<{rows}x{n}xi32{names}>"
    return f"""func.func @main(%x: {x}) -> {into} {{
      %w = graph.weight "w" : {w}
      %a = graph.cast %x {{to = i32}} : {x} -> {out}
      %b = graph.cast %w {{to = i32}} : {w} -> tensor<{k}x{n}xi32>
      %1 = graph.matmul %a, %b : {out}, tensor<{k}x{n}xi32> -> {into}
      func.return %1 : {into}
    }}"""


@pytest.mark.sampled(every=20)
@by_machine
@by_signs
def test_products_of_known_sizes(target: str, signs: tuple[str, str]):
    for m, n, k in SIZES:
        x, w = numbers((m, k), signs[0]), numbers((k, n), signs[1])
        model = build(product(m, n, k, signs), {"w": w}, target)
        np.testing.assert_array_equal(model(x), wide(x) @ wide(w))


@pytest.mark.sampled(every=10)
@by_machine
@by_signs
def test_sums_wrap(target: str, signs: tuple[str, str]):
    m, n, k = 3, 16, 140_000
    x, w = (
        np.full(s, np.iinfo(TYPES[t]).max, TYPES[t])
        for s, t in zip(((m, k), (k, n)), signs, strict=True)
    )
    model = build(product(m, n, k, signs), {"w": w}, target)
    exact = int(x[0, 0]) * int(w[0, 0]) * k
    assert exact > np.iinfo(np.int32).max
    expected = np.full((m, n), exact, np.int64).astype(np.int32)
    np.testing.assert_array_equal(model(x), expected)


@pytest.mark.sampled(every=10)
@by_machine
def test_products_of_open_sizes(target: str):
    n, k, signs = 70, 1100, ("si8", "si8")
    x, w = numbers((100, k), signs[0]), numbers((k, n), signs[1])
    model = build(product("m", n, k, signs), {"w": w}, target)
    for rows in (0, 1, 2, 3, 5, 6, 7, 64, 100):
        np.testing.assert_array_equal(model(x[:rows]), wide(x[:rows]) @ wide(w))


@pytest.mark.sampled(every=10)
@by_machine
@pytest.mark.parametrize("sizes", [(200, 96, 300), (1, 2048, 1024)])
def test_two_threads_compute_the_same_bits(sizes: tuple[int, int, int], target: str):
    (m, n, k), signs = sizes, ("si8", "si8")
    x, w = numbers((m, k), signs[0]), numbers((k, n), signs[1])
    model = build(product(m, n, k, signs), {"w": w}, target, threads=2)
    assert model.program.is_shared
    np.testing.assert_array_equal(model(x), wide(x) @ wide(w))


def test_what_is_computed_of_a_widened_weight_is_of_that_weight():
    text = """func.func @main() -> (tensor<40xi32>, tensor<40xi32>) {
      %v = graph.weight "v" : tensor<40xsi8>
      %w = graph.weight "w" : tensor<40xsi8>
      %0 = graph.cast %v {to = i32} : tensor<40xsi8> -> tensor<40xi32>
      %1 = graph.cast %w {to = i32} : tensor<40xsi8> -> tensor<40xi32>
      %2 = graph.add %0, %0 : tensor<40xi32>, tensor<40xi32> -> tensor<40xi32>
      %3 = graph.add %1, %1 : tensor<40xi32>, tensor<40xi32> -> tensor<40xi32>
      func.return %2, %3 : tensor<40xi32>, tensor<40xi32>
    }"""
    v, w = (np.arange(40, dtype=np.int8) + each for each in (np.int8(0), np.int8(60)))
    for found, each in zip(build(text, {"v": v, "w": w})(), (v, w), strict=True):
        np.testing.assert_array_equal(found, 2 * wide(each))


@pytest.mark.sampled(every=5)
@by_machine
def test_weights_stay_bytes(target: str):
    weights = {"w": numbers((256, 512), "si8")}
    model = build(product(4, 512, 256, ("ui8", "si8")), weights, target)
    assert model.report.constant_bytes == 256 * 512


@pytest.mark.sampled(every=15)
@by_machine
@pytest.mark.parametrize("sizes", [(40, 64, 64), (9, 17, 30), (130, 70, 1030)])
def test_products_of_two_inputs(sizes: tuple[int, int, int], target: str):
    m, n, k = sizes
    for a, b in SIGNS:
        x, y = numbers((m, k), a), numbers((k, n), b)
        for turned in (False, True):
            model = build(between_inputs(m, n, k, (a, b), turned), {}, target)
            found = model(x, np.ascontiguousarray(y.T) if turned else y)
            np.testing.assert_array_equal(found, wide(x) @ wide(y))


def between_inputs(m: int, n: int, k: int, signs: tuple[str, str], turned: bool) -> str:
    """The text of a product of inputs; `turned`, the second has its columns first."""
    a, b = (f"tensor<{s}x{t}>" for s, t in zip((f"{m}x{k}", f"{k}x{n}"), signs))
    first, second, result = (
        f"tensor<{s}xi32>" for s in (f"{m}x{k}", f"{k}x{n}", f"{m}x{n}")
    )
    given, order = b, "%y"
    permute = ""
    if turned:
        given, order = f"tensor<{n}x{k}x{signs[1]}>", "%t"
        permute = f"%t = graph.permute %y {{order = array<i64: 1, 0>}} : {given} -> {b}"
    return f"""func.func @main(%x: {a}, %y: {given}) -> {result} {{
      {permute}
      %a = graph.cast %x {{to = i32}} : {a} -> {first}
      %b = graph.cast {order} {{to = i32}} : {b} -> {second}
      %1 = graph.matmul %a, %b : {first}, {second} -> {result}
      func.return %1 : {result}
    }}"""


CONVOLUTIONS = (
    # Channels, filters, size of the image, of the window, stride, groups.
    *((16, 24, 9, 3, 1, 1), (64, 32, 7, 1, 1, 1), (3, 16, 13, 7, 2, 1)),
    *((12, 12, 8, 3, 1, 12), (8, 16, 10, 3, 2, 2)),
)


@pytest.mark.sampled(every=25)
@by_machine
@pytest.mark.parametrize("sizes", CONVOLUTIONS, ids=str)
def test_convolutions(sizes: tuple[int, ...], target: str):
    channels, filters, size, window, stride, groups = sizes
    pad = window // 2
    for signs in SIGNS:
        x = numbers((2, channels, size, size), signs[0])
        w = numbers((filters, channels // groups, window, window), signs[1])
        model = build(convolution(x, w, signs, (stride, pad, groups)), {"w": w}, target)
        np.testing.assert_array_equal(model(x), convolved(x, w, stride, pad, groups))


def convolution(
    x: Array, w: Array, signs: tuple[str, str], options: tuple[int, int, int]
) -> str:
    """The text of a convolution with a weight."""
    stride, pad, groups = options
    n, filters, side = len(x), len(w), (x.shape[2] + 2 * pad - w.shape[2]) // stride + 1
    image, weight = ("x".join(map(str, each.shape)) for each in (x, w))
    a, b = (f"tensor<{s}x{t}>" for s, t in zip((image, weight), signs))
    out = f"tensor<{n}x{filters}x{side}x{side}xi32>"
    return f"""func.func @main(%x: {a}) -> {out} {{
      %w = graph.weight "w" : {b}
      %a = graph.cast %x {{to = i32}} : {a} -> tensor<{image}xi32>
      %b = graph.cast %w {{to = i32}} : {b} -> tensor<{weight}xi32>
      %1 = graph.conv %a, %b {{strides = array<i64: {stride}, {stride}>,
        padding = array<i64: {pad}, {pad}, {pad}, {pad}>, dilation = array<i64: 1, 1>,
        groups = {groups} : i64}} : tensor<{image}xi32>, tensor<{weight}xi32> -> {out}
      func.return %1 : {out}
    }}"""


def convolved(x: Array, w: Array, stride: int, pad: int, groups: int) -> Array:
    """The convolution in numpy."""
    padded = np.pad(wide(x), ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[2:], (2, 3))
    windows = windows[:, :, ::stride, ::stride]
    parts = [
        np.einsum("nchwij,ocij->nohw", image, filters)
        for image, filters in zip(
            np.split(windows, groups, 1), np.split(wide(w), groups), strict=True
        )
    ]
    return np.concatenate(parts, 1)


@pytest.mark.sampled(every=3)
@by_machine
def test_a_product_and_its_requantisation_are_one_kernel(target: str):
    m, n, k = 33, 40, 70
    x, w = numbers((m, k), "ui8"), numbers((k, n), "si8")
    scale = np.random.default_rng(0).random(n).astype(np.float32) * 1e-3
    a, b, total = f"tensor<{m}x{k}x", f"tensor<{k}x{n}x", f"tensor<{m}x{n}x"
    text = f"""func.func @main(%x: {a}ui8>, %s: tensor<{n}xf32>) -> {total}si8> {{
      %w = graph.weight "w" : {b}si8>
      %a = graph.cast %x {{to = i32}} : {a}ui8> -> {a}i32>
      %b = graph.cast %w {{to = i32}} : {b}si8> -> {b}i32>
      %1 = graph.matmul %a, %b : {a}i32>, {b}i32> -> {total}i32>
      %2 = graph.cast %1 {{to = f32}} : {total}i32> -> {total}f32>
      %3 = graph.mul %2, %s : {total}f32>, tensor<{n}xf32> -> {total}f32>
      %4 = graph.round %3 : {total}f32> -> {total}f32>
      %5 = graph.clamp %4 {{min = -128.0 : f64, max = 127.0 : f64}}
        : {total}f32> -> {total}f32>
      %6 = graph.cast %5 {{to = si8}} : {total}f32> -> {total}si8>
      func.return %6 : {total}si8>
    }}"""
    model = build(text, {"w": w}, target)
    expected = (wide(x) @ wide(w)).astype(np.float32) * scale
    expected = np.clip(np.round(expected), -128, 127).astype(np.int8)
    np.testing.assert_array_equal(model(x, scale), expected)
    assert model.report.kernels == 1


@pytest.mark.sampled(every=4)
@by_signs
def test_products_on_the_host(signs: tuple[str, str]):
    for m, n, k in ((33, 40, 64), (1, 48, 70), (7, 130, 516)):
        x, w = numbers((m, k), signs[0]), numbers((k, n), signs[1])
        model = sr.compile(with_initializer(x, w), options=sr.Options(cache=False))
        np.testing.assert_array_equal(model(x), wide(x) @ wide(w))


@pytest.mark.full(
    beside="models/test_few_bits.py::test_a_model_as_data_has_the_same_bits"
)
@by_signs
@pytest.mark.usefixtures("runs_host")
def test_products_as_data(signs: tuple[str, str]):
    for k in (64, 70):
        x, w = numbers((33, k), signs[0]), numbers((k, 40), signs[1])
        data = replay(with_initializer(x, w))
        for rows in (1, 33):
            np.testing.assert_array_equal(data(x[:rows]), wide(x[:rows]) @ wide(w))


def with_initializer(x: Array, w: Array) -> ModelProto:
    """The product of rows of bytes with a weight, as an ONNX file has it."""
    (_, k), (_, n) = x.shape, w.shape
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 18]>
        g ({x.dtype.name}[n, {k}] x) => (int32[n, {n}] y) {{
            a = Cast<to=6>(x) b = Cast<to=6>(w) y = MatMul(a, b) }}"""
    )
    model.graph.initializer.append(numpy_helper.from_array(w, "w"))
    return model
