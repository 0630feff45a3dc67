"""Functions of bytes: what is moved, compared, added up and converted as in torch."""

from __future__ import annotations

from functools import partial
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from .case import Case, dynamic, fixed, floats, truths, whole

ROWS = torch.tensor([3, 0, 2])


def _bytes(dtype: torch.dtype) -> Tensor:
    """All of the elements of a dtype."""
    return torch.arange(256).to(dtype).reshape(4, 64)


def _moved(x: Tensor) -> list[Tensor]:
    turned = [x.T.contiguous(), x[1:3, ::2], x.flip(0), torch.cat([x, x[:1]])]
    return [*turned, F.pad(x, (1, 2), value=5), x[ROWS], x.expand(2, *x.shape)]


def _ordered(x: Tensor) -> list[Tensor]:
    ends = [x.amax(1), x.argmin(0), x.sort(1).values, x.clamp(3, 50)]
    return [*ends, torch.maximum(x, x.flip(0)), x > 7, x <= x.flip(1)]


def _computed(x: Tensor) -> list[Any]:
    y = x.flip(0)
    wrapped: list[Any] = [x + y, x - y, x * y, x + 100, x & y]
    return [*wrapped, x.sum(1), x.cumsum(0), x / 3, x.float().mean()]


def _filled(x: Tensor) -> list[Tensor]:
    return [torch.full_like(x, 7), torch.where(x > 9, x, 3), x.masked_fill(x > 9, 1)]


def _converted(x: Tensor) -> list[Tensor]:
    return [x.float(), x.double(), x.int(), x.long(), x.bool(), x.to(torch.int8)]


def _to(dtype: torch.dtype, *tensors: Tensor) -> list[Tensor]:
    return [each.to(dtype) for each in tensors]


CASES: dict[str, Case] = {
    f"{name} {dtype}": case
    for dtype in (torch.int8, torch.uint8)
    for name, case in {
        "moves": fixed(_moved, _bytes(dtype)),
        "orders": dynamic(_ordered, _bytes(dtype)),
        "computes": fixed(_computed, _bytes(dtype)),
        "fills": fixed(_filled, _bytes(dtype)),
        "from": fixed(_converted, _bytes(dtype)),
        "to": fixed(
            partial(_to, dtype),
            *(floats(4, 6).abs() * 30, whole(4, 6, low=-900, high=900), truths(4, 6)),
        ),
        "weights": fixed(
            lambda x, w: F.linear(x, w.float() - 3), whole(5, 64).float(), _bytes(dtype)
        ),
    }.items()
}
