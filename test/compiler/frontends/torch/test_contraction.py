"""Products with weights of other ranks than two, beside torch."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch

linear = torch.nn.functional.linear


@pytest.mark.parametrize("shape", [(9,), (5, 9), (2, 5, 9)])
def test_linear_with_a_vector(shape: tuple[int, ...]):
    x, weight = floats(*shape), floats(9)
    module = sr.compile(Wrapped(linear), (x, weight), options=sr.Options(cache=False))
    expected = linear(x, weight).numpy()
    np.testing.assert_allclose(module(x.numpy(), weight.numpy()), expected, 1e-5, 1e-5)
