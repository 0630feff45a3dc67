"""Numbers and sizes that floats compute from open sizes, beside torch."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from torch.export import Dim  # noqa: E402
from torch.nn import functional  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

SHAPES = tuple(product((2, 3, 4, 7, 10, 31), (3, 6, 8, 21)))

NUMBERS: dict[str, Callable[[Any], Any]] = {
    "a root": lambda x: x / x.shape[1] ** 0.5,
    "a power below zero": lambda x: x * x.shape[1] ** -0.5,
    "a ratio": lambda x: x * (x.shape[1] / x.shape[0]) + 1 / x.shape[1],
    "a fraction": lambda x: torch.full_like(x, 0.3 * x.shape[0]) + x,
    "a bound": lambda x: x.clamp(max=0.1 * x.shape[0] ** 0.5),
    "a choice": lambda x: torch.where(x > 0, x, x.shape[0] ** 0.5),
    "an exponent": lambda x: torch.pow(x.abs() + 0.1, 1 / x.shape[0]),
    "attention": lambda x: torch.softmax(x @ x.T / x.shape[1] ** 0.5, -1) @ x,
}

OF_DATA: dict[str, Callable[[Any, Any], Any]] = {
    "a sum": lambda a, b: a + b,
    "a product less one": lambda a, b: a * b - 1,
    "a difference": lambda a, b: a - b,
    "greater": lambda a, b: a > b,
    "equal": lambda a, b: a == b,
    "not equal": lambda a, b: a != b,
}
"""What is computed of two numbers that tensors hold."""

SIZES: dict[str, Callable[[Any], Any]] = {
    "padded by a size": lambda x: functional.pad(x, (0, x.shape[0])),
    "padded before and after": lambda x: functional.pad(
        x, (x.shape[0], 1, 2, x.shape[1])
    ),
    "padded with a value": lambda x: functional.pad(x, (x.shape[0] // 2, 0), value=2.5),
    "padded by the edge": lambda x: functional.pad(
        x[None], (x.shape[1] // 2, x.shape[0]), mode="replicate"
    ),
    "padded by a mirror": lambda x: functional.pad(
        x[None], (x.shape[1] // 2, 1), mode="reflect"
    ),
    "means of half as many": lambda x: functional.adaptive_avg_pool2d(
        x[None, None], (x.shape[0] // 2, x.shape[1] // 3)
    ),
    "padded by a root": lambda x: functional.pad(
        x, (0, torch.sym_int(x.shape[1] ** 0.5))
    ),
    "padded by the root of a product": lambda x: functional.pad(
        x, (0, torch.sym_int((x.shape[0] * x.shape[1]) ** 0.5))
    ),
    "padded by a quotient": lambda x: functional.pad(
        x, (0, torch.sym_int(torch.sym_float(x.shape[1]) / 2.5))
    ),
    "the first elements": lambda x: x[:, : x.shape[1] // 2],
    "an image at seven tenths": lambda x: functional.interpolate(
        x[None, None], scale_factor=0.7
    ),
    "an image at nine fifths": lambda x: functional.interpolate(
        x[None, None], scale_factor=1.8, mode="bilinear"
    ),
    "a row that goes down": lambda x: torch.arange(x.shape[0], -x.shape[1], -0.7),
}

FUNCTIONS = NUMBERS | SIZES


@pytest.mark.parametrize("name", FUNCTIONS)
def test_computes_what_torch_does(name: str):
    function = FUNCTIONS[name]
    shapes = (({0: Dim.AUTO, 1: Dim.AUTO},),)
    model = torch.export.export(
        Wrapped(function), (floats(5, 9),), dynamic_shapes=shapes
    )
    module = sr.compile(model, options=sr.Options(cache=False))
    for shape in SHAPES:
        x = floats(*shape)
        wanted = function(x).numpy()
        got = module(x.numpy())
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)


def test_padding_that_a_size_is_too_small_for_is_refused():
    model = torch.export.export(
        Wrapped(lambda x: functional.pad(x[None], (x.shape[0], 0), mode="reflect")),
        (floats(5, 9),),
        dynamic_shapes=(({0: Dim.AUTO, 1: Dim.AUTO},),),
    )
    module = sr.compile(model, options=sr.Options(cache=False))
    x = np.arange(12, dtype=np.float32)
    assert module(x.reshape(3, 4)).shape == (1, 3, 7)
    with pytest.raises(ValueError, match="expected"):
        module(x.reshape(4, 3))


def test_a_size_below_zero_is_refused():
    model = torch.export.export(
        Wrapped(lambda x: functional.pad(x, (0, torch.sym_int(-0.3 * x.shape[1])))),
        (floats(5, 9),),
        dynamic_shapes=(({0: Dim.AUTO, 1: Dim.AUTO},),),
    )
    with pytest.raises(sr.CompileError, match="a size computed by TruncToInt"):
        sr.compile(model, options=sr.Options(cache=False))


def scaled(scale: float, mode: str) -> Callable[[Any], Any]:
    """A function that resizes an image."""
    return lambda x: functional.interpolate(
        x[None, None], scale_factor=scale, mode=mode
    )


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "bilinear", "bicubic"])
def test_a_scale_that_torch_ignores_is_ignored(mode: str):
    for scale, shape in ((1.2, (4, 6)), (1.2, (2, 3)), (2.3, (2, 3))):
        function, x = scaled(scale, mode), floats(*shape)
        module = sr.compile(Wrapped(function), (x,), options=sr.Options(cache=False))
        np.testing.assert_allclose(module(x.numpy()), function(x).numpy(), 1e-4, 1e-5)


def test_an_open_size_at_which_torch_ignores_a_scale_is_refused():
    model = torch.export.export(
        Wrapped(scaled(1.2, "bilinear")),
        (floats(10, 20),),
        dynamic_shapes=(({0: Dim.AUTO, 1: Dim.AUTO},),),
    )
    module = sr.compile(model, options=sr.Options(cache=False))
    assert module(floats(7, 5).numpy()).shape == (1, 1, 8, 6)
    with pytest.raises(ValueError, match=r"ignores the scale 1\.2 there"):
        module(floats(7, 4).numpy())


@pytest.mark.parametrize("name", OF_DATA)
@pytest.mark.parametrize(("a", "b"), [(7, -5), (2**53 + 1, 1), (2.5, -0.75), (3.0, 3)])
def test_numbers_of_data_are_outputs(name: str, a: float, b: float):
    def model(x: Any, y: Any) -> Any:
        return OF_DATA[name](x.item(), y.item())

    given = torch.tensor(a), torch.tensor(b)
    module = sr.compile(torch.export.export(Wrapped(model), given))
    got = module(*given)
    assert (type(got), got) == (type(model(*given)), model(*given))
