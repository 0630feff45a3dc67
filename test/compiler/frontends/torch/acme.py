"""Operators of a library of our own, as a user of PyTorch defines them."""

from __future__ import annotations

import torch
from torch import Tensor

torch.library.define("acme::halves", "(Tensor x, int n) -> Tensor[]")


@torch.library.impl("acme::halves", "CPU")
def halves(x: Tensor, n: int) -> list[Tensor]:
    """Two tensors in a list."""
    return [x[:, :n].clone(), x[:, n:].clone()]


@torch.library.register_fake("acme::halves")
def _(x: Tensor, n: int) -> list[Tensor]:
    return [x.new_empty(x.shape[0], n), x.new_empty(x.shape[0], x.shape[1] - n)]


@torch.library.custom_op("acme::scaled", mutates_args=())
def scaled(x: Tensor, by: float, rows: int) -> tuple[Tensor, Tensor]:
    """A tensor times a number, and sums of its rows times another."""
    return x * by, x.sum(1) * rows


@scaled.register_fake
def _(x: Tensor, by: float, rows: int) -> tuple[Tensor, Tensor]:
    return torch.empty_like(x), x.new_empty(x.shape[0])


@torch.library.custom_op("acme::mistaken", mutates_args=())
def mistaken(x: Tensor) -> Tensor:
    """A result that is larger than its fake."""
    return torch.cat([x, x])


@mistaken.register_fake
def _(x: Tensor) -> Tensor:
    return torch.empty_like(x)


@torch.library.custom_op("acme::zeroed", mutates_args=("x",))
def zeroed(x: Tensor) -> None:
    """An operator that changes its operand."""
    x.zero_()
