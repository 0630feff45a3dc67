"""References run models of PyTorch: trees, control flow, weights of their own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch

ORACLE = sr.Options(enable_out_variant=False, optimize_memory=False)


class Trees(torch.nn.Module):  # pyright: ignore[reportUntypedBaseClass]
    """A model that takes and returns trees."""

    def __init__(self) -> None:
        super().__init__()  # pyright: ignore[reportUnknownMemberType]
        self.layer = torch.nn.Linear(3, 4)

    def forward(self, x: Any, more: Any) -> Any:
        y = self.layer(x) + more["bias"]
        chosen = torch.cond(x.sum() > 0, torch.sin, torch.cos, (y,))
        return {"y": y.relu(), "chosen": [chosen, None, 3]}


def test_trees_and_control_flow():
    torch.manual_seed(0)
    model = Trees().eval()
    inputs = (torch.randn(2, 3), {"bias": torch.randn(4)})
    made = sr.compile(model, inputs, options=ORACLE)
    for module in (made, pickle.loads(pickle.dumps(made))):
        for sign in (1, -1):
            x = inputs[0].abs() * sign
            want, got = model(x, inputs[1]), module(x, inputs[1])
            np.testing.assert_allclose(got["y"], want["y"].detach(), atol=1e-6)
            first, *rest = got["chosen"]
            np.testing.assert_allclose(first, want["chosen"][0].detach(), atol=1e-6)
            assert rest == [None, 3]


def test_weights_are_its_own():
    model, x = torch.nn.Linear(3, 4).eval(), torch.randn(2, 3)
    made = sr.compile(model, (x,), options=ORACLE)
    want = model(x).detach().numpy()
    with torch.no_grad():
        for each in model.parameters():
            each.zero_()
    for module in (made, pickle.loads(pickle.dumps(made))):
        np.testing.assert_allclose(module(x), want, atol=1e-6)
