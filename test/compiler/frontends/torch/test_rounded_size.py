"""Sizes that floats compute and round, as quotients of integers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch: Any = pytest.importorskip("torch")

import static_runtime as sr  # noqa: E402

from .case import Wrapped  # noqa: E402

ROWS: dict[str, Callable[[Any], Any]] = {
    "begins between": lambda x: torch.arange(0.5, x.shape[0]) + x,
    "steps of halves": lambda x: torch.arange(0.25, x.shape[0], 1.5),
    "steps of thirds": lambda x: torch.arange(0.5, x.shape[0], 3.0),
    "begins before zero": lambda x: torch.arange(-1.75, x.shape[0], 2.5),
    "whole windows": lambda x: torch.nn.functional.pad(
        x, (4, 3 * math.ceil((x.shape[0] - 3) / 3 + 1) - x.shape[0])
    ),
    "thirds and a half": lambda x: torch.arange(math.floor(x.shape[0] / 3 + 2.5)),
    "halves of two": lambda x: torch.arange(0.5, x.shape[0] + 2 * x.shape[1], 0.5),
    "goes down": lambda x: torch.arange(x.shape[0] - 1, -x.shape[0], -1.0),
    "goes down by halves": lambda x: torch.arange(x.shape[0] // 2, -3, -1.5),
    "goes down from between": lambda x: torch.arange(2.75, -x.shape[0], -2.5),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_have_as_many_elements_as_torch_says(name: str):
    function = ROWS[name]
    x = torch.zeros(7) if "halves of two" != name else torch.zeros(7, 5)
    axes = dict.fromkeys(range(x.ndim), torch.export.Dim.AUTO)
    module = sr.compile(Wrapped(function), (x,), dynamic_shapes=((axes,),))
    for size in (2, 3, 4, 5, 6, 11, 100):
        x = torch.ones(size, *x.shape[1:])
        want = function(x).numpy()
        np.testing.assert_allclose(module(x.numpy()), want, rtol=1e-6)


def test_what_has_more_digits_is_not_exact():
    from static_runtime.compiler.frontends.torch.rounded_size import rounded_size
    from static_runtime.dialects import symbol

    sympy: Any = pytest.importorskip("sympy")
    Function, Float, Integer = sympy.Function, sympy.Float, sympy.Integer
    ceil, cast = Function("CeilToInt"), Function("ToFloat")(sympy.Symbol("n"))
    divided = Function("FloatTrueDiv")

    def found(expression: Any) -> str:
        return str(rounded_size(expression, lambda each: symbol(str(each))))

    assert found(ceil(cast - Float(0.5))) == "n"
    assert found(ceil(divided(cast, Integer(2)))) == "floordiv(n + 1, 2)"
    third = divided(cast, Integer(3))
    assert found(ceil(third + Float(1.0))) == "floordiv(n + 2, 3) + 1"
    assert found(ceil(third + Float(0.5))) == "floordiv(2 * n + 2, 6) + 1"
    assert found(ceil(third + cast)) == "None"
    assert found(ceil(third + third)) == "None"
    assert found(ceil(cast - Float(0.1))) == "None"
    assert found(ceil(divided(cast, Float(0.7)))) == "None"
    assert found(ceil(divided(cast, Integer(-2)))) == "floordiv(n + 1, 2) - n"
    assert found(ceil(divided(cast, Integer(0)))) == "None"
    assert found(ceil(divided(Integer(2), cast))) == "None"
    assert found(Function("RoundToInt")(cast - Float(0.5))) == "None"
