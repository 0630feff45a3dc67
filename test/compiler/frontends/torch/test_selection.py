"""Slices whose first place is an expression of sizes that may be negative."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

PARTS: dict[str, Callable[[Any, Any], Any]] = {
    "the last ones": lambda x, y: x[:, -y.shape[1] :],
    "before an end": lambda x, y: x[:, -y.shape[1] : -1],
    "by steps": lambda x, y: x[:, -y.shape[1] :: 2],
    "all but a difference": lambda x, y: x[:, x.shape[1] - y.shape[1] :],
    "from a negative difference": lambda x, y: x[:, y.shape[1] - x.shape[1] :],
    "one": lambda x, y: x[:, -y.shape[1]],
    "one at a difference": lambda x, y: x[:, y.shape[1] - x.shape[1]],
    "copied": lambda x, y: torch.narrow_copy(x, 1, -y.shape[1], 1),
    "replaced": lambda x, y: x.slice_scatter(y[: x.shape[0]], 1, -y.shape[1]),
}
"""Parts of `x`, which is longer than `y`."""


@pytest.mark.parametrize("name", PARTS)
def test_a_negative_place_counts_from_the_end(name: str) -> None:
    """Calls with other sizes than the trace had return the part that torch does."""
    x, y = floats(4, 7), floats(4, 3)
    axis = {1: Dim.AUTO}
    program = torch.export.export(
        Wrapped(PARTS[name]), (x, y), dynamic_shapes=((axis, axis),)
    )
    module = sr.compile(program)
    for sizes in ((7, 3), (9, 4), (12, 3)):
        inputs = [floats(4, each) for each in sizes]
        np.testing.assert_array_equal(
            module(*(each.numpy() for each in inputs)),
            program.module()(*inputs).numpy(),
        )


TABLE = torch.linspace(-1, 1, 48).reshape(16, 3)


def window(x: Any) -> Any:
    """Rows from a place on that a tensor holds, which is computed from sizes."""
    half = torch.tensor(min(x.shape[0], 6))
    first = (8 - half).item()
    places = torch.arange(x.shape[0]).clamp(0, 2 * min(x.shape[0], 6) - 1)
    return TABLE[first : 8 + min(x.shape[0], 6)][places]


def last_rows(x: Any) -> Any:
    """The last half of the rows; a tensor holds their number."""
    return x[-(torch.tensor(x.shape[0]) // 2).item() :] * 2


def computed_of_itself(x: Any) -> Any:
    """The first rows, whose number is computed from each number before it, twice."""
    number = torch.tensor(x.shape[0])
    for _ in range(25):
        number = torch.minimum(number + number, number)
    return x[: number.item()] * 2


@pytest.mark.parametrize("function", [window, last_rows, computed_of_itself])
def test_a_tensor_of_sizes_is_a_place(function: Any):
    dim = torch.export.Dim("n", min=2, max=64)
    program = torch.export.export(
        Wrapped(function), (floats(4, 3),), dynamic_shapes=(({0: dim},),)
    )
    module = sr.compile(program, options=sr.Options(cache=False))
    for rows in (2, 5, 6, 9):
        x = floats(rows, 3)
        np.testing.assert_array_equal(module(x.numpy()), function(x).numpy())


def by_item(held: Any, x: Any) -> Any:
    """A number of a buffer is a size."""
    return torch.nn.functional.pad(x, (held.padding.item(), 1))


def by_tensors(held: Any, x: Any) -> Any:
    """So is one that is computed of buffers."""
    return torch.nn.functional.pad(x, (held.padding, held.kernel - held.padding))


def by_sizes(held: Any, x: Any) -> Any:
    """So is one that is computed of buffers and of the sizes of an input."""
    return x[..., : (x.shape[0] * held.kernel - held.padding).item()]


@pytest.mark.parametrize("compute", [by_item, by_tensors, by_sizes])
def test_a_number_that_a_buffer_holds_is_a_size(compute: Any):
    x = floats(2, 12)
    module = Wrapped(lambda x: compute(module, x))
    module.register_buffer("padding", torch.tensor(3))
    module.register_buffer("kernel", torch.tensor(5))
    program = torch.export.export(module, (x,))
    compiled = sr.compile(program, options=sr.Options(cache=False))
    assert np.array_equal(np.asarray(compiled(x.numpy())), module(x).numpy())
