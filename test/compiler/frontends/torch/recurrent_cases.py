"""Recurrent layers, and single steps of them."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .case import Case, dynamic, fixed, floats

LAYERS = {"LSTM": nn.LSTM, "GRU": nn.GRU, "RNN": nn.RNN}

STATES = {"LSTM": 2, "GRU": 1, "RNN": 1}


def layer(kind: str, *sizes: int, **options: Any) -> nn.Module:
    """A recurrent module with numbers that are the same in every run."""
    torch.manual_seed(0)
    return LAYERS[kind](*sizes, **options).eval()


class WithStates(nn.Module):
    """A recurrent module that takes each of its first states by itself."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, x: Tensor, *states: Tensor) -> Any:
        """What the module makes of them."""
        return self.module(x, states[0] if len(states) == 1 else states)


class Turned(nn.Module):
    """A recurrent module, of a tensor whose batch comes before the steps."""

    def __init__(self, module: nn.Module):
        super().__init__()
        self.module = module

    def forward(self, x: Tensor) -> Any:
        """What the module makes of it."""
        return self.module(x.transpose(0, 1))


X = floats(3, 5, 4)
"""As a rule, five steps of three rows."""

CASES: dict[str, Case] = {
    **{
        f"{kind} {name}": case
        for kind in LAYERS
        for name, case in {
            "any steps": dynamic(layer(kind, 4, 6), X),
            "any batch": dynamic(Turned(layer(kind, 4, 6)), X),
            "batch first": dynamic(layer(kind, 4, 6, batch_first=True), X),
            "no bias": fixed(layer(kind, 4, 6, bias=False), X),
            "layers": fixed(layer(kind, 4, 6, 3, dropout=0.5), X),
            "both ways": dynamic(
                layer(kind, 4, 6, 2, bidirectional=True, batch_first=True), X
            ),
            "no batch": dynamic(layer(kind, 4, 6), floats(5, 4)),
            "states": fixed(
                WithStates(layer(kind, 4, 6, 2, bidirectional=True)),
                X,
                *(floats(4, 5, 6) for _ in range(STATES[kind])),
            ),
            "of doubles": fixed(layer(kind, 4, 6, dtype=torch.float64), X.double()),
        }.items()
    },
    "RNN of relu": dynamic(layer("RNN", 4, 6, nonlinearity="relu"), X),
    "LSTM projected": dynamic(
        layer("LSTM", 4, 6, 2, proj_size=3, bidirectional=True), X
    ),
    "LSTM cell": dynamic(nn.LSTMCell(4, 6), floats(3, 4)),
    "LSTM cell with states": dynamic(
        WithStates(nn.LSTMCell(4, 6, bias=False)),
        floats(3, 4),
        floats(3, 6),
        floats(3, 6),
    ),
    "GRU cell": dynamic(nn.GRUCell(4, 6), floats(3, 4), floats(3, 6)),
    "RNN cell": dynamic(nn.RNNCell(4, 6), floats(3, 4), floats(3, 6)),
    "RNN cell of relu": fixed(
        nn.RNNCell(4, 6, nonlinearity="relu"), floats(4), floats(6)
    ),
}
