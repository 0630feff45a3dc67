"""Products with weights of other ranks than two or of open windows, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch

functional = torch.nn.functional
linear = functional.linear


@pytest.mark.parametrize("shape", [(9,), (5, 9), (2, 5, 9)])
def test_linear_with_a_vector(shape: tuple[int, ...]):
    x, weight = floats(*shape), floats(9)
    module = sr.compile(Wrapped(linear), (x, weight), options=sr.Options(cache=False))
    expected = linear(x, weight).numpy()
    np.testing.assert_allclose(module(x.numpy(), weight.numpy()), expected, 1e-5, 1e-5)


WINDOWS: dict[str, tuple[Callable[[Any, Any], Any], int]] = {
    "row": (lambda x, w: functional.conv1d(x, w, stride=2, dilation=2, padding=1), 3),
    "same": (lambda x, w: functional.conv2d(x, w, padding="same"), 4),
    "groups": (lambda x, w: functional.conv2d(x, w[:, :2], groups=2, stride=(2, 3)), 4),
    "row back": (lambda x, w: functional.conv_transpose1d(x, w, None, 2, 2, 1), 3),
    "volume back": (lambda x, w: functional.conv_transpose3d(x, w, stride=2), 5),
}


@pytest.mark.parametrize("filters", [{0: torch.export.Dim.AUTO}, {}])
@pytest.mark.parametrize("name", WINDOWS)
def test_convolutions_of_open_windows(name: str, filters: dict[int, Any]):
    function, rank = WINDOWS[name]
    is_open = dict.fromkeys(range(2, rank), torch.export.Dim.AUTO)
    given = floats(2, 4, *(9,) * (rank - 2)), floats(4, 4, *(3,) * (rank - 2))
    if filters and "back" in name:
        filters = {1: torch.export.Dim.AUTO}
    shapes = ({0: torch.export.Dim.AUTO, **is_open}, {**filters, **is_open})
    module = sr.compile(
        Wrapped(function),
        given,
        dynamic_shapes=(shapes,),
        options=sr.Options(cache=False),
    )
    for size, taps in ((9, 3), (5, 3), (6, 5), (12, 5), (7, 7)):
        x, w = floats(3, 4, *(size,) * (rank - 2)), floats(4, 4, *(taps,) * (rank - 2))
        try:
            expected = function(x, w).numpy()
        except RuntimeError:
            with pytest.raises(ValueError, match="expected"):
                module(x.numpy(), w.numpy())
            continue
        np.testing.assert_allclose(module(x.numpy(), w.numpy()), expected, 1e-3, 1e-4)
