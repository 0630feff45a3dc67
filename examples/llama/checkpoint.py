"""
A decoder of the Llama family, from a folder as Hugging Face writes it.

`config.json` says its sizes, and `model.safetensors` has its weights under their usual
names. The graph is built op by op, and written beside the weights as `model.mlir`, with
their names: so nothing of them is copied, and no framework is needed. A layer has
RMSNorm, rotary embedding, attention of several heads to one head of keys, and SwiGLU.
The model takes tokens and a cache of keys and values, and returns the logits of the
last token and the cache with the rows of the new tokens behind the old ones.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import (
    FunctionType,
    ModuleOp,
    StringAttr,
    bf16,
    f16,
    f32,
    i64,
)
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.printer import Printer

from static_runtime.dialects import Dim, Element, symbol, tensor
from static_runtime.dialects.graph import (
    AddOp,
    ConstantOp,
    DivOp,
    EmbeddingOp,
    LeOp,
    LinearOp,
    MatmulOp,
    MeanOp,
    MulOp,
    SiluOp,
    SoftmaxOp,
    SqrtOp,
    SubOp,
    WeightOp,
    WhereOp,
)
from static_runtime.dialects.graph.compose import (
    convert,
    counted,
    joined,
    number,
    part,
    permuted,
    plus,
    quantity,
    reshaped,
    shape_of,
    times,
)
from static_runtime.dialects.graph.ops.trigonometric import CosOp, SinOp
from static_runtime.runtime.files import write

Array = npt.NDArray[Any]

CONFIG, WEIGHTS, GRAPH = "config.json", "model.safetensors", "model.mlir"

_ELEMENTS: dict[str, Element] = {"F32": f32, "BF16": bf16, "F16": f16}
"""The types that weights may have, as safetensors calls them."""


@dataclass(frozen=True)
class Config:
    """The sizes of a decoder, and what of `config.json` it is computed by."""

    words: int
    width: int
    hidden: int
    layers: int
    heads: int
    key_heads: int
    head: int
    epsilon: float
    theta: float
    is_tied: bool

    @staticmethod
    def read(folder: Path) -> Config:
        """The sizes that a folder says; raises `ValueError` for another family."""
        given: dict[str, Any] = json.loads((folder / CONFIG).read_text())
        scaling = given.get("rope_scaling")
        if given.get("model_type") != "llama" or scaling is not None:
            got = f"{given.get('model_type')} with rope_scaling {scaling}"
            raise ValueError(f"expected a llama without rope_scaling, got {got}")
        if given.get("attention_bias") or given.get("mlp_bias"):
            raise ValueError("expected a llama without biases, got one with some")
        heads, width = given["num_attention_heads"], given["hidden_size"]
        return Config(
            given["vocab_size"],
            width,
            given["intermediate_size"],
            given["num_hidden_layers"],
            heads,
            given.get("num_key_value_heads") or heads,
            given.get("head_dim") or width // heads,
            given["rms_norm_eps"],
            given.get("rope_theta", 1e4),
            bool(given.get("tie_word_embeddings")),
        )

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The shape of each weight, by its name."""
        width, kept, own = (
            self.width,
            self.key_heads * self.head,
            self.heads * self.head,
        )
        found: dict[str, tuple[int, ...]] = {
            "model.embed_tokens.weight": (self.words, width),
            "model.norm.weight": (width,),
        }
        if not self.is_tied:
            found["lm_head.weight"] = (self.words, width)
        for at in range(self.layers):
            of_layer = {
                "input_layernorm": (width,),
                "post_attention_layernorm": (width,),
                "self_attn.q_proj": (own, width),
                "self_attn.k_proj": (kept, width),
                "self_attn.v_proj": (kept, width),
                "self_attn.o_proj": (width, own),
                "mlp.gate_proj": (self.hidden, width),
                "mlp.up_proj": (self.hidden, width),
                "mlp.down_proj": (width, self.hidden),
            }
            for name, shape in of_layer.items():
                found[f"model.layers.{at}.{name}.weight"] = shape
        return found


def write_random(folder: Path, config: Config, seed: int = 0) -> None:
    """Writes a folder with random weights: what an untrained model has."""
    random = np.random.default_rng(seed)
    weights: dict[str, Array] = {}
    for name, shape in config.shapes.items():
        drawn = random.standard_normal(shape, np.float32)
        weights[name] = 1 + drawn / 8 if len(shape) == 1 else drawn / shape[1] ** 0.5
    weights["model.embed_tokens.weight"] *= np.float32(config.width**0.5)
    given = {
        "model_type": "llama",
        "vocab_size": config.words,
        "hidden_size": config.width,
        "intermediate_size": config.hidden,
        "num_hidden_layers": config.layers,
        "num_attention_heads": config.heads,
        "num_key_value_heads": config.key_heads,
        "head_dim": config.head,
        "rms_norm_eps": config.epsilon,
        "rope_theta": config.theta,
        "tie_word_embeddings": config.is_tied,
    }
    folder.mkdir(parents=True, exist_ok=True)
    (folder / CONFIG).write_text(json.dumps(given, indent=2) + "\n")
    write(folder / WEIGHTS, weights, {})


def element_types(file: Path) -> dict[str, Element]:
    """The element types of the entries of a safetensors file, from its header."""
    with file.open("rb") as opened:
        size = int.from_bytes(opened.read(8), "little")
        header: dict[str, Any] = json.loads(opened.read(size))
    header.pop("__metadata__", None)
    return {name: _ELEMENTS[each["dtype"]] for name, each in header.items()}


class Builder:
    """Builds the ops of a decoder, at the implicit builder's insertion point."""

    def __init__(self, config: Config, types: dict[str, Element]) -> None:
        self.config, self.types = config, types
        self.batch, self.count, self.past = map(symbol, ("batch", "n", "past"))
        self.all: Dim = self.past + self.count

    def weight(self, name: str) -> SSAValue:
        """A weight, in f32."""
        type = tensor(self.types[name], *self.config.shapes[name])
        return convert(WeightOp(name, type).result, f32)

    def linear(self, x: SSAValue, name: str) -> SSAValue:
        """The product with a weight."""
        return LinearOp(x, self.weight(f"{name}.weight")).result

    def norm(self, x: SSAValue, name: str) -> SSAValue:
        """RMSNorm."""
        last = len(shape_of(x)) - 1
        mean = MeanOp(MulOp(x, x), axes=(last,), keepdims=True).result
        root = SqrtOp(plus(mean, self.config.epsilon)).result
        return MulOp(DivOp(x, root), self.weight(f"{name}.weight")).result

    def set_positions(self) -> None:
        """Builds the angles of the new tokens, and what each of them may look at."""
        half = self.config.head // 2
        here = AddOp(counted(self.count, 0, 2), quantity(self.past, i64)).result
        turns = self.config.theta ** -(np.arange(half) / half)
        turns = ConstantOp(value=turns.astype(np.float32)).result
        angles = MulOp(convert(here, f32), turns).result
        self.cosine, self.sine = CosOp(angles).result, SinOp(angles).result
        self.is_seen = LeOp(counted(self.all, 1, 2), here).result

    def heads(self, x: SSAValue, count: int) -> SSAValue:
        """What is of each head: batch, head, token, element."""
        shape = [self.batch, self.count, count, self.config.head]
        return permuted(reshaped(x, shape), (0, 2, 1, 3))

    def rotated(self, x: SSAValue) -> SSAValue:
        """Heads, turned by the angles of their positions."""
        half = self.config.head // 2
        left, right = (part(x, 3, at, half) for at in (0, half))
        turned = (
            SubOp(MulOp(left, self.cosine), MulOp(right, self.sine)).result,
            AddOp(MulOp(right, self.cosine), MulOp(left, self.sine)).result,
        )
        return joined(turned, 3)

    def attention(
        self, x: SSAValue, name: str, caches: tuple[SSAValue, SSAValue]
    ) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Attention to all tokens so far, and the caches with the new ones."""
        config, kept = self.config, self.config.key_heads
        together = config.heads // kept
        query = self.rotated(self.heads(self.linear(x, f"{name}.q_proj"), config.heads))
        key = self.rotated(self.heads(self.linear(x, f"{name}.k_proj"), kept))
        value = self.heads(self.linear(x, f"{name}.v_proj"), kept)
        keys, values = joined([caches[0], key], 2), joined([caches[1], value], 2)
        # The heads that look at the same keys are rows of one product.
        rows = [self.batch, kept, together * self.count, config.head]
        query = reshaped(query, rows)
        scores = MatmulOp(query, permuted(keys, (0, 1, 3, 2))).result
        apart = [self.batch, kept, together, self.count, self.all]
        scores = reshaped(times(scores, config.head**-0.5), apart)
        least = number(float(np.finfo(np.float32).min), f32)
        scores = WhereOp(self.is_seen, scores, least).result
        scores = SoftmaxOp(scores, axis=-1).result
        scores = reshaped(scores, [*rows[:3], self.all])
        found = reshaped(
            MatmulOp(scores, values).result,
            [self.batch, config.heads, self.count, config.head],
        )
        width = config.heads * config.head
        found = reshaped(permuted(found, (0, 2, 1, 3)), [self.batch, self.count, width])
        return self.linear(found, f"{name}.o_proj"), keys, values

    def layer(
        self, x: SSAValue, at: int, caches: tuple[SSAValue, SSAValue]
    ) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Attention and SwiGLU, each after a norm and added to its input."""
        name = f"model.layers.{at}"
        inner = self.norm(x, f"{name}.input_layernorm")
        found, keys, values = self.attention(inner, f"{name}.self_attn", caches)
        x = AddOp(x, found).result
        inner = self.norm(x, f"{name}.post_attention_layernorm")
        gate = SiluOp(self.linear(inner, f"{name}.mlp.gate_proj")).result
        up = self.linear(inner, f"{name}.mlp.up_proj")
        found = self.linear(MulOp(gate, up).result, f"{name}.mlp.down_proj")
        return AddOp(x, found).result, keys, values

    def model(self, tokens: SSAValue, *caches: SSAValue) -> list[SSAValue]:
        """The logits of the last token of each text, and the caches."""
        self.set_positions()
        embedding = "model.embed_tokens"
        x = EmbeddingOp(self.weight(f"{embedding}.weight"), tokens).result
        kept: list[SSAValue] = []
        for at in range(self.config.layers):
            pair = caches[2 * at], caches[2 * at + 1]
            x, *more = self.layer(x, at, pair)
            kept += more
        last = part(x, 1, self.count - 1, 1)
        last = reshaped(last, [self.batch, shape_of(x)[2]])
        last = self.norm(last, "model.norm")
        head = embedding if self.config.is_tied else "lm_head"
        return [self.linear(last, head), *kept]


def write_graph(folder: Path) -> Path:
    """Writes the graph of the decoder in a folder beside its weights; the file."""
    config, types = Config.read(folder), element_types(folder / WEIGHTS)
    builder = Builder(config, types)
    cache = tensor(f32, builder.batch, config.key_heads, builder.past, config.head)
    names = [f"{kind}{at}" for at in range(config.layers) for kind in ("key", "value")]
    inputs = [tensor(i64, builder.batch, builder.count), *(cache for _ in names)]
    block = Block(arg_types=inputs)
    for argument, name in zip(block.args, ["tokens", *names], strict=True):
        argument.name_hint = name
    with ImplicitBuilder(block):
        results = builder.model(*block.args)
        ReturnOp(*results)
    signature = FunctionType.from_lists(inputs, [each.type for each in results])
    module = ModuleOp([FuncOp("main", signature, Region(block))])
    module.attributes["graph.weights"] = StringAttr(WEIGHTS)
    with (folder / GRAPH).open("w") as file:
        Printer(file).print_op(module)
    return folder / GRAPH
