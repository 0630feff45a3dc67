"""
The signatures of the ops of `com.microsoft` that are read.

The package onnx does not describe these. So the names of their inputs are here, those
after a `?` optional, a last one with a `*` as often as it is given, then their
attributes with their defaults, or with their kinds where there is none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from onnx import AttributeProto

Default: TypeAlias = "int | float | str | Kind"
"""The default of an attribute, or its kind where it has none."""

Form: TypeAlias = "tuple[str, Mapping[str, Default], int]"
"""The inputs, the attributes and the number of outputs of an op."""


@dataclass(frozen=True)
class Kind:
    """The kind of an attribute without a default."""

    number: int
    is_required: bool = False


_INTS = Kind(AttributeProto.INTS)
_FLOATS = Kind(AttributeProto.FLOATS)
_FLOAT = Kind(AttributeProto.FLOAT)
_INT = Kind(AttributeProto.INT)
_NEEDED = Kind(AttributeProto.INT, is_required=True)

_WINDOW: Mapping[str, Default] = {
    "auto_pad": "NOTSET",
    "ceil_mode": 0,
    "channels_last": 0,
    "count_include_pad": 0,
    "kernel_shape": Kind(AttributeProto.INTS, is_required=True),
    "pads": _INTS,
    "strides": _INTS,
}
_CONV: Mapping[str, Default] = {
    "auto_pad": "NOTSET",
    "dilations": _INTS,
    "group": 1,
    "kernel_shape": _INTS,
    "pads": _INTS,
    "strides": _INTS,
    "activation": "",
    "activation_params": _FLOATS,
}
_GEMM: Mapping[str, Default] = {"alpha": 1.0, "transA": 0, "transB": 0}
_FUSED_GEMM: Mapping[str, Default] = {
    **_GEMM,
    "beta": 1.0,
    "activation": "",
    "activation_alpha": _FLOAT,
    "activation_beta": _FLOAT,
    "activation_gamma": _FLOAT,
}
_ATTENTION: Mapping[str, Default] = {
    "num_heads": _NEEDED,
    "unidirectional": 0,
    "mask_filter_value": -10000.0,
    "scale": _FLOAT,
    "do_rotary": 0,
    "past_present_share_buffer": 0,
}
_GROUPED: Mapping[str, Default] = {
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
_LSTM: Mapping[str, Default] = {
    "activation_alpha": _FLOATS,
    "activation_beta": _FLOATS,
    "activations": Kind(AttributeProto.STRINGS),
    "clip": _FLOAT,
    "direction": "forward",
    "hidden_size": _INT,
    "input_forget": 0,
}
_BITS: Mapping[str, Default] = {
    "K": _NEEDED,
    "N": _NEEDED,
    "bits": 4,
    "block_size": _NEEDED,
    "accuracy_level": 0,
    "weight_prepacked": 0,
}
_EXPERTS: Mapping[str, Default] = {
    "k": 1,
    "activation_type": "relu",
    "activation_alpha": 1.0,
    "activation_beta": 0.0,
    "swiglu_fusion": 0,
    "swiglu_limit": _FLOAT,
    "normalize_routing_weights": 0,
    "use_sparse_mixer": 0,
}

_FUSED_MATMUL: Form = ("A B", {**_GEMM, "transBatchA": 0, "transBatchB": 0}, 1)

_UNARY = "X X_scale ?X_zero_point Y_scale ?Y_zero_point"
_BINARY = "A A_scale ?A_zero_point B B_scale ?B_zero_point C_scale ?C_zero_point"

FORMS: Mapping[str, Form] = {
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
            "kernel_shape": Kind(AttributeProto.INTS, is_required=True),
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
    "UnfoldTensor": ("input", {"dim": -1, "size": _NEEDED, "step": 1}, 1),
    "NGramRepeatBlock": ("input_ids scores", {"ngram_size": _NEEDED}, 1),
    "MurmurHash3": ("X", {"positive": 1, "seed": 0}, 1),
    "CropAndResize": (
        "X rois batch_indices crop_size",
        {"mode": "bilinear", "extrapolation_value": 0.0},
        1,
    ),
    "CDist": ("A B", {"metric": "sqeuclidean"}, 1),
    "FusedMatMul": _FUSED_MATMUL,
    "TransposeMatMul": _FUSED_MATMUL,
    "Inverse": ("X", {}, 1),
    "ExpandDims": ("X axis", {}, 1),
    "MatMulNBits": ("A B scales ?zero_points ?g_idx ?bias", _BITS, 1),
    "CausalConvWithState": (
        "input weight ?bias ?past_state",
        {
            "activation": "none",
            "channels_last": 0,
            "dilation": 1,
            "ndim": 1,
            "state_window": 0,
        },
        2,
    ),
    "GatherBlockQuantized": (
        "data indices scales ?zero_points",
        {"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1},
        1,
    ),
    "MoE": (
        "input router_probs fc1_experts_weights ?fc1_experts_bias fc2_experts_weights "
        "?fc2_experts_bias ?fc3_experts_weights ?fc3_experts_bias",
        _EXPERTS,
        1,
    ),
    "QMoE": (
        "input router_probs fc1_experts_weights ?fc1_scales ?fc1_experts_bias "
        "fc2_experts_weights ?fc2_scales ?fc2_experts_bias ?fc3_experts_weights "
        "?fc3_scales ?fc3_experts_bias ?fc1_zero_points ?fc2_zero_points "
        "?fc3_zero_points ?router_weights ?fc1_global_scale ?fc2_global_scale "
        "?fc1_act_scale ?fc2_act_scale ?fc1_act_block_scale ?fc2_act_block_scale",
        {
            **_EXPERTS,
            "expert_weight_bits": 4,
            "fc1_expert_weight_bits": _INT,
            "fc2_expert_weight_bits": _INT,
            "fc3_expert_weight_bits": _INT,
            "block_size": _INT,
            "quant_type": "int",
            "weights_prepacked": -1,
            "accuracy_level": 0,
        },
        1,
    ),
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
