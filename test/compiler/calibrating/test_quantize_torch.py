"""Modules of PyTorch are quantised, attention among them, with names of their nodes."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

import static_runtime as sr
from static_runtime.compiler.calibrating import Calibration
from static_runtime.compiler.quantizing import Settings

pytestmark = pytest.mark.torch


def encoder() -> nn.Module:
    """An embedding, a layer with attention of four heads, and a product."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, activation="gelu")
    return nn.Sequential(nn.Embedding(50, 32), layer, nn.Linear(32, 50)).eval()


def test_attention_is_of_bytes():
    module, words = encoder(), torch.randint(0, 50, (4, 12))
    shapes = {"input": {0: torch.export.Dim("n", min=1, max=64)}}
    made = Calibration(module, (words,), shapes)
    profile = made.profile([words.numpy()], Settings())
    assert len(profile.products) == 7
    assert not made.reasons(profile)
    options = sr.Options(quantization=profile)
    quantised = sr.compile(module, (words,), dynamic_shapes=shapes, options=options)
    found = np.asarray(quantised(words.numpy()))
    with torch.no_grad():
        exact = module(words).numpy()
    assert 0 < np.abs(found - exact).max() < 0.05 * np.abs(exact).max()
    rows = [np.asarray(quantised(words[at : at + 1].numpy())) for at in range(4)]
    assert (np.concatenate(rows) == found).all()


def test_an_export_of_one_size_has_the_profile_of_another():
    module = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 4)).eval()
    given = torch.randn(8, 6)
    profile = sr.quantize(module, [given.numpy()], example_inputs=(given,))
    options = sr.Options(quantization=profile)
    many, one = (
        sr.compile(module, (given[:count],), options=options) for count in (8, 1)
    )
    rows = np.asarray(many(given.numpy()))
    assert (np.asarray(one(given[:1].numpy())) == rows[:1]).all()
