"""
Ops that ONNX Runtime's quantiser and optimiser write: of the domain `com.microsoft`.

The package onnx does not describe these. So their signatures are here: the names of
their inputs, those after a `?` optional, a last one with a `*` as often as it is given,
then their attributes with their defaults, or with their kinds where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

from onnx import AttributeProto, NodeProto, helper

from ..unsupported import Unsupported
from . import (
    contributed_attention,
    contributed_distances,
    contributed_grouped_attention,
    contributed_layers,
    contributed_products,
    contributed_steps,
)
from .element import ANY_TYPE
from .node import Handler, Node, Results
from .rounded import rounded_once
from .signature import Attribute, Parameter, Signature, signature

_DOMAIN = "com.microsoft"

_IN_ONNX = ("LayerNormalization", "SimplifiedLayerNormalization")
"""
Ops that ONNX Runtime has in the domain of ONNX, whatever its opset. ONNX itself has
`LayerNormalization` since opset 17, which an optimiser writes into older models too.
"""

_Default: TypeAlias = "int | float | str | _Kind"
"""The default of an attribute, or its kind where it has none."""


@dataclass(frozen=True)
class _Kind:
    """The kind of an attribute without a default."""

    number: int
    is_required: bool = False


_INTS = _Kind(AttributeProto.INTS)
_FLOATS = _Kind(AttributeProto.FLOATS)
_FLOAT = _Kind(AttributeProto.FLOAT)
_INT = _Kind(AttributeProto.INT)
_NEEDED = _Kind(AttributeProto.INT, is_required=True)

_FLOATS_OF = "T"
"""The name of the type of floats of an op, which are of one width."""

_MANY = 1 << 20
"""The most inputs of an op that takes any number."""

_WINDOW: Mapping[str, _Default] = {
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "channels_last": 0,
    "count_include_pad": 0,
    "kernel_shape": _Kind(AttributeProto.INTS, is_required=True),
    "pads": _INTS,
    "strides": _INTS,
}
_CONV: Mapping[str, _Default] = {
    "auto_pad": "NOTSET",
    "dilations": _INTS,
    "group": 1,
    "kernel_shape": _INTS,
    "pads": _INTS,
    "strides": _INTS,
    "activation": "",
    "activation_params": _FLOATS,
}
_GEMM: Mapping[str, _Default] = {"alpha": 1.0, "transA": 0, "transB": 0}
_FUSED_GEMM: Mapping[str, _Default] = {
    **_GEMM,
    "beta": 1.0,
    "activation": "",
    "activation_alpha": _FLOAT,
    "activation_beta": _FLOAT,
    "activation_gamma": _FLOAT,
}
_ATTENTION: Mapping[str, _Default] = {
    "num_heads": _NEEDED,
    "unidirectional": 0,
    "mask_filter_value": -10000.0,
    "scale": _FLOAT,
    "do_rotary": 0,
    "past_present_share_buffer": 0,
}
_GROUPED: Mapping[str, _Default] = {
    "num_heads": _NEEDED,
    "kv_num_heads": _NEEDED,
    "scale": 0.0,
    "softcap": 0.0,
    "do_rotary": 0,
    "rotary_interleaved": 0,
    "local_window_size": -1,
    "smooth_softmax": -1,
    "causal": 1,
    "qk_output": 0,
    "sliding_window_cache": 0,
    "kv_cache_bit_width": 0,
    "k_quant_type": "NONE",
    "v_quant_type": "NONE",
    "q_norm_epsilon": _FLOAT,
    "k_norm_epsilon": _FLOAT,
    "qk_norm_epsilon": _FLOAT,
}
_LSTM: Mapping[str, _Default] = {
    "activation_alpha": _FLOATS,
    "activation_beta": _FLOATS,
    "activations": _Kind(AttributeProto.STRINGS),
    "clip": _FLOAT,
    "direction": "forward",
    "hidden_size": _INT,
    "input_forget": 0,
}
_BITS: Mapping[str, _Default] = {
    "K": _NEEDED,
    "N": _NEEDED,
    "bits": 4,
    "block_size": _NEEDED,
    "accuracy_level": 0,
    "weight_prepacked": 0,
}

_UNARY = "X X_scale ?X_zero_point Y_scale ?Y_zero_point"
_BINARY = "A A_scale ?A_zero_point B B_scale ?B_zero_point C_scale ?C_zero_point"

_FORMS: Mapping[str, tuple[str, Mapping[str, _Default], int]] = {
    "QuantizeLinear": ("x y_scale ?y_zero_point", {"axis": 1}, 1),
    "DequantizeLinear": ("x x_scale ?x_zero_point", {"axis": 1}, 1),
    "QLinearAdd": (_BINARY, {}, 1),
    "QLinearMul": (_BINARY, {}, 1),
    "QLinearAveragePool": (_UNARY, _WINDOW, 1),
    "QLinearGlobalAveragePool": (_UNARY, {"channels_last": 0}, 1),
    "QLinearSigmoid": (_UNARY, {}, 1),
    "QLinearLeakyRelu": (_UNARY, {"alpha": 0.01}, 1),
    "NhwcMaxPool": (
        "X",
        {
            "auto_pad": "NOTSET",
            "ceil_mode": 0,
            "dilations": _INTS,
            "kernel_shape": _Kind(AttributeProto.INTS, is_required=True),
            "pads": _INTS,
            "strides": _INTS,
        },
        1,
    ),
    "QLinearConv": (
        "x x_scale x_zero_point w w_scale w_zero_point y_scale y_zero_point ?B",
        {
            "auto_pad": "NOTSET",
            "channels_last": 0,
            "dilations": _INTS,
            "group": 1,
            "kernel_shape": _INTS,
            "pads": _INTS,
            "strides": _INTS,
        },
        1,
    ),
    "QLinearWhere": (
        "condition X x_scale x_zero_point Y y_scale y_zero_point z_scale z_zero_point",
        {},
        1,
    ),
    "QLinearConcat": ("Y_scale Y_zero_point *inputs", {"axis": _NEEDED}, 1),
    "QLinearSoftmax": (_UNARY, {"axis": -1, "opset": _NEEDED}, 1),
    "QGemm": (
        "A a_scale a_zero_point B b_scale b_zero_point ?C ?y_scale ?y_zero_point",
        _GEMM,
        1,
    ),
    "DynamicQuantizeMatMul": ("A B b_scale ?b_zero_point ?bias", {}, 1),
    "MatMulIntegerToFloat": (
        "A B a_scale b_scale ?a_zero_point ?b_zero_point ?bias",
        {},
        1,
    ),
    "DynamicQuantizeLSTM": (
        "X W R ?B ?sequence_lens ?initial_h ?initial_c ?P W_scale W_zero_point "
        "R_scale R_zero_point",
        _LSTM,
        3,
    ),
    "CDist": ("A B", {"metric": "sqeuclidean"}, 1),
    "FusedMatMul": ("A B", {**_GEMM, "transBatchA": 0, "transBatchB": 0}, 1),
    "MatMulNBits": ("A B scales ?zero_points ?g_idx ?bias", _BITS, 1),
    "QuickGelu": ("X", {"alpha": 1.702}, 1),
    "Gelu": ("X", {}, 1),
    "BiasGelu": ("A B", {}, 1),
    "FastGelu": ("X ?bias", {}, 1),
    "FusedConv": ("X W ?B ?Z", _CONV, 1),
    "FusedGemm": ("A B ?C", _FUSED_GEMM, 1),
    "SimplifiedLayerNormalization": (
        "X scale",
        {"axis": -1, "epsilon": 1e-5, "stash_type": 1},
        2,
    ),
    "SkipLayerNormalization": (
        "input skip gamma ?beta ?bias",
        {"epsilon": 1e-12},
        4,
    ),
    "SkipSimplifiedLayerNormalization": (
        "input skip gamma ?bias",
        {"epsilon": 1e-12},
        4,
    ),
    "EmbedLayerNormalization": (
        "input_ids ?segment_ids word_embedding position_embedding ?segment_embedding "
        "gamma beta ?mask ?position_ids",
        {"epsilon": 1e-12, "mask_index_type": 0},
        3,
    ),
    "Attention": (
        "input weights ?bias ?mask_index ?past ?attention_bias ?past_sequence_length",
        {**_ATTENTION, "qkv_hidden_sizes": _INTS, "rotary_embedding_dim": 0},
        2,
    ),
    "MultiHeadAttention": (
        "query ?key ?value ?bias ?key_padding_mask ?attention_bias ?past_key "
        "?past_value ?past_sequence_length ?cache_indirection",
        {
            "num_heads": _NEEDED,
            "unidirectional": 0,
            "mask_filter_value": -10000.0,
            "scale": _FLOAT,
        },
        3,
    ),
    "GroupQueryAttention": (
        "query ?key ?value ?past_key ?past_value seqlens_k total_sequence_length "
        "?cos_cache ?sin_cache ?position_ids ?attention_bias ?head_sink ?k_scale "
        "?v_scale ?q_norm_weight ?k_norm_weight ?query_seqlens",
        _GROUPED,
        4,
    ),
    "RotaryEmbedding": (
        "input position_ids cos_cache sin_cache",
        {
            "interleaved": 0,
            "is_packed_batching": 0,
            "num_heads": 0,
            "rotary_embedding_dim": 0,
            "scale": 1.0,
        },
        1,
    ),
    "QAttention": (
        "input weight bias input_scale weight_scale ?mask_index ?input_zero_point "
        "?weight_zero_point ?past",
        _ATTENTION,
        2,
    ),
}
"""The inputs, the attributes and the number of outputs of each op."""

HANDLERS: dict[str, Handler] = {
    **contributed_steps.HANDLERS,
    **contributed_products.HANDLERS,
    **contributed_distances.HANDLERS,
    **contributed_layers.HANDLERS,
    **contributed_attention.HANDLERS,
    **contributed_grouped_attention.HANDLERS,
}


_ROUNDED_ONCE = {
    **contributed_layers.HANDLERS,
    **contributed_attention.HANDLERS,
    **contributed_grouped_attention.HANDLERS,
}
"""Ops whose steps are of f32 where their floats have 16 bits: a square may not fit."""


def find_contributed(node: NodeProto) -> tuple[Signature, Handler] | None:
    """
    The signature and the handler of a node of the domain, or of an op that ONNX Runtime
    has beside those of ONNX, if it has such.
    """
    is_own = node.domain == _DOMAIN
    if node.op_type not in (HANDLERS if is_own else _IN_ONNX):
        return None
    handler = HANDLERS[node.op_type]
    if node.op_type in _ROUNDED_ONCE:
        handler = rounded_once(handler)

    def checked(seen: Node) -> Results:
        results = handler(seen)
        count = len(results) if isinstance(results, Sequence) else 1
        for place in range(count, seen.output_count):
            if seen.gives(place):
                raise Unsupported(f"its result {place}")
        return results

    return _signature_of(node.op_type), checked


@cache
def _signature_of(op: str) -> Signature:
    """The signature of an op of the domain."""
    if op == "LayerNormalization":
        found = signature(op, 17)
        assert found is not None, "ONNX has it since opset 17"
        return found
    texts, attributes, outputs = _FORMS[op]
    names = texts.split()
    inputs = tuple(
        Parameter(each.lstrip("?*"), ANY_TYPE, each[0] in "?*", _FLOATS_OF)
        for each in names
    )
    needed = [place for place, each in enumerate(inputs) if not each.is_optional]
    return Signature(
        1,
        inputs,
        needed[-1] + 1,
        _MANY if names[-1].startswith("*") else len(names),
        tuple(f"output {place}" for place in range(outputs)),
        outputs,
        {name: _attribute(name, each) for name, each in attributes.items()},
        (_FLOATS_OF,) * outputs,
    )


def _attribute(name: str, default: _Default) -> Attribute:
    """An attribute with its default, or of its kind."""
    if isinstance(default, _Kind):
        return Attribute(default.number, default.is_required, None)
    made = helper.make_attribute(name, default)
    return Attribute(made.type, False, made)
