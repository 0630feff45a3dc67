"""
Products with weights of few bits have the bits of the same weights in f32, and take
the memory of their steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import static_runtime as sr
from static_runtime import StaticModule
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.frontends.mlir import read_mlir
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.target import TARGETS
from static_runtime.compiler.passes import few_bits
from static_runtime.compiler.passes.graph import keep_steps, quantize_weights
from static_runtime.dialects.shape import Array

from ..as_host import skip_unless_runs
from ..compiler.library.replay import replay

ROWS = (1, 2, 6, 7, 13, 17, 18, 36, 41)
"""Rows of one call: of one register tile, of several, and of packed panels."""


def build(
    text: str, weights: dict[str, Array], options: sr.Options, target: str = "host"
) -> StaticModule:
    """The model of a text with these weights."""
    ctx = context()
    for key, array in weights.items():
        ctx.weights.put(key, array)
    if target in TARGETS:
        skip_unless_runs(TARGETS[target].cpu.data)
    artifact, report = Driver(ctx, options, target, None).compile(read_mlir(text, ctx))
    return make_module(artifact, report, 1)


def stepped(
    shape: tuple[int, int], bits: int, group: int, zero: bool
) -> tuple[str, dict[str, Array]]:
    """A product of any number of rows with a weight NxK of steps, and its weights."""
    (n, k), random = shape, np.random.default_rng(bits + group)
    groups, limit = k // group, 1 << bits
    arrays = {
        "w": random.integers(0, limit, (n, groups, group)).astype(np.uint8),
        "s": (random.random((n, groups, 1)) * 0.01 + 1e-3).astype(np.float32),
        "z": np.full((1, 1, 1), limit // 2, np.uint8),
    }
    # Quantisers divide by what is farthest from zero, which may be below it.
    arrays["s"] *= random.choice(np.array([-1, 1], np.float32), (n, groups, 1))
    if zero:
        arrays["z"] = random.integers(0, limit, (n, groups, 1)).astype(np.uint8)
    types = {
        name: f"tensor<{'x'.join(map(str, each.shape))}x{kind}>"
        for (name, each), kind in zip(
            arrays.items(), ("ui8", "f32", "ui8"), strict=True
        )
    }
    stored = "\n".join(f'%{n} = graph.weight "{n}" : {t}' for n, t in types.items())
    x, y = (f'tensor<?x{each}xf32, ["m"]>' for each in (k, n))
    blocks, whole = (f"tensor<{n}x{e}xf32>" for e in (f"{groups}x{group}", k))
    text = f"""
        func.func @main(%x : {x}) -> {y} {{
          {stored}
          %1 = graph.dequantize %w, %s, %z : {", ".join(types.values())} -> {blocks}
          %2 = graph.reshape %1 {{shape = ["{n}", "{k}"]}} : {blocks} -> {whole}
          %3 = graph.linear %x, %2 : {x}, {whole} -> {y}
          %4 = graph.relu %3 : {y} -> {y}
          return %4 : {y}
        }}"""
    return text, arrays


CASES = [
    ((128, 64), 4, 32, False),
    ((300, 256), 4, 32, True),
    ((300, 256), 8, 64, False),
    ((40, 512), 8, 16, True),
    ((129, 1024), 2, 64, True),
    ((33, 2048), 4, 2048, False),
    ((33, 130), 8, 130, False),
]
"""Sizes, bits, rows of a group, and whether there are zero points."""


@pytest.mark.sampled(every=42)
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_steps_have_the_bits_of_their_numbers(
    case: tuple[tuple[int, int], int, int, bool],
    target: str,
    monkeypatch: pytest.MonkeyPatch,
):
    text, weights = stepped(*case)
    options = sr.Options(cache=False)
    kept = build(text, weights, options, target)
    monkeypatch.setattr(few_bits, "_LEAST_ELEMENTS", 1 << 62)
    wide = build(text, weights, options, target)
    for rows in ROWS:
        x = np.random.default_rng(rows).standard_normal((rows, case[0][1]), np.float32)
        np.testing.assert_array_equal(kept(x), wide(x))
    groups = case[0][1] // case[2]
    most = (case[1] / 8 + (5 if case[3] else 4) * groups / case[0][1]) / 4
    # The widest panels have 32 columns.
    padded = -(-case[0][0] // 32) * 32 / case[0][0]
    assert kept.report.constant_bytes <= most * padded * 4 * np.prod(case[0]) + 1024


@pytest.mark.sampled(together=1)
@pytest.mark.parametrize("target", ["host", "x86-64-v3", "x86-64"])
@pytest.mark.parametrize("bits", [2, 4])
def test_numbers_of_words_are_rounded_once(bits: int, target: str):
    """On every target to the bit, a zero without its sign."""
    random = np.random.default_rng(bits)
    words = random.integers(-(1 << 31), 1 << 31, (3, 64)).astype(np.int32)
    scale = (random.random(64) + 0.5).astype(np.float32)
    scale *= np.where(np.arange(64) % 2, -1, 1) * 2.0 ** (np.arange(64) - 32)
    scale[:4] = 0, -0.0, 1e30, -1e-30
    many, types = 32 // bits, ("tensor<3x64xi32>", "tensor<64xf32>")
    result = f"tensor<3x{many}x64xf32>"
    text = f"""
        func.func @main(%w : {types[0]}, %s : {types[1]}) -> {result} {{
          %1 = graph.dequantize_words %w, %s {{bits = {bits}}} :
            {", ".join(types)} -> {result}
          return %1 : {result}
        }}"""
    got = build(text, {}, sr.Options(cache=False), target)(words, scale)
    down = np.arange(0, 32, bits, dtype=np.int32)[:, None]
    steps = (words[:, None, :] >> down & (1 << bits) - 1) - (1 << bits - 1)
    want = steps.astype(np.float32) * scale + np.float32(0)
    np.testing.assert_array_equal(got.view(np.int32), want.view(np.int32))


def of_bits(
    bits: int, block: int, zero: bool, k: int = 256, n: int = 48
) -> tuple[bytes, Array]:
    """A model of one MatMulNBits, and the matrix that its weight stands for."""
    random, blocks = np.random.default_rng(bits), k // block
    steps = random.integers(0, 1 << bits, (n, blocks, block))
    zeros = random.integers(0, 1 << bits, (n, blocks)) if zero else None
    scale = (random.random((n, blocks)) * 0.01 + 1e-3).astype(np.float32)

    def packed(values: Array) -> Array:
        per_byte = 8 // bits
        filled = np.pad(values, ((0, 0), (0, -values.shape[1] % per_byte)))
        apart = filled.reshape(n, -1, per_byte) << (bits * np.arange(per_byte))
        return apart.sum(-1).astype(np.uint8)

    given = {
        "w": packed(steps.reshape(n, k)).reshape(n, blocks, -1),
        "s": scale.ravel(),
    }
    if zeros is not None:
        given["z"] = packed(zeros).ravel()
    numbers: dict[str, Any] = {"K": k, "N": n, "bits": bits, "block_size": block}
    node = helper.make_node(
        "MatMulNBits", ["x", *given], ["y"], domain="com.microsoft", **numbers
    )
    graph = helper.make_graph(
        [node],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["m", k])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["m", n])],
        [numpy_helper.from_array(each, name) for name, each in given.items()],
    )
    domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=domains, ir_version=9)
    middle = (1 << (bits - 1)) if zeros is None else zeros[..., None]
    matrix = (steps - middle).astype(np.float32) * scale[..., None]
    return model.SerializeToString(), matrix.reshape(n, k)


@pytest.mark.sampled(every=12)
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("block", [16, 32, 256])
@pytest.mark.parametrize("bits", [4, 8])
def test_matmul_of_bits_stays_in_few_bits(bits: int, block: int, zero: bool):
    model, matrix = of_bits(bits, block, zero)
    compiled = sr.compile(model, options=sr.Options(cache=False))
    for rows in ROWS:
        x = np.random.default_rng(rows).standard_normal((rows, 256), np.float32)
        want = x.astype(np.float64) @ matrix.T.astype(np.float64)
        np.testing.assert_allclose(compiled(x), want, rtol=1e-5, atol=1e-4)
    most = bits / 32 + (5 if zero else 4) / block / 4
    assert compiled.report.constant_bytes <= most * 4 * matrix.size + 1024


@pytest.mark.sampled(every=3, start=2)
@pytest.mark.parametrize("bits", [2, 4, 8])
def test_a_model_as_data_has_the_same_bits(bits: int):
    """Kernels of a library know of no size, and here not how many steps a word has."""
    model, _ = of_bits(bits, 32, bits == 8, k=128, n=32)
    compiled, data = sr.compile(model, options=sr.Options(cache=False)), replay(model)
    for rows in (1, 13, 70):
        x = np.random.default_rng(rows).standard_normal((rows, 128), np.float32)
        np.testing.assert_array_equal(data(x), compiled(x))


@pytest.mark.full(beside="test_steps_have_the_bits_of_their_numbers")
def test_threads_share_products_of_few_rows_and_of_many():
    """By columns where rows are few, by rows where panels become f32 first."""
    model, _ = of_bits(4, 32, False, k=1024, n=1040)
    one, two = (
        sr.compile(model, options=sr.Options(cache=False, threads=each))
        for each in (1, 2)
    )
    for rows in (1, 5, 13, 41):
        x = np.random.default_rng(rows).standard_normal((rows, 1024), np.float32)
        np.testing.assert_array_equal(two(x), one(x))


@pytest.mark.full(beside="test_matmul_of_bits_stays_in_few_bits")
def test_products_of_one_weight_share_its_steps():
    text, weights = stepped((64, 64), 4, 32, False)
    twice = text.replace(
        "%4 = graph.relu %3",
        "%5 = graph.linear %3, %2 : PART\n%4 = graph.relu %5",
    )
    part = 'tensor<?x64xf32, ["m"]>, tensor<64x64xf32> -> tensor<?x64xf32, ["m"]>'
    options = sr.Options(cache=False)
    once = build(text, weights, options).report.constant_bytes
    both = build(twice.replace("PART", part), weights, options)
    assert both.report.constant_bytes == once


@pytest.mark.full(
    beside="models/test_looked_up_products.py::test_steps_have_the_bits_of_each_matrix"
)
@pytest.mark.parametrize(("weights", "most"), [("int8", 0.27), ("int4", 0.15)])
def test_an_option_quantises_the_weights_of_any_model(weights: str, most: float):
    random = np.random.default_rng(0)
    w = random.standard_normal((512, 256), np.float32)
    v = random.standard_normal((512, 384), np.float32)
    x, y, z = (f'tensor<?x{each}xf32, ["m"]>' for each in (256, 512, 384))
    text = f"""
        func.func @main(%x : {x}) -> {z} {{
          %w = graph.weight "w" : tensor<512x256xf32>
          %v = graph.weight "v" : tensor<512x384xf32>
          %a = graph.linear %x, %w : {x}, tensor<512x256xf32> -> {y}
          %b = graph.matmul %a, %v : {y}, tensor<512x384xf32> -> {z}
          return %b : {z}
        }}"""
    given = {"w": w, "v": v}
    plain = build(text, given, sr.Options(cache=False))
    narrow = build(text, given, sr.Options(cache=False, weights=weights))
    assert narrow.report.constant_bytes <= most * plain.report.constant_bytes
    assert sr.Options(weights=weights).key != sr.Options().key
    rows = random.standard_normal((5, 256), np.float32)
    kept = [rounded(each, {"int8": 127, "int4": 7}[weights]) for each in (w.T, v)]
    want = rows.astype(np.float64) @ kept[0] @ kept[1]
    np.testing.assert_allclose(narrow(rows), want, rtol=1e-4, atol=1e-3)


def rounded(weight: Array, most: int) -> Array:
    """A weight that is rounded to steps in groups of 64 rows."""
    groups = weight.reshape(-1, 64, weight.shape[1])
    scale = np.abs(groups).max(axis=1, keepdims=True) / np.float32(most)
    return (np.rint(groups / scale) * scale).reshape(weight.shape)


@pytest.mark.parametrize("bits", [4, 8])
def test_a_weight_is_off_by_half_a_scale(bits: int):
    weight = np.random.default_rng(1).standard_normal((192, 40), np.float32)
    weight[64:128, 3] = 0
    found = quantize_weights.quantized(weight, bits)
    assert found is not None
    assert found.scale.shape == (3, 40)
    scale = np.repeat(found.scale, 64, axis=0)
    error = np.abs(found.steps * scale - weight)
    assert (error <= scale * (0.5 + 1e-6)).all()
    assert (found.steps[64:128, 3] == 0).all()
    assert np.abs(found.steps).max() == (1 << (bits - 1)) - 1


def test_steps_count_from_the_middle_of_their_range():
    steps = np.arange(80 * 64).reshape(80, 64) % 16
    ones, eights = np.ones((80, 64), np.float32), np.full((80, 64), 8)
    found = keep_steps.in_few_bits(steps.astype(np.uint8), ones, eights)
    assert found is not None
    np.testing.assert_array_equal(found.steps, steps - 8)
    assert found.bits == 4
    assert not found.zero_point.any()
