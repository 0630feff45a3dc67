"""`cond`, `while_loop`, `scan` and `map` of torch, and sizes that a run computes."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

import torch  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Function, Wrapped  # noqa: E402

# They come without types.
scan: Any = import_module("torch._higher_order_ops.scan").scan
mapped: Any = import_module("torch._higher_order_ops.map").map
while_loop: Any = import_module("torch._higher_order_ops.while_loop").while_loop

AUTO = torch.export.Dim.AUTO
generator = torch.Generator().manual_seed(5)


def numbers(*shape: int) -> torch.Tensor:
    """Numbers of either sign."""
    return torch.randn(shape, generator=generator)


class Chosen(torch.nn.Module):
    """A layer, or something else, by the sign of a sum; one choice in another."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def grown(x: torch.Tensor) -> torch.Tensor:
            return x.exp()

        def shrunk(x: torch.Tensor) -> torch.Tensor:
            return x - 1

        def inner(x: torch.Tensor) -> torch.Tensor:
            return torch.cond(x[0, 0] > 0, grown, shrunk, (x,))

        return torch.cond(x.sum() > 0, self.layer, inner, (x,))


class Repeated(torch.nn.Module):
    """A loop with as many trips as an input says."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
        def test(i: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return i < n

        def body(i: torch.Tensor, y: torch.Tensor) -> Any:
            return i + 1, y * 2 + 1

        start = torch.zeros((), dtype=torch.int64)
        return while_loop(test, body, (start, x))


class Scanned(torch.nn.Module):
    """A recurrent net without weights."""

    def forward(self, x: torch.Tensor, h: torch.Tensor) -> Any:
        def step(state: torch.Tensor, element: torch.Tensor) -> Any:
            state = torch.tanh(state + element)
            return state, state * 2

        return scan(step, h, x)


class Mapped(torch.nn.Module):
    """Two results for each element of two tensors."""

    def forward(self, x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> Any:
        def step(pair: Any, shared: torch.Tensor) -> Any:
            return pair[0] * shared + pair[1], pair[1].sum()

        return mapped(step, (x, y), z)


class Found(torch.nn.Module):
    """Results whose sizes are how many elements are positive."""

    def forward(self, x: torch.Tensor) -> Any:
        return torch.nonzero(x > 0).float().sum(0), x[x > 0] * 2, x[x[:, 0] > 0]


class Cut(torch.nn.Module):
    """As many rows as an input says."""

    def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
        count = n.item()
        torch._check(count >= 0)  # pyright: ignore[reportPrivateUsage]
        torch._check(count <= x.shape[0])  # pyright: ignore[reportPrivateUsage]
        return x[:count].exp()


class Selected(torch.nn.Module):
    """The elements that a mask chooses."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.masked_select(x, mask).relu()


class Different(torch.nn.Module):
    """The different elements and rows, which each is, and how often it is there."""

    def forward(self, x: torch.Tensor) -> Any:
        whole = (x * 2).round()
        return (
            *torch.unique(whole, return_inverse=True, return_counts=True),
            *torch.unique((whole > 0).float(), dim=0, return_counts=True),
            *torch.unique_consecutive(whole > 0, return_inverse=True),
            torch.unique_consecutive(whole > 0, dim=0),
        )


BATCH = ({0: AUTO},)

CASES: dict[str, tuple[type[torch.nn.Module], Any, list[tuple[Any, ...]]]] = {
    "cond": (
        Chosen,
        BATCH,
        [(numbers(4, 3) + 1,), (numbers(6, 3) - 1,), (2 - numbers(2, 3) * 0,)],
    ),
    "while_loop": (
        Repeated,
        None,
        [(numbers(3), torch.tensor(n)) for n in (4, 0, 1, -3)],
    ),
    "scan": (Scanned, None, [(numbers(5, 3), numbers(3))]),
    "map": (
        Mapped,
        ({0: AUTO}, {0: AUTO}, None),
        [(numbers(n, 3), numbers(n, 3), numbers(3)) for n in (4, 7, 2)],
    ),
    "nonzero": (
        Found,
        BATCH,
        [(numbers(4, 3),), (numbers(9, 3),), (-numbers(5, 3).abs(),)],
    ),
    "unique": (Different, BATCH, [(numbers(4, 3),), (numbers(9, 3),)]),
    "item": (
        Cut,
        ({0: AUTO}, None),
        [(numbers(4, 3), torch.tensor(2)), (numbers(9, 3), torch.tensor(9))],
    ),
    "masked_select": (
        Selected,
        ({0: AUTO}, None),
        [(numbers(4, 3), torch.tensor([True, False, True]))],
    ),
}


def several(results: Any) -> list[Any]:
    """The results of a model, also when it has one."""
    return [*results] if isinstance(results, tuple) else [results]


@pytest.mark.parametrize("name", CASES)
def test_computes_what_torch_does(name: str):
    kind, shapes, calls = CASES[name]
    torch.manual_seed(0)
    eager = kind().eval()
    program = torch.export.export(eager, calls[0], dynamic_shapes=shapes)
    module = sr.compile(program, options=sr.Options(cache=False))
    for inputs in calls:
        expected, got = several(eager(*inputs)), several(module(*inputs))
        for one, wanted in zip(got, expected, strict=True):
            assert one.shape == tuple(wanted.shape)
            np.testing.assert_allclose(one, wanted.detach(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("shape", [(), (1,), (0,), (5, 0), (0, 3), (3, 2)])
def test_the_places_in_a_tensor_of_any_size(shape: tuple[int, ...]):
    x = torch.ones(shape)
    module = sr.compile(Wrapped(torch.nonzero), (x,), options=sr.Options(cache=False))
    np.testing.assert_array_equal(module(x), torch.nonzero(x), strict=True)


class Checked(torch.nn.Module):
    """The positive elements, whose number the model states."""

    def __init__(self, holds: Callable[[Any], Any]) -> None:
        super().__init__()
        self.holds = holds

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        found = x[x > 0]
        torch._check(self.holds(found.shape[0]))  # pyright: ignore[reportPrivateUsage]
        return found * 2


SAID: dict[str, Callable[[Any], Any]] = {
    "1": lambda n: n >= 1,
    "2": lambda n: n >= 2,
    "over 3": lambda n: n > 3,
    "to 3": lambda n: n <= 3,
    "none": lambda n: n < 1,
    "not 2": lambda n: n != 2,
    "even": lambda n: n % 2 == 0,
    "twice": lambda n: 2 * n >= 5,
}


@pytest.mark.parametrize("name", SAID)
def test_what_a_model_says_of_a_size_that_the_run_computes_is_checked(
    name: str,
):
    holds = SAID[name]
    known = next(count for count in range(9) if holds(count) and count != 1)
    example = torch.cat([torch.ones(known), -torch.ones(9 - known)])
    program = torch.export.export(Checked(holds), (example,))
    module = sr.compile(program, options=sr.Options(cache=False))
    for count in range(6):
        x = np.concatenate([np.ones(count), -np.ones(9 - count)]).astype(np.float32)
        if holds(count):
            np.testing.assert_array_equal(module(x), np.full(count, 2))
        else:
            with pytest.raises(ValueError, match="expected "):
                module(x)


COMPUTED: dict[str, Function] = {
    "mul": lambda x, n: x * n.item(),
    "rsub": lambda x, n: n.item() - x,
    "gt": lambda x, n: x > n.item(),
    "clamp": lambda x, n: x.clamp(min=n.item()),
    "where": lambda x, n: torch.where(x > 0, x, n.item()),
}


@pytest.mark.parametrize("value", [3, -3, 2.5], ids=str)
@pytest.mark.parametrize("name", COMPUTED)
def test_a_number_that_the_run_computes(name: str, value: Any):
    model = Wrapped(COMPUTED[name])
    x, n = numbers(4, 3), torch.tensor(value)
    program = torch.export.export(model, (x, n))
    got: Any = sr.compile(program, options=sr.Options(cache=False))(x, n)
    np.testing.assert_allclose(got, model(x, n), rtol=1e-6)


@pytest.mark.parametrize("value", [1.0, -1.0])
def test_a_tensor_of_one_element_has_a_place_or_none(value: float):
    model = Wrapped(lambda x: (torch.nonzero(x > 0), x[x > 0]))
    program = torch.export.export(model, (torch.ones(1),))
    module = sr.compile(program, options=sr.Options(cache=False))
    x = torch.tensor([value])
    for got, wanted in zip(module(x), model(x), strict=True):
        np.testing.assert_array_equal(got, wanted)
        assert got.shape == tuple(wanted.shape)


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize(
    ("shape", "mask"),
    [((4,), (3, 4)), ((3, 1), (1, 4)), ((2, 3, 4), (3, 1)), ((), (5,)), ((5,), ())],
)
def test_a_tensor_and_its_mask_broadcast(
    shape: tuple[int, ...], mask: tuple[int, ...], is_open: bool
):
    tensors = numbers(*shape), torch.ones(mask, dtype=torch.bool)
    shapes = [
        {at: AUTO for at, n in enumerate(each) if n > 1} for each in (shape, mask)
    ]
    module = sr.compile(
        Selected(),
        tensors,
        dynamic_shapes=tuple(shapes) if is_open else None,
        options=sr.Options(cache=False),
    )
    for chosen in (tensors[1], numbers(*mask) > 0):
        wanted = Selected()(tensors[0], chosen)
        np.testing.assert_array_equal(module(tensors[0], chosen), wanted)


def test_a_size_that_must_be_another_is_refused_when_it_is_not():
    def joined(mask: torch.Tensor, y: torch.Tensor) -> Any:
        rows = mask.nonzero()
        torch._check(rows.shape[0] == y.shape[0])
        return torch.cat([rows, y], 1), rows * y

    model, y = Wrapped(joined), torch.arange(3)[:, None]
    program = torch.export.export(
        model,
        (torch.tensor([1, 0, 1, 1]), y),
        dynamic_shapes=(({0: AUTO}, {0: AUTO}),),
    )
    module = sr.compile(program, options=sr.Options(cache=False))
    for count in (1, 2, 3, 5, 8):
        mask, y = torch.tensor([0, 1] * count), torch.arange(count)[:, None]
        for got, wanted in zip(module(mask, y), model(mask, y), strict=True):
            np.testing.assert_array_equal(got, wanted)
    message = "torch._check at .*: expected equal sizes count_.* and .*, got 1 and 2"
    with pytest.raises(ValueError, match=message):
        module(np.array([0, 1]), np.array([[1], [2]]))


def test_a_size_out_of_its_range_is_an_error_of_the_run():
    program = torch.export.export(
        Cut(), (numbers(4, 3), torch.tensor(2)), dynamic_shapes=({0: AUTO}, None)
    )
    module = sr.compile(program, options=sr.Options(cache=False))
    for bad in (5, -1):
        with pytest.raises(ValueError, match=f"expected a size from 0 to 4, got {bad}"):
            module(numbers(4, 3), bad)
    np.testing.assert_allclose(
        module(np.ones((4, 3), np.float32), 3), np.full((3, 3), np.e), rtol=1e-6
    )
