"""What attention computes lies in memory as PyTorch's own does, so views of it hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch

BATCH, TOKENS = (torch.export.Dim(name, min=2, max=64) for name in ("batch", "tokens"))


def heads_side_by_side(q: Any, k: Any) -> Any:
    """Attention of heads that lie within tokens, and a view of two heads each."""
    attend = torch.nn.functional.scaled_dot_product_attention
    q, k = q.transpose(1, 2), k.transpose(1, 2)
    result = attend(q, k, k, is_causal=True).transpose(1, 2)
    return result.view(*result.shape[:2], 2, -1)


@pytest.mark.parametrize("heads", [4, 2])
def test_a_view_of_attention_holds_for_any_size(heads: int):
    shapes = [{0: BATCH, 1: TOKENS}] * 2
    given = floats(2, 5, heads, 8), floats(2, 5, heads, 8)
    program = torch.export.export(
        Wrapped(heads_side_by_side), given, dynamic_shapes=(tuple(shapes),)
    )
    module = sr.compile(program, options=sr.Options(cache=False))
    for sizes in ((2, 5), (3, 17)):
        q, k = floats(*sizes, heads, 8), floats(*sizes, heads, 8)
        wanted = heads_side_by_side(q, k).numpy()
        np.testing.assert_allclose(
            module(q.numpy(), k.numpy()), wanted, rtol=1e-5, atol=1e-6
        )
