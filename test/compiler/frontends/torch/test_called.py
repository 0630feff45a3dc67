"""Compiled modules return what torch does, whatever they are given and return."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402
from torch.export import Dim  # noqa: E402
from torch.utils._pytree import tree_flatten, tree_leaves  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats, truths, whole  # noqa: E402

pytestmark = pytest.mark.torch


def check(compiled: sr.StaticModule, module: Any, *inputs: Any) -> None:
    """The results equal the results of torch, in the same tree."""
    with torch.inference_mode():
        expected, tree = tree_flatten(module(*inputs))
    results: Any = compiled(*(each.numpy() for each in tree_leaves(inputs)))
    actual, found = tree_flatten(results)
    assert found == tree
    for mine, its in zip(actual, expected, strict=True):
        if not isinstance(its, torch.Tensor):
            assert type(mine) is type(its)
            assert mine == its
            continue
        its = its.numpy()
        assert mine.dtype == its.dtype
        np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-6)


def kinds(x: Any, y: Any, m: Any, d: Any) -> Any:
    """i64[3, 4], i32[4], i1[3, 4], f64[3, 1]."""
    return torch.where(m, x * 2 - y, x // 3), m ^ (x > 0), y % 3, d * y + x


def test_elements_of_every_type():
    x, y, m, d = whole(3, 4), whole(4).int(), truths(3, 4), floats(3, 1).double()
    module = Wrapped(kinds)
    compiled = sr.compile(module, (x, y, m, d))
    check(compiled, module, x, y, m, d)
    check(compiled, module, x * -5, y + 2**30, m, d / 0)


def scalars(x: Any, i: Any, m: Any) -> Any:
    """f32[], i64[], i1[]: tensors without axes."""
    return (
        x * 3,
        torch.where(m, i + 1, i),
        x.reshape(1, 1) + torch.ones(2, 3),
        m & (x > i),
    )


def test_tensors_without_axes():
    module, inputs = Wrapped(scalars), (floats(), whole(), truths())
    check(sr.compile(module, inputs), module, *inputs)


def summary(x: Any) -> Any:
    """f32[n, 3] -> sums and rows; there may be no rows."""
    row = torch.ones(1, 3)
    return x.sum(0), x.mean(1), torch.cat([x, row, x]), x.reshape(-1), x @ row.T


def test_no_rows_at_all():
    module = Wrapped(summary)
    check(sr.compile(module, (floats(0, 3),)), module, floats(0, 3))
    shapes = (({0: Dim("n")},),)
    compiled = sr.compile(module, (floats(4, 3),), dynamic_shapes=shapes)
    for rows in (0, 1, 5):
        check(compiled, module, floats(rows, 3))


def test_no_columns_at_all():
    layer = nn.Linear(0, 3)
    check(sr.compile(layer, (floats(2, 0),)), layer, floats(2, 0))
    layer = nn.Linear(3, 0)
    check(sr.compile(layer, (floats(2, 3),)), layer, floats(2, 3))


def nested(x: Any) -> Any:
    """Trees of results; some are None or numbers."""
    y = x + 1
    return {"all": (y, None, [x * 2]), "rows": x.shape[0], "none": None, "yes": True}


def repeated(x: Any) -> Any:
    """One value more than once, and views of it."""
    y = x * 2
    return y, y, y.T, y.reshape(-1), y[1:]


def given(x: Any) -> Any:
    """The input itself, and views of it."""
    return x, x.T, x[0], x + 0


def held(x: Any) -> Any:
    """What does not depend on the input."""
    return torch.arange(5), x.sum(), torch.full((2, 2), 7.0), torch.tensor(True)


def nothing(x: Any) -> Any:
    """No tensor but the input."""
    return (x, None)


@pytest.mark.parametrize(
    "function", [nested, repeated, given, held, nothing], ids=lambda each: each.__name__
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_results_of_every_form(function: Any, dynamic: bool):
    module, x = Wrapped(function), floats(4, 3)
    shapes = (({0: Dim("n", min=2)},),) if dynamic else None
    compiled = sr.compile(module, (x,), dynamic_shapes=shapes)
    check(compiled, module, x)
    if dynamic:
        check(compiled, module, floats(7, 3))


@pytest.mark.parametrize("function", [repeated, given], ids=lambda each: each.__name__)
def test_results_share_no_memory(function: Any):
    x = floats(4, 3).numpy()
    results = sr.compile(Wrapped(function), (x,))(x)
    arrays = [x, *results]
    for place, array in enumerate(arrays):
        assert not any(np.shares_memory(array, each) for each in arrays[:place])


class Tied(nn.Module):
    """An embedding whose table is also the weight of the last layer."""

    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(40, 16)
        self.out = nn.Linear(16, 40, bias=False)
        self.out.weight = self.table.weight

    def forward(self, words: Any) -> Any:
        """i64[n] -> f32[n, 40]."""
        return self.out(torch.tanh(self.table(words)))


def test_tied_weights_are_read_as_one():
    from static_runtime.compiler.frontends.torch import read_torch
    from static_runtime.compiler.ir.context import context

    module, words, ctx = Tied(), whole(5, low=0, high=40), context()
    read_torch(module, ctx, (words,))
    assert len(ctx.weights) == 1
    check(sr.compile(module, (words,)), module, words)


def test_an_input_that_is_not_used_is_still_taken():
    module = Wrapped(lambda x, y: x * 2)
    compiled = sr.compile(module, (floats(3), floats(2, 2)))
    check(compiled, module, floats(3), floats(2, 2))
    with pytest.raises(ValueError, match=r"expected .*got"):
        compiled(np.zeros(3, np.float32), np.zeros((3, 3), np.float32))


def test_a_module_that_takes_nothing():
    class Fixed(nn.Module):
        def forward(self) -> Any:
            return torch.arange(6.0).reshape(2, 3) @ torch.ones(3, 2)

    check(sr.compile(Fixed(), ()), Fixed())


def test_the_same_tensor_given_twice():
    x = floats(3, 4)
    module = Wrapped(lambda a, b: a @ b.T)
    check(sr.compile(module, (x, x)), module, x, floats(3, 4))


def test_an_input_that_the_module_holds_as_well():
    layer = nn.Linear(3, 3, bias=False)
    check(sr.compile(layer, (layer.weight,)), layer, floats(3, 3))
