"""Reductions that torch's own code asks for, beside torch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("name", ["_is_all_true", "_is_any_true"])
def test_all_and_any_of_booleans(name: str):
    """What checks of tensors, such as `torch._check_tensor_all`, are traced as."""
    operator = getattr(torch.ops.aten, name).default
    x = torch.zeros(2, 3, dtype=torch.bool)
    module = sr.compile(Wrapped(operator), (x,), options=sr.Options(cache=False))
    for given in (x, x | True, torch.tensor([[True, False, True]] * 2)):
        np.testing.assert_array_equal(module(given.numpy()), operator(given).numpy())
