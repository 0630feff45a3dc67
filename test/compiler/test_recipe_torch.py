"""A module of a PyTorch model is pickled without anything of PyTorch."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ..workers import run_apart
from .test_recipe import LOAD

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


def network(width: int) -> Any:
    """Two layers, with random weights."""
    layers = torch.nn.Linear(3, width), torch.nn.Tanh(), torch.nn.Linear(width, 4)
    return torch.nn.Sequential(*layers).eval()


@pytest.mark.parametrize("width", [5, 5000])
@pytest.mark.parametrize("is_exported", [False, True])
@pytest.mark.parametrize("options", [sr.Options(), sr.Options(cache=False)])
def test_a_new_process_needs_no_torch(
    options: sr.Options,
    is_exported: bool,
    width: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    model, inputs = network(width), (torch.randn(2, 3),)
    shapes = ({0: torch.export.Dim("batch", max=64)},)
    if is_exported:
        model = torch.export.export(model, inputs, dynamic_shapes=shapes)
        module = sr.compile(model, options=options)
    else:
        module = sr.compile(model, inputs, dynamic_shapes=shapes, options=options)
    x = np.ones((5, 3), np.float32)
    expected = module(x)
    with torch.no_grad():
        # The module has its own weights, and the pickle those.
        for each in model.parameters():
            each.zero_()
    paths = [tmp_path / each for each in ("module.pickle", "x.npy", "y.npy")]
    paths[0].write_bytes(pickle.dumps(module))
    np.save(paths[1], x)
    _, warm, imported, _ = run_apart(LOAD, *paths)
    assert warm.split()[0] == str(options.cache)
    assert "torch" not in imported
    np.testing.assert_array_equal(np.load(paths[2]), expected)
