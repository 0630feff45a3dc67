"""Attention in groups is what ONNX Runtime computes, and so are decoders with it."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto, numpy_helper, parser

from static_runtime import compile

from .grouped_models import CALLS, FORMS, Call, Form, can_be, without_padding
from .interpreter import Array, read

pytestmark = pytest.mark.torch


def session(source: ModelProto) -> onnxruntime.InferenceSession:
    """ONNX Runtime with a model, as it stands."""
    options = onnxruntime.SessionOptions()
    level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = level
    data = source.SerializeToString()
    return onnxruntime.InferenceSession(
        data, options, providers=["CPUExecutionProvider"]
    )


def beside(form: Form, tolerance: float) -> None:
    """Checks the results of all calls against ONNX Runtime, without padded queries."""
    graph, other = read(form.model), session(form.model)
    for seed, call in enumerate(CALLS.values()):
        if not can_be(form, call):
            continue
        arrays = form.arrays(call, seed)
        got = without_padding(graph.run(*arrays.values()), call)
        wanted = without_padding(other.run(None, arrays), call)
        for each, expected in zip(got, wanted, strict=True):
            assert (each.dtype, each.shape) == (expected.dtype, expected.shape)
            np.testing.assert_allclose(each, expected, tolerance, tolerance)


@pytest.mark.parametrize("name", FORMS)
def test_forms_beside_onnx_runtime(name: str):
    beside(FORMS[name][0], 2e-5)


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("heads", [(2, 2, 16), (2, 1, 32), (8, 2, 64)])
def test_halves_beside_onnx_runtime(heads: tuple[int, int, int], is_packed: bool):
    """It rounds the angles' products too."""
    form = Form(*heads, is_packed=is_packed, pairs=8, element="float16")
    beside(form, 5e-3)


@pytest.mark.parametrize("capacity", [3, 5])
def test_a_sliding_cache_beside_onnx_runtime(capacity: int):
    """After each call its first places are the last positions, at least a window."""
    attributes = ", local_window_size = 3, sliding_window_cache = 1"
    form = Form(pairs=8, attributes=attributes)
    graph, other = read(form.model), session(form.model)
    cache = [np.zeros((1, 2, capacity, 16), np.float32)] * 2
    total = 0
    for count in (4, 1, 1, 1, 2, 7, 1):
        total += count
        arrays = form.arrays(Call([total], count, capacity, total), total)
        arrays |= {"pk": cache[0], "pv": cache[1]}
        got, wanted = graph.run(*arrays.values()), other.run(None, arrays)
        for each, expected in zip(got, wanted, strict=True):
            assert each.shape == expected.shape
            kept = (
                slice(None)
                if each.ndim == 3
                else (..., slice(min(total, 3)), slice(None))
            )
            np.testing.assert_allclose(each[kept], expected[kept], 1e-4, 1e-5)
        cache = wanted[1:]


LAYER = """
 q{i} = MatMul(x{i}, wqkv) a{i}, nk{i}, nv{i} = com.microsoft.GroupQueryAttention
 <num_heads = 4, kv_num_heads = 2, do_rotary = 1, local_window_size = {window}>
 (q{i}, , , pk{i}, pv{i}, l, t, cos, sin)
 o{i} = MatMul(a{i}, wo) z{i}, , , r{i} =
 com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 0.01>({skip}, o{i}, g)
 u{i} = MatMul(z{i}, wu) s{i} = Sigmoid(u{i}) h{i} = Mul(u{i}, s{i})
 d{i} = MatMul(h{i}, wd) x{j}, , , e{j} =
 com.microsoft.SkipSimplifiedLayerNormalization<epsilon = 0.01>(r{i}, d{i}, g)
"""


def decoder(window: int) -> ModelProto:
    """Two layers with a cache, as onnxruntime-genai's builder writes them."""
    cache = ", ".join(
        f"float[b, 2, p, 16] {name}{i}" for i in range(2) for name in ("pk", "pv")
    )
    layers = "".join(
        LAYER.format(i=i, j=i + 1, window=window, skip="x" if i == 0 else f"e{i}")
        for i in range(2)
    )
    found = parser.parse_model(
        '<ir_version: 9, opset_import: ["": 21, "com.microsoft": 1]>'
        f"g (int64[b, s] ids, int64[b, t] mask, {cache}) =>"
        " (float y, float nk0, float nv0, float nk1, float nv1)"
        " <int64[1] one = {1}, int64 i = {1}> { x = Gather(emb, ids)"
        " m = ReduceSum<keepdims = 0>(mask, one) n = Sub(m, one)"
        " l = Cast<to = 6>(n) w = Shape(mask) c = Gather<axis = 0>(w, i)"
        " t = Cast<to = 6>(c)"
        " x0 = SimplifiedLayerNormalization<axis = -1, epsilon = 0.01>(x, g)"
        f"{layers} y = MatMul(x2, head) }}"
    )
    for each in found.graph.output:
        each.ClearField("type")
    random = np.random.default_rng(0)
    shapes = {"emb": (40, 64), "wqkv": (64, 128), "wo": (64, 64), "wu": (64, 96)}
    shapes |= {"wd": (96, 64), "head": (64, 40), "g": (64,), "cos": (32, 8)}
    weights = {
        name: random.standard_normal(shape).astype(np.float32) / 4
        for name, shape in shapes.items()
    }
    angles = np.arange(32)[:, None] / 10 ** np.arange(8)
    weights |= {
        "cos": np.cos(angles).astype(np.float32),
        "sin": np.sin(angles).astype(np.float32),
    }
    for name, array in weights.items():
        found.graph.initializer.append(numpy_helper.from_array(array, name))
    return found


@pytest.mark.parametrize("capacity", [0, 12])
def test_a_decoder_beside_onnx_runtime(capacity: int):
    """
    A prompt of rows of their own lengths and five steps, with caches that grow, and
    with caches of one size.
    """
    source = decoder(window=4 if capacity else -1)
    module, other = compile(source), session(source)
    names = [each.name for each in source.graph.input]
    lengths: Array = np.array([5, 2, 4])
    ids = np.random.default_rng(1).integers(0, 40, (3, 5))
    cache = [np.zeros((3, 2, capacity, 16), np.float32)] * 4
    rows = lengths - 1
    for _ in range(6):
        places: Array = np.arange(int(lengths.max()))
        mask = np.less(places, lengths[:, None]).astype(np.int64)
        given: list[Array] = [ids, mask, *cache]
        got = [np.asarray(each) for each in module(*given)]
        wanted = other.run(None, dict(zip(names, given, strict=True)))
        last = np.arange(3), rows
        np.testing.assert_allclose(got[0][last], wanted[0][last], 1e-4, 1e-5)
        for each, expected in zip(got[1:], wanted[1:], strict=True):
            assert each.shape == expected.shape
            for row, length in enumerate(lengths):
                valid = row, slice(None), slice(length)
                np.testing.assert_allclose(each[valid], expected[valid], 1e-4, 1e-5)
        cache = got[1:]
        ids = wanted[0][last].argmax(1)[:, None]
        rows, lengths = np.zeros(3, np.int64), lengths + 1
