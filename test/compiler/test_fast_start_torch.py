"""Modules of PyTorch, and graphs of torch.compile, are answered by quick code first."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import static_runtime as sr

from .held_compiles import PATIENCE, QUICK, join, tier

pytestmark = pytest.mark.torch


class Pair(nn.Module):
    """Two layers, and a dictionary of what comes of them."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.fc = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """f32[n, 3, 8, 8] -> its features, and f32[n, 5]."""
        y = torch.relu(self.conv(x)).mean((2, 3))
        return {"features": y, "scores": torch.softmax(self.fc(y), 1)}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two answers have equal bits."""
    return all(
        torch.equal(torch.as_tensor(one[name]), torch.as_tensor(other[name]))
        for name in ("features", "scores")
    )


def test_trees_are_built_by_both_codes(go: threading.Event):
    torch.manual_seed(0)
    model, x = Pair().eval(), torch.randn(2, 3, 8, 8)
    module: Any = sr.compile(model, (x,), options=QUICK)
    assert tier(module) == "fast-start"
    first = module(x)
    wanted = model(x)
    torch.testing.assert_close(torch.as_tensor(first["scores"]), wanted["scores"])
    go.set()
    assert module.wait(PATIENCE)
    assert tier(module) == "full"
    assert same(module(x), first)


def test_graphs_of_torch_compile_have_a_tier(go: threading.Event):
    torch.manual_seed(0)
    model, x = Pair().eval(), torch.randn(2, 3, 8, 8)
    compiled = torch.compile(
        model, backend="static_runtime", options={"tier": "fast-start"}
    )
    with torch.no_grad():
        first = compiled(x)
        assert [e for e in threading.enumerate() if e.name.endswith("fast-start")]
        torch.testing.assert_close(first["scores"], model(x)["scores"])
        go.set()
        join()
        assert same(compiled(x), first)
