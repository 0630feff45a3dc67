"""Write a decoder of the Llama family as llama.cpp reads it: GGUF with Q4_0."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from examples.llama.checkpoint import WEIGHTS, Config
from static_runtime.runtime.files.safetensors import read

from .cases import Array

_OF_MODEL = {
    "model.embed_tokens": "token_embd",
    "model.norm": "output_norm",
    "lm_head": "output",
}

_OF_LAYER = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
"""The name in llama.cpp of each weight of a layer, by its name in Hugging Face."""


def write_gguf(folder: Path, context: int) -> Path:
    """
    Writes the decoder of a folder, for texts of up to `context` tokens; the file.
    Products have weights of Q4_0: blocks of 32 along k, with a scale of f16 for each.
    """
    gguf: Any = import_module("gguf")
    config, path = Config.read(folder), folder / "model.gguf"
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(config.width)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.hidden)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.key_heads)
    writer.add_layer_norm_rms_eps(config.epsilon)
    writer.add_rope_dimension_count(config.head)
    writer.add_rope_freq_base(config.theta)
    writer.add_vocab_size(config.words)
    writer.add_tokenizer_model("none")
    weights, _ = read(folder / WEIGHTS)
    kind = gguf.GGMLQuantizationType
    for name, weight in weights.items():
        array, its_type = _in_their_order(name, np.asarray(weight), config), kind.F32
        if array.ndim == 2:
            array, its_type = gguf.quants.quantize(array, kind.Q4_0), kind.Q4_0
        writer.add_tensor(_their_name(name), array, raw_dtype=its_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _their_name(name: str) -> str:
    """llama.cpp's name of a weight."""
    stem = name.removesuffix(".weight")
    if stem in _OF_MODEL:
        return f"{_OF_MODEL[stem]}.weight"
    layer, _, part = stem.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{_OF_LAYER[part]}.weight"


def _in_their_order(name: str, weight: Array, config: Config) -> Array:
    """
    The rows of queries and keys with each pair that is turned together side by side,
    where Hugging Face has the two halves of a head one after the other.
    """
    for part, heads in (("q_proj", config.heads), ("k_proj", config.key_heads)):
        if part in name:
            halves = weight.reshape(heads, 2, config.head // 2, -1)
            return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(weight.shape))
    return weight
