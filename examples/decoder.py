"""
A decoder as in Llama, with random weights, as an ONNX model with a cache.

A layer has RMSNorm, rotary embedding, attention of several heads to one head of keys,
and SwiGLU. The model takes tokens with their positions and the cache of keys and
values, writes new keys and values into the cache, and returns it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper
from onnx.numpy_helper import from_array

import static_runtime as sr

Array = npt.NDArray[Any]

EPSILON = 1e-5
INPUTS = ("tokens", "position")


@dataclass(frozen=True)
class Sizes:
    """The sizes of a decoder."""

    layers: int = 2
    heads: int = 8
    key_heads: int = 2
    head: int = 16
    hidden: int = 256
    words: int = 300
    capacity: int = 64
    """The most tokens that the cache holds."""

    @property
    def width(self) -> int:
        """The size of the vector of a token."""
        return self.heads * self.head

    @property
    def caches(self) -> list[str]:
        """The names of the caches, in order."""
        return [f"{kind}.{at}" for at in range(self.layers) for kind in ("k", "v")]

    def cache_shape(self, batch: int) -> tuple[int, int, int, int]:
        """The shape of one cache."""
        return batch, self.key_heads, self.capacity, self.head


def random_weights(sizes: Sizes, seed: int = 0) -> dict[str, Array]:
    """Weights by name; matrices have the inputs along their first axis."""
    random = np.random.default_rng(seed)
    width, kept = sizes.width, sizes.key_heads * sizes.head

    def matrix(rows: int, columns: int) -> Array:
        drawn = random.standard_normal((rows, columns)) / np.sqrt(rows)
        return drawn.astype(np.float32)

    weights = {"embedding": matrix(sizes.words, width) * np.float32(sizes.words**0.5)}
    for at in range(sizes.layers):
        weights[f"query.{at}"] = matrix(width, width)
        weights[f"key.{at}"] = matrix(width, kept)
        weights[f"value.{at}"] = matrix(width, kept)
        weights[f"attended.{at}"] = matrix(width, width)
        weights[f"gate.{at}"] = matrix(width, sizes.hidden)
        weights[f"up.{at}"] = matrix(width, sizes.hidden)
        weights[f"down.{at}"] = matrix(sizes.hidden, width)
        for norm in ("before_attention", "before_gate"):
            weights[f"{norm}.{at}"] = 1 + matrix(1, width)[0] / 8
    weights["last"] = 1 + matrix(1, width)[0] / 8
    weights["logits"] = matrix(width, sizes.words)
    angles = np.arange(sizes.capacity)[:, None] * 1e4 ** (
        -np.arange(sizes.head // 2) / (sizes.head // 2)
    )
    weights["cosine"] = np.cos(angles).astype(np.float32)
    weights["sine"] = np.sin(angles).astype(np.float32)
    return weights


class Decoder:
    """The ONNX graph of a decoder, which grows node by node."""

    def __init__(self, sizes: Sizes, weights: Mapping[str, Array], append: str) -> None:
        """Builds the graph; `append` is the op that writes into the caches."""
        self.sizes, self.append = sizes, append
        self.nodes: list[NodeProto] = []
        self.stored: dict[str, Array] = dict(weights)
        hidden = self.add("Gather", "embedding", "tokens")
        self.angles = [
            self.add("Unsqueeze", self.add("Gather", each, "position"), self.ints(1))
            for each in ("cosine", "sine")
        ]
        self.length = self.filled()
        self.unseen = self.add("Not", self.seen())
        for at in range(sizes.layers):
            hidden = self.layer(at, hidden)
        self.add("MatMul", self.norm(hidden, "last"), "logits", to="scores")

    def add(self, op: str, *inputs: str, to: str = "", **attributes: Any) -> str:
        """Adds a node; the name of its first result."""
        name = to or f"{op}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(self, array: Array) -> str:
        """The name of a constant."""
        name = f"constant.{len(self.stored)}"
        self.stored[name] = array
        return name

    def ints(self, *values: int) -> str:
        """The name of a list of integers."""
        return self.constant(np.array(values, np.int64))

    def number(self, value: float) -> str:
        """The name of a number."""
        return self.constant(np.array(value, np.float32))

    def filled(self) -> str:
        """How many tokens the caches hold in the end."""
        if self.append == "Concat":
            past = self.add("Shape", self.sizes.caches[0], start=2, end=3)
            return self.add("Add", past, self.add("Shape", "tokens", start=1))
        last = self.add("ReduceMax", "position", keepdims=0)
        return self.add("Reshape", self.plus_one(last), self.ints(1))

    def plus_one(self, value: str) -> str:
        """An integer, and one more."""
        return self.add("Add", value, self.constant(np.array(1, np.int64)))

    def part(self, value: str, start: int, end: str, axis: int) -> str:
        """The part of a tensor along one axis."""
        return self.add("Slice", value, self.ints(start), end, self.ints(axis))

    def seen(self) -> str:
        """Whether a token, along the second last axis, may look at one of the cache."""
        places = self.constant(np.arange(self.sizes.capacity, dtype=np.int64))
        there = self.part(places, 0, self.length, 0)
        here = self.add("Unsqueeze", "position", self.ints(1, 2, 4))
        return self.add("LessOrEqual", there, here)

    def norm(self, value: str, weight: str) -> str:
        """RMSNorm."""
        square = self.add("Mul", value, value)
        mean = self.add("ReduceMean", square, self.ints(-1))
        root = self.add("Sqrt", self.add("Add", mean, self.number(EPSILON)))
        return self.add("Mul", self.add("Div", value, root), weight)

    def heads(self, value: str, weight: str, count: int) -> str:
        """A product, split into heads: batch, head, token, element."""
        shape = self.ints(0, 0, count, self.sizes.head)
        split = self.add("Reshape", self.add("MatMul", value, weight), shape)
        return self.add("Transpose", split, perm=[0, 2, 1, 3])

    def rotated(self, value: str) -> str:
        """Heads, turned by the angles of their positions."""
        half, whole = self.ints(self.sizes.head // 2), self.ints(self.sizes.head)
        cosine, sine = self.angles
        left = self.part(value, 0, half, 3)
        right = self.part(value, self.sizes.head // 2, whole, 3)
        products = [
            [self.add("Mul", each, by) for by in (cosine, sine)]
            for each in (left, right)
        ]
        (left_cosine, left_sine), (right_cosine, right_sine) = products
        return self.add(
            "Concat",
            self.add("Sub", left_cosine, right_sine),
            self.add("Add", right_cosine, left_sine),
            axis=3,
        )

    def appended(self, cache: str, rows: str) -> str:
        """The filled part of a cache, with rows written at their positions."""
        to = f"{cache}.new"
        if self.append == "Concat":
            return self.add("Concat", cache, rows, to=to, axis=2)
        if self.append == "TensorScatter":
            first = self.add("Gather", "position", self.constant(np.array(0)), axis=1)
            self.add("TensorScatter", cache, rows, first, to=to, axis=2)
        elif self.append == "ScatterElements":
            places = self.add("Unsqueeze", "position", self.ints(1, 3))
            places = self.add("Expand", places, self.add("Shape", rows))
            self.add("ScatterElements", cache, places, rows, to=to, axis=2)
        else:
            self.add("ScatterND", cache, self.places(rows), rows, to=to)
        return self.part(to, 0, self.length, 2)

    def places(self, rows: str) -> str:
        """The batch, head and position of each row."""
        shape = self.add("Shape", rows, end=3)
        batch = self.add("Gather", shape, self.constant(np.array(0)))
        zero, one = (self.constant(np.array(each)) for each in (0, 1))
        count = self.add("Range", zero, batch, one)
        heads = self.ints(*range(self.sizes.key_heads))
        index = [
            self.add("Unsqueeze", value, self.ints(*axes))
            for value, axes in ((count, (1, 2)), (heads, (0, 2)), ("position", (1,)))
        ]
        parts = [self.add("Expand", each, shape) for each in index]
        parts = [self.add("Unsqueeze", each, self.ints(3)) for each in parts]
        return self.add("Concat", *parts, axis=3)

    def attention(self, at: int, value: str) -> str:
        """Attention to all tokens so far, several heads to one head of keys."""
        sizes = self.sizes
        query = self.rotated(self.heads(value, f"query.{at}", sizes.heads))
        key = self.rotated(self.heads(value, f"key.{at}", sizes.key_heads))
        keys = self.appended(f"k.{at}", key)
        values = self.appended(
            f"v.{at}", self.heads(value, f"value.{at}", sizes.key_heads)
        )
        # The heads that look at the same keys are rows of one product.
        together = self.ints(0, sizes.key_heads, -1, sizes.head)
        query = self.add("Reshape", query, together)
        turned = self.add("Transpose", keys, perm=[0, 1, 3, 2])
        scores = self.add("MatMul", query, turned)
        scores = self.add("Mul", scores, self.number(sizes.head**-0.5))
        flat = self.add("Shape", scores)
        count = sizes.heads // sizes.key_heads
        tokens = self.add("Shape", "tokens", start=1)
        groups = self.ints(0, sizes.key_heads, count)
        filled = self.add("Shape", keys, start=2, end=3)
        shape = self.add("Concat", groups, tokens, filled, axis=0)
        scores = self.add("Reshape", scores, shape)
        scores = self.add("Where", self.unseen, self.number(-np.inf), scores)
        scores = self.add("Softmax", scores, axis=-1)
        result = self.add("MatMul", self.add("Reshape", scores, flat), values)
        shape = self.ints(0, sizes.heads, -1, sizes.head)
        result = self.add("Reshape", result, shape)
        result = self.add("Transpose", result, perm=[0, 2, 1, 3])
        result = self.add("Reshape", result, self.ints(0, 0, sizes.width))
        return self.add("MatMul", result, f"attended.{at}")

    def layer(self, at: int, hidden: str) -> str:
        """Attention and SwiGLU, each after a norm and added to its input."""
        value = self.norm(hidden, f"before_attention.{at}")
        hidden = self.add("Add", hidden, self.attention(at, value))
        value = self.norm(hidden, f"before_gate.{at}")
        gate = self.add("MatMul", value, f"gate.{at}")
        gate = self.add("Mul", gate, self.add("Sigmoid", gate))
        gate = self.add("Mul", gate, self.add("MatMul", value, f"up.{at}"))
        return self.add("Add", hidden, self.add("MatMul", gate, f"down.{at}"))

    def model(self) -> bytes:
        """The model: tokens, positions and caches in, logits and caches out."""
        sizes, caches = self.sizes, self.sizes.caches
        room = ("past", "all") if self.append == "Concat" else (sizes.capacity,) * 2
        taken, kept = (["batch", sizes.key_heads, each, sizes.head] for each in room)

        def value(name: str, type: int, shape: list[Any]) -> ValueInfoProto:
            return helper.make_tensor_value_info(name, type, shape)

        inputs = [
            *(value(each, TensorProto.INT64, ["batch", "n"]) for each in INPUTS),
            *(value(each, TensorProto.FLOAT, taken) for each in caches),
        ]
        outputs = [
            value("scores", TensorProto.FLOAT, ["batch", "n", sizes.words]),
            *(value(f"{each}.new", TensorProto.FLOAT, kept) for each in caches),
        ]
        stored = [from_array(array, name) for name, array in self.stored.items()]
        graph: GraphProto = helper.make_graph(
            self.nodes, "decoder", inputs, outputs, stored
        )
        opset = 24 if self.append == "TensorScatter" else 18
        made: ModelProto = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", opset)],
            ir_version=11 if opset == 24 else 9,
        )
        return made.SerializeToString()


def decoder(sizes: Sizes, append: str = "ScatterND", seed: int = 0) -> bytes:
    """The model of a decoder with random weights."""
    return Decoder(sizes, random_weights(sizes, seed), append).model()


class Session:
    """Texts that grow together: a compiled decoder, and their cache."""

    def __init__(self, module: sr.StaticModule, sizes: Sizes, batch: int) -> None:
        self.module, self.batch, self.length = module, batch, 0
        self.sizes = sizes
        shape = sizes.cache_shape(batch)
        self.caches = [np.zeros(shape, np.float32) for _ in sizes.caches]

    def feed(self, tokens: Array) -> Array:
        """Appends tokens to each text; the logits of what may follow each of them."""
        count = tokens.shape[1]
        position = np.empty(tokens.shape, np.int64)
        position[:] = range(self.length, self.length + count)
        scores = np.empty((self.batch, count, self.sizes.words), np.float32)
        # The caches are inputs and outputs: they are written where they are.
        out = (scores, *self.caches)
        self.module(tokens, position, *self.caches, out=out)
        self.length += count
        return scores
