"""Values for the true elements of a mask, whose number only a run knows."""

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


def assigned(x: Any, place: Any, value: Any) -> Any:
    """The tensor with a value in some place."""
    result = x.clone()
    result[place] = value
    return result


def found_points(x: Any, mask: Any) -> Any:
    """Places of true elements, and what is there, where that is more than zero."""
    places = torch.nonzero(mask)
    values = x[tuple(places.t())][:, 0]
    kept = values > 0
    return places[kept].sum(1) + values[kept]


ASSIGNMENTS: dict[str, tuple[Callable[[Any, Any], Any], tuple[int, ...]]] = {
    "rows": (lambda x, m: assigned(x, m, x[m] * 2 + 1), (4,)),
    "elements": (lambda x, m: assigned(x, m, x[m] * 2 + 1), (4, 3)),
    "columns": (
        lambda x, m: assigned(x, (slice(None), m), x[:, m] * 2 + 1),
        (3,),
    ),
    "added": (lambda x, m: x.index_put((m,), x[m] * 2, accumulate=True), (4,)),
    "twice by one mask": (lambda x, m: x[m] + (x * 2)[m], (4,)),
    "of points that are found": (found_points, (4, 3)),
    "beside an index": (lambda x, m: x[m, torch.tensor(1)], (4,)),
    "beside a matrix": (lambda x, m: x[m, :, torch.tensor([[0], [4]])], (4,)),
    "apart from an index": (lambda x, m: x[:, m, torch.tensor([2])], (3,)),
}
"""Functions of a tensor of 4 by 3 by 5 and a mask, with the sizes of the mask."""


@pytest.mark.parametrize("name", ASSIGNMENTS)
def test_each_true_element_gets_its_value(name: str) -> None:
    """For no, some and all true elements."""
    function, shape = ASSIGNMENTS[name]
    x, some = floats(4, 3, 5), torch.arange(int(np.prod(shape))).reshape(shape) % 3 == 1
    program = torch.export.export(Wrapped(function), (x, some))
    module = sr.compile(program)
    for mask in (some, ~some, some & ~some, some | ~some):
        np.testing.assert_array_equal(
            module(x.numpy(), mask.numpy()), function(x, mask).numpy()
        )


def test_another_number_of_values_is_refused() -> None:
    """A call in which there are more or fewer values than true elements."""
    mask = torch.tensor([True, False, True, True])
    program = torch.export.export(
        Wrapped(lambda x, m, y: assigned(x, m, y)),
        (floats(4, 5), mask, floats(3, 5)),
        dynamic_shapes=((None, None, {0: Dim("count", min=2, max=4)}),),
    )
    module = sr.compile(program)
    x, y = floats(4, 5), floats(3, 5)
    np.testing.assert_array_equal(
        module(x.numpy(), mask.numpy(), y.numpy()), assigned(x, mask, y).numpy()
    )
    with pytest.raises(ValueError, match="expected"):
        module(x.numpy(), ~mask.numpy(), y.numpy())
