"""A change in place is read as what it returns, where nothing else sees the tensor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import as_exported  # noqa: E402
from static_runtime.compiler.frontends.torch.export import Whole  # noqa: E402

from .case import Wrapped, arrays, floats  # noqa: E402

pytestmark = pytest.mark.torch

Function = Callable[[Any], Any]


def chain(x: Any) -> Any:
    """Several changes of one tensor, which is used by its first name in the end."""
    y = x * 2
    y.add_(x)
    z = y.relu_()
    z.mul_(0.5)
    return y, z, y - x


def used_before(x: Any) -> Any:
    """What is computed of a tensor before a change keeps its value."""
    y = x * 2
    before = y.exp()
    y.add_(1)
    return before, y


def view_after(x: Any) -> Any:
    """A view that is taken after a change has the changed elements."""
    y = x.clone()
    y.add_(1)
    return y.view(-1) * 2, y[1:]


def view_of_nothing_else(x: Any) -> Any:
    """A view is changed that nothing else is a view of."""
    y = (x + 1).transpose(0, 1).contiguous().view(-1)
    return y.div_(3)


def one_of_several(x: Any) -> Any:
    """One of several results is changed."""
    values, places = x.topk(2)
    values /= values.sum(-1, keepdim=True)
    return values, places


def masked(x: Any) -> Any:
    """A change by a mask and by a constant."""
    y = x * 1
    y.masked_fill_(x > 0, -2.0)
    y.clamp_(-1, 0.5)
    return y


def constant(x: Any) -> Any:
    """A constant, which torch detaches in place."""
    return x + torch.tensor([1.0, 2.0, 3.0, 4.0])


def base_of_view(x: Any) -> Any:
    """A tensor sees the change of a view of it."""
    y = x * 2
    y[1:].add_(1)
    return y


def assigned(x: Any) -> Any:
    """Parts are assigned to, one after the other, and by what others hold."""
    y = x * 2
    before = y.exp()
    y[1:] += 1
    y[:, -1] = x.sum(1)
    y[-1, 1:3] = y[0, :2] * 3
    for row in range(1, 3):
        y[row, :row] = y[row, :row] + y[:row, :row].sum(0)
    y[::2, 0].fill_(4.0)
    y[:2, 1].fill_(x[1, 2].double())
    y[0][1:][0] = 7
    return before, y, y[1] - 1


def moved_within(x: Any) -> Any:
    """A part is replaced by another, which a view of before holds."""
    y = x.clone()
    rows = y[:2]
    y[1:] = rows * 2
    return y


def long_chain(x: Any) -> Any:
    """Views of views, more than Python nests calls."""
    y = x * 2
    for _ in range(1001):
        y = y.t()
    return y.add_(1)


def dropped_from_a_view(x: Any) -> Any:
    """A change that is none without training, of a tensor that others see."""
    y = x * 2
    rows = torch.flatten(y, 1)
    return F.dropout(rows, 0.5, False, inplace=True) + 1, y


READ: dict[str, Function] = {
    each.__name__: each
    for each in (
        *(chain, used_before, view_after, view_of_nothing_else),
        *(one_of_several, masked, constant, base_of_view, assigned, moved_within),
        *(long_chain, dropped_from_a_view),
    )
}
"""Functions that are read as they were exported."""


def view_before(x: Any) -> Any:
    """A view sees a later change."""
    y = x * 2
    rows = y[1:]
    y.add_(1)
    return rows * 1


def base_of_used_view(x: Any) -> Any:
    """A tensor that has other users than the view that is changed."""
    y = x * 2
    z = y.view(-1)
    z.add_(1)
    return y.sum(), z


def perhaps_itself(x: Any) -> Any:
    """An operator that may return its operand."""
    y = x * 2
    same = y.expand_as(x)
    y.add_(1)
    return same * 1


def piece(x: Any) -> Any:
    """One of the pieces of a tensor is changed."""
    y = x * 2
    first, _ = y.split(2, 1)
    first.add_(1)
    return y


def part_seen_later(x: Any) -> Any:
    """A view of before a change of a part is used after it."""
    y = x * 2
    rows = y[:2]
    y[1:].add_(1)
    return rows * 1, y


def changed_part_seen_later(x: Any) -> Any:
    """A changed part sees a later change of the tensor."""
    y = x * 2
    rows = y[1:].add_(1)
    y.mul_(3)
    return rows * 1, y


def view_of_another_shape(x: Any) -> Any:
    """A view gets another shape, which its tensor does not."""
    y = x * 2
    row = y[1]
    row.unsqueeze_(0)
    return y, row


def argument(x: Any) -> Any:
    """What the caller passes is changed."""
    x = x.view(-1)
    y = x * 1
    y.add_(1)
    x.mul_(2)
    return y + x


def stored(x: Any) -> Any:
    """A tensor takes the elements of another, of another type."""
    y = torch.zeros(3, 4, dtype=torch.int64)
    y.copy_(x)
    y.add_(torch.ones(3, 4, dtype=torch.int32))
    return y


WHOLE: dict[str, Function] = {
    each.__name__: each
    for each in (
        *(view_before, base_of_used_view, perhaps_itself, part_seen_later),
        *(changed_part_seen_later, piece, view_of_another_shape, argument),
    )
}
"""Functions that torch decomposes, since others see what changes."""


@pytest.mark.parametrize("name", READ | WHOLE | {"stored": stored})
def test_computes_what_torch_computes(name: str):
    function = (READ | WHOLE | {"stored": stored})[name]
    program = torch.export.export(Wrapped(function), (floats(3, 4),))
    if name == "argument":
        # The exported program returns what becomes of an argument as a result too.
        with pytest.raises(Whole):
            as_exported.readings(program, ())
        return
    module = sr.compile(program, options=sr.Options(cache=False))
    x = floats(3, 4)
    wanted = arrays(function(x.clone()))
    for mine, its in zip(arrays(module(x.numpy().copy())), wanted, strict=True):
        np.testing.assert_allclose(mine, its, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", READ)
def test_is_read_as_exported(name: str):
    program = torch.export.export(Wrapped(READ[name]), (floats(3, 4),))
    assert as_exported.readings(program, ())


@pytest.mark.parametrize("name", WHOLE)
def test_is_decomposed_where_others_see_a_change(name: str):
    program = torch.export.export(Wrapped(WHOLE[name]), (floats(3, 4),))
    with pytest.raises(Whole, match=r"that others may see|unsqueeze_"):
        as_exported.readings(program, ())
