"""Small models with several open sizes, each with what it computes in numpy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, parser
from onnx.numpy_helper import from_array

Array = npt.NDArray[Any]

WIDTH, HEADS, HIDDEN = 16, 2, 40
OPSET = '<ir_version: 10, opset_import: ["" : 20]>'


@dataclass(frozen=True)
class OpenModel:
    """A model, inputs for it at some sizes, and its reference."""

    text: str
    shapes: Callable[..., list[tuple[int, ...]]]
    """The shapes of the inputs, by the sizes."""

    reference: Callable[..., Sequence[Array]]
    """The outputs: of the inputs, and the weights by name."""

    weights: dict[str, Array]

    @property
    def model(self) -> bytes:
        """The model as ONNX."""
        made: ModelProto = parser.parse_model(f"{OPSET}\n{self.text}")
        for name, array in self.weights.items():
            made.graph.initializer.append(from_array(array, name))
        return made.SerializeToString()

    def inputs(self, random: np.random.Generator, *sizes: int) -> list[Array]:
        """Inputs at these sizes."""
        shapes = self.shapes(*sizes)
        return [random.standard_normal(shape, np.float32) for shape in shapes]

    def check(self, results: Any, inputs: Sequence[Array]) -> None:
        """Raises unless these are the results of a call."""
        found = several(results)
        wanted = self.reference(self.weights, *inputs)
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, want, atol=2e-5, rtol=2e-5)


def several(results: Any) -> list[Array]:
    """The outputs of a call as a list."""
    return [*results] if isinstance(results, tuple) else [results]  # pyright: ignore[reportUnknownVariableType]


def _weights(**shapes: tuple[int, ...]) -> dict[str, Array]:
    random = np.random.default_rng(0)
    drawn = {k: random.standard_normal(s, np.float32) for k, s in shapes.items()}
    return {k: each / np.float32(each.shape[0] ** 0.5) for k, each in drawn.items()}


def _norm(x: Array, scale: Array) -> Array:
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * scale


def _encoded(w: dict[str, Array], x: Array) -> list[Array]:
    batch, length, _ = x.shape
    split = (_norm(x, w["n"]) @ w["qkv"]).reshape(batch, length, 3, HEADS, -1)
    q, k, v = split.transpose(2, 0, 3, 1, 4)
    scores = q @ k.transpose(0, 1, 3, 2)
    scores = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    attended = scores / scores.sum(-1, keepdims=True) @ v
    joined = attended.transpose(0, 2, 1, 3).reshape(batch, length, WIDTH)
    x = x + joined @ w["o"]
    return [x + np.maximum(_norm(x, w["m"]) @ w["up"], 0) @ w["down"]]


def _chained(w: dict[str, Array], x: Array, z: Array, at: Array) -> list[Array]:
    turned = x.transpose(1, 0, 2)
    product = np.concatenate([turned, z], 1) @ w["w"]
    cut = product[: len(at)].transpose(1, 0, 2)
    return [cut.reshape(-1, WIDTH) @ w["v"], np.concatenate([x, x[:0]], 0) * 2]


def _texts(batch: int, length: int) -> list[tuple[int, ...]]:
    return [(batch, length, WIDTH)]


def _links(a: int, b: int, c: int, d: int) -> list[tuple[int, ...]]:
    return [(a, b, WIDTH), (b, c, WIDTH), (d,)]


BLOCK = OpenModel(
    f"""g (float[batch, length, {WIDTH}] x) => (float[batch, length, {WIDTH}] y)
    <int64[5] heads = {{0, 0, 3, {HEADS}, -1}}, int64[1] zero = {{0}},
     int64[3] joined = {{0, 0, {WIDTH}}}> {{
        a = LayerNormalization<epsilon=0.00001>(x, n)
        b = MatMul(a, qkv)
        c = Reshape(b, heads)
        d = Transpose<perm=[2, 0, 3, 1, 4]>(c)
        e, f, h = Split<axis=0, num_outputs=3>(d)
        q = Squeeze(e, zero) k = Squeeze(f, zero) v = Squeeze(h, zero)
        t = Transpose<perm=[0, 1, 3, 2]>(k)
        s = MatMul(q, t)
        p = Softmax(s)
        i = MatMul(p, v)
        j = Transpose<perm=[0, 2, 1, 3]>(i)
        l = Reshape(j, joined)
        r = MatMul(l, o)
        u = Add(x, r)
        aa = LayerNormalization<epsilon=0.00001>(u, m)
        ab = MatMul(aa, up)
        ac = Relu(ab)
        ad = MatMul(ac, down)
        y = Add(u, ad) }}""",
    _texts,
    _encoded,
    _weights(
        n=(WIDTH,),
        m=(WIDTH,),
        qkv=(WIDTH, 3 * WIDTH),
        o=(WIDTH, WIDTH),
        up=(WIDTH, HIDDEN),
        down=(HIDDEN, WIDTH),
    ),
)
"""A block of a transformer, of any batch and length."""

CHAIN = OpenModel(
    f"""g (float[a, b, {WIDTH}] x, float[b, c, {WIDTH}] z, float[d] at)
    => (float[e, {WIDTH}] y, float[a, b, {WIDTH}] same)
    <int64[1] zero = {{0}}, int64[2] flat = {{-1, {WIDTH}}}, float two = {{2}}> {{
        turned = Transpose<perm=[1, 0, 2]>(x)
        joined = Concat<axis=1>(turned, z)
        product = MatMul(joined, w)
        length = Shape(at)
        cut = Slice(product, zero, length)
        back = Transpose<perm=[1, 0, 2]>(cut)
        rows = Reshape(back, flat)
        y = MatMul(rows, v)
        none = Slice(x, zero, zero)
        whole = Concat<axis=0>(x, none)
        same = Mul(whole, two) }}""",
    _links,
    _chained,
    _weights(w=(WIDTH, WIDTH), v=(WIDTH, WIDTH)),
)
"""Products, and what moves elements between them unless an axis has one element."""


def _grown(w: dict[str, Array], x: Array, past_k: Array, past_v: Array) -> list[Array]:
    batch, count, _ = x.shape
    split = (x @ w["qkv"]).reshape(batch, count, 3, HEADS, -1).transpose(2, 0, 3, 1, 4)
    q, k, v = (
        split[0],
        *(np.concatenate(each, 2) for each in ((past_k, split[1]), (past_v, split[2]))),
    )
    scores = q @ k.transpose(0, 1, 3, 2)
    scores = np.exp(scores - scores.max(-1, keepdims=True, initial=-np.inf))
    result = scores / scores.sum(-1, keepdims=True) @ v
    return [result.transpose(0, 2, 1, 3).reshape(batch, count, WIDTH), k, v]


def _pasts(batch: int, n: int, past: int) -> list[tuple[int, ...]]:
    kept = batch, HEADS, past, WIDTH // HEADS
    return [(batch, n, WIDTH), kept, kept]


_GROWN = f"float[batch, {HEADS}, total, {WIDTH // HEADS}]"
_KEPT = f"float[batch, {HEADS}, past, {WIDTH // HEADS}]"

GROWN = OpenModel(
    f"""g (float[batch, n, {WIDTH}] x, {_KEPT} pk, {_KEPT} pv)
    => (float[batch, n, {WIDTH}] y, {_GROWN} k, {_GROWN} v)
    <int64[5] heads = {{0, 0, 3, {HEADS}, -1}}, int64[1] zero = {{0}},
     int64[3] joined = {{0, 0, {WIDTH}}}> {{
        b = MatMul(x, qkv)
        c = Reshape(b, heads)
        d = Transpose<perm=[2, 0, 3, 1, 4]>(c)
        e, f, h = Split<axis=0, num_outputs=3>(d)
        q = Squeeze(e, zero) nk = Squeeze(f, zero) nv = Squeeze(h, zero)
        k = Concat<axis=2>(pk, nk)
        v = Concat<axis=2>(pv, nv)
        kt = Transpose<perm=[0, 1, 3, 2]>(k)
        s = MatMul(q, kt)
        p = Softmax(s)
        i = MatMul(p, v)
        j = Transpose<perm=[0, 2, 1, 3]>(i)
        y = Reshape(j, joined) }}""",
    _pasts,
    _grown,
    _weights(qkv=(WIDTH, 3 * WIDTH)),
)
"""Attention whose keys and values grow by concatenation, as exporters write it."""
