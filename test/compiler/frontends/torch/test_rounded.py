"""Modules of floats of 16 bits compute in f32 and round each operator once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

torch: Any = pytest.importorskip("torch")

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("runs_host")]

KINDS = ("float16", "bfloat16")
OPTIONS = sr.Options(cache=False, threads=1)


def network() -> Any:
    """A small network of images, with a head that normalizes."""
    nn = torch.nn
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.Hardswish(),
        nn.MaxPool2d(2),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(8, 32),
        nn.GELU(),
        nn.LayerNorm(32),
        nn.Linear(32, 5),
        nn.Softmax(-1),
    ).eval()


@pytest.mark.parametrize("kind", KINDS)
def test_a_module_of_halves_is_what_torch_computes(kind: str):
    dtype = getattr(torch, kind)
    model, x = network().to(dtype), torch.randn(4, 3, 16, 16).to(dtype)
    with torch.no_grad():
        wanted = model(x).float().numpy()
    module = sr.compile(torch.export.export(model, (x,)), options=OPTIONS)
    got = module(x)
    assert got.dtype.itemsize == 2
    ulp = 2.0**-10 if kind == "float16" else 2.0**-7
    np.testing.assert_allclose(got.astype(np.float32), wanted, rtol=2 * ulp)


OPERATORS: dict[str, Callable[[Any], Any]] = {
    "a number that is no half": lambda t: t * 0.1,
    "a division by one": lambda t: t / 3,
    "gelu": lambda t: torch.nn.functional.gelu(t),
    "mean and spread": lambda t: t.var(-1),
    "an addition in place of an index": lambda t: t.index_add(
        0, torch.tensor([0, 2]), t[:2]
    ),
    "a running sum": lambda t: t.cumsum(0),
    "a wider result": lambda t: t.sum(0, dtype=torch.float32),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", OPERATORS)
def test_an_operator_rounds_once(name: str, kind: str):
    operator = OPERATORS[name]

    class Module(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return operator(x)

    torch.manual_seed(0)
    x = torch.randn(5, 7).to(getattr(torch, kind))
    module = sr.compile(torch.export.export(Module(), (x,)), options=OPTIONS)
    got, wanted = np.asarray(module(x)), operator(x)
    assert got.dtype.itemsize == wanted.dtype.itemsize, name
    as_numbers = wanted.float().numpy()
    np.testing.assert_allclose(got.astype(np.float32), as_numbers, rtol=2e-6, atol=0)


def test_the_backend_takes_and_returns_bf16():
    model, x = network().to(torch.bfloat16), torch.randn(2, 3, 16, 16).bfloat16()
    with torch.no_grad():
        compiled = torch.compile(model, backend="static_runtime")
        got, wanted = compiled(x), model(x)
    assert got.dtype == torch.bfloat16
    torch.testing.assert_close(got, wanted, rtol=2**-6, atol=0)
