"""Numbers of a run that are sizes, whose greatest value the program tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.session import UnsupportedModelError  # noqa: E402

from .case import Wrapped  # noqa: E402

AUTO = torch.export.Dim.AUTO


def exported(function: Any, n: Any, axes: Any) -> Any:
    x = torch.arange(24.0).reshape(2, 12)
    shapes = ((axes, None),)
    return torch.export.export(Wrapped(function), (x, n), dynamic_shapes=shapes)


def pieces(x: Any, n: Any) -> Any:
    a, b = torch.split(x, n.tolist(), 1)
    return a.sum(1), 2 * b


@pytest.mark.parametrize("axes", [None, {1: AUTO}])
def test_a_piece_of_a_split_is_at_most_the_axis(axes: Any):
    program = exported(pieces, torch.tensor([5, 7]), axes)
    module = sr.compile(program, options=sr.Options(cache=False))
    x = np.arange(24, dtype=np.float32).reshape(2, 12)
    for first in (0, 5, 12):
        n = np.array([first, 12 - first])
        for mine, its in zip(
            module(x, n), pieces(torch.tensor(x), torch.tensor(n)), strict=True
        ):
            np.testing.assert_array_equal(mine, its)
    with pytest.raises(ValueError, match="expected a size from 0 to 12, got 13"):
        module(x, np.array([13, -1]))
    with pytest.raises(ValueError, match="got 4 and 12"):
        module(x, np.array([2, 2]))


def test_the_greatest_number_of_torch_is_no_bound():
    def counted(x: Any, n: Any) -> Any:
        size = n.item()
        torch._check(size >= 0)
        torch._check(size < 2**63 - 1)
        return x.sum() + torch.arange(size)

    program = exported(counted, torch.tensor(5), None)
    with pytest.raises(UnsupportedModelError, match=r"as a size it needs a range"):
        sr.compile(program, options=sr.Options(cache=False))
