"""Functions in the operators of PT2E, by which PyTorch writes quantised programs."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, automatic, dynamic, fixed, floats, whole

importlib.import_module("torch.ao.quantization.fx._decomposed")  # registers these
OPS: Any = torch.ops.quantized_decomposed
ATEN: Any = torch.ops.aten

EDGES = [float("nan"), float("inf"), -float("inf"), 0.5, 1.5, 2.5, -0.5, -1.5, 3e38]
"""Numbers at ties and beyond all steps."""

SCALES = torch.tensor([0.013, 0.1, 0.25, 1.0])
ZEROS = torch.tensor([0, 3, -5, 7])
LIMITS = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def _per_tensor(dtype: torch.dtype, scale: float, zero: int, x: Tensor) -> list[Tensor]:
    given = scale, zero, *LIMITS[dtype], dtype
    q = OPS.quantize_per_tensor(x, *given)
    return [q, OPS.dequantize_per_tensor(q, *given)]


def _per_channel(scales: Tensor, axis: int, x: Tensor) -> list[Tensor]:
    given = scales, ZEROS, axis, -127, 127, torch.int8
    q = OPS.quantize_per_channel(x, *given)
    return [q, OPS.dequantize_per_channel(q, *given)]


def _per_open_channel(x: Tensor, scales: Tensor, zeros: Tensor) -> list[Tensor]:
    given = scales, zeros, 0, -127, 127, torch.int8
    q = OPS.quantize_per_channel(x, *given)
    return [q, OPS.dequantize_per_channel(q, *given)]


def _chosen(dtype: torch.dtype, x: Tensor) -> list[Tensor]:
    scale, zero = OPS.choose_qparams(x, *LIMITS[dtype], 1e-5, dtype)
    given = scale, zero, *LIMITS[dtype], dtype
    q = OPS.quantize_per_tensor(x, *given)
    return [scale, zero, q, OPS.dequantize_per_tensor(q, *given)]


def _symmetric(x: Tensor) -> list[Tensor]:
    found: Any = OPS.choose_qparams_symmetric(x, -127, 127, 1e-5, torch.int8)
    return list(found)


def _linear(x: Tensor, w: Tensor) -> Tensor:
    weight = OPS.dequantize_per_channel(
        w, SCALES, torch.zeros(4, dtype=torch.int64), 0, -127, 127, torch.int8
    )
    x, again = _per_tensor(torch.int8, 0.03, 5, x)
    return F.linear(again, weight)


def _by_row(x: Tensor, w: Tensor) -> Tensor:
    """As torchao multiplies rows that it quantises, each by a scale of its own."""
    scales = x.abs().amax(1, keepdim=True) / 127
    steps = torch.round(x / scales).to(torch.int8)
    return ATEN._int_mm(steps, w.T) * scales * SCALES


def _packed(x: Tensor, w: Tensor) -> Tensor:
    return ATEN._weight_int8pack_mm(x, w, SCALES)


def _of_eight_bits(scales: Tensor, x: Tensor, w: Tensor, bias: Tensor) -> Tensor:
    """As torchao multiplies floats of eight bits, by one scale or one of each row."""
    left = x.abs().amax(1, keepdim=True) / 448 if scales.dim() else x.abs().max() / 448
    a, b = ((x / left).to(torch.float8_e4m3fn), w.to(torch.float8_e4m3fn))
    return ATEN._scaled_mm(a, b.T, left, scales, bias=bias, out_dtype=torch.float32)


FAKE = torch.cat([torch.arange(-9, 9) * 0.25, torch.tensor([300.0, -300.0, torch.nan])])
"""Numbers at ties, beyond all steps, and none."""

CASES: dict[str, Case] = {
    **{
        f"fake steps of {scale} from {zero}": fixed(
            lambda x, scale=scale, zero=zero: (
                ATEN.fake_quantize_per_tensor_affine_cachemask(x, scale, zero, -8, 7)
            ),
            FAKE,
        )
        for scale, zero in ((0.5, 0), (0.5, 3), (0.3, -5))
    },
    "fake steps of f16": fixed(
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.25, 3, 0, 15), FAKE.half()
    ),
    "fake steps of a given scale": fixed(
        lambda x, s, z: torch.fake_quantize_per_tensor_affine(x, s, z, -8, 7),
        FAKE,
        torch.tensor(0.3),
        torch.tensor(2, dtype=torch.int32),
    ),
    **{
        f"fake steps that are {'on' if on else 'off'}": fixed(
            lambda x, s, z, on=on: (
                ATEN._fake_quantize_per_tensor_affine_cachemask_tensor_qparams(
                    x, s, z, torch.tensor(on), -8, 7
                )
            ),
            floats(4, 6) * 4,
            torch.tensor(0.3),
            torch.tensor(2, dtype=torch.int32),
        )
        for on in (0, 1)
    },
    "fake steps of channels": fixed(
        lambda x: ATEN.fake_quantize_per_channel_affine_cachemask(
            x, SCALES, ZEROS.int(), 1, -8, 7
        ),
        floats(3, 4, 5) * 4,
    ),
    **{
        f"floats of eight bits by {name}": dynamic(
            partial(_of_eight_bits, scales), floats(6, 16), floats(16, 16), floats(16)
        )
        for name, scales in (
            ("one scale", torch.tensor(0.5)),
            ("scales of rows", floats(1, 16)),
        )
    },
    **{
        f"steps of {dtype} from {zero}": dynamic(
            partial(_per_tensor, dtype, 0.05, zero), floats(6, 7) * 4
        )
        for dtype in LIMITS
        for zero in (0, 9)
    },
    **{
        f"steps of {dtype} at the edges": fixed(
            partial(_per_tensor, dtype, 1.0, 5), torch.tensor(EDGES)
        )
        for dtype in LIMITS
    },
    "steps of a scale that divides unevenly": fixed(
        partial(_per_tensor, torch.int8, 0.1, 0), torch.arange(-100, 100) / 20
    ),
    "steps of channels, an open number": automatic(
        _per_open_channel, floats(4, 5), SCALES, ZEROS
    ),
    "steps of channels": dynamic(partial(_per_channel, SCALES, -2), floats(3, 4, 5)),
    "steps of channels in f64": fixed(
        partial(_per_channel, SCALES.double(), 1), floats(3, 4, 5)
    ),
    "chosen scales": dynamic(partial(_chosen, torch.uint8), floats(6, 7)),
    "chosen scales of zeros": fixed(partial(_chosen, torch.int8), torch.zeros(6, 7)),
    "symmetric scales": fixed(_symmetric, floats(6, 7)),
    "rows by a matrix of steps": dynamic(
        _by_row, floats(19, 16), whole(4, 16, low=-128, high=128).to(torch.int8)
    ),
    # Of whole numbers, whose sums are exact in any order.
    "rows by packed steps": dynamic(
        _packed,
        whole(6, 16).float(),
        whole(4, 16, low=-128, high=128).to(torch.int8),
    ),
    "quantised linear": dynamic(
        _linear, floats(6, 8), whole(4, 8, low=-64, high=64).to(torch.int8)
    ),
}
"""All elements of results are equal to torch's, but for products."""
