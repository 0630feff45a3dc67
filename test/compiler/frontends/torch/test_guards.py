"""What a model asks about sizes while it is traced: proven, or checked by each call."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import product
from math import ceil
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch")

from torch.export import Dim  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import read_torch  # noqa: E402
from static_runtime.compiler.frontends.torch.export import decompose  # noqa: E402
from static_runtime.compiler.ir.context import context  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

sym_or: Any = import_module("torch.fx.experimental.symbolic_shapes").sym_or
not_: Any = torch.sym_not

CONDITIONS: dict[str, Callable[[int, int], bool]] = {
    "a % 2 == 0": lambda a, b: a % 2 == 0,
    "a % 3 != 0": lambda a, b: a % 3 != 0,
    "a // 2 == 2": lambda a, b: a // 2 == 2,
    "a != b": lambda a, b: a != b,
    "a < b": lambda a, b: a < b,
    "2 * a <= b + 3": lambda a, b: 2 * a <= b + 3,
    "b > 3": lambda a, b: b > 3,
    "a * b >= 2 * b + 5": lambda a, b: a * b >= 2 * b + 5,
    "max(a, b) == 6": lambda a, b: max(a, b) == 6,
    "min(a, 3) < b": lambda a, b: min(a, 3) < b,
    "a ratio": lambda a, b: b / a < 1.75,
    "ratios": lambda a, b: a / b < b / 2,
    "a half": lambda a, b: b / 2 == b // 2,
    "and": lambda a, b: a % 2 == 0 and b > 4,
    "or": lambda a, b: sym_or(a == 4, b > 4),
    "not": lambda a, b: not_(sym_or(a == 3, b % 2 == 1)),
    "a root": lambda a, b: a**0.5 > 1.9,
    "a root rounded down": lambda a, b: int((a * b) ** 0.5) == 4,
    "a quotient rounded down": lambda a, b: int(torch.sym_float(a) / 1.5) == 2,
    "a fraction that a float is only near to": lambda a, b: a / b > 0.6,
    "a product with a float": lambda a, b: 0.7 * a < b - 2,
    "a float rounded up": lambda a, b: ceil(0.7 * a) == b - 3,
    "floats and sizes": lambda a, b: a * 0.3 < 1.9 and b > 4,
}
"""All of them hold for 4 and 6, with which they are traced."""


def exported(holds: Callable[[int, int], bool]) -> Any:
    """A model of sizes a, b that computes another function where a condition holds."""
    model = Wrapped(lambda x: x * 2 if holds(*x.shape) else x * 3)
    shapes = (({0: Dim.AUTO, 1: Dim.AUTO},),)
    return torch.export.export(model, (floats(4, 6),), dynamic_shapes=shapes)


@pytest.mark.parametrize("is_stored", [False, True])
@pytest.mark.parametrize("name", CONDITIONS)
def test_a_call_is_right_or_told_what_was_assumed(
    name: str, is_stored: bool, tmp_path: Any
):
    holds, model = CONDITIONS[name], exported(CONDITIONS[name])
    if is_stored:
        torch.export.save(model, tmp_path / "model.pt2")
        model = torch.export.load(tmp_path / "model.pt2")
    module = sr.compile(model, options=sr.Options(cache=False))
    ran = refused = 0
    for shape in product(range(2, 8), repeat=2):
        x = np.ones(shape, np.float32)
        try:
            found = module(x)
        except ValueError:
            # Torch may have assumed more, as that a size is what it was.
            refused += 1
            continue
        assert holds(*shape)
        np.testing.assert_array_equal(found, x * 2)
        ran += 1
    assert ran > 1
    assert refused


def test_a_call_is_told_where_the_model_asks():
    module = sr.compile(exported(CONDITIONS["a != b"]), options=sr.Options(cache=False))
    with pytest.raises(ValueError, match="expected inputs_0_dim0 != ") as error:
        module(np.ones((5, 5), np.float32))
    assert f"{__file__}:" in str(error.value)
    assert "got 5 and 5" in str(error.value)


ALWAYS: dict[str, Callable[[int, int], bool]] = {
    "a product is greater": lambda a, b: 2 * b < 4 * a * b,
    "a sum of products": lambda a, b: a * b + 3 > a + b,
    "a multiple": lambda a, b: 6 * a % 3 == 0,
    "halves": lambda a, b: a // 2 + b // 2 >= 2,
    "one of two": lambda a, b: max(a, 3 * b) > 3,
    "and": lambda a, b: not_(sym_or(a * b < 4, a * b < b)),
}


@pytest.mark.parametrize("name", ALWAYS)
def test_what_holds_for_all_sizes_is_not_checked(name: str):
    module = read_torch(exported(ALWAYS[name]), context())
    assert "graph.require" not in str(module)


def test_a_bound_of_a_dim_proves_a_condition():
    model = Wrapped(lambda x: x * 2 if x.shape[0] < 10 else x * 3)
    shapes = (({0: Dim("n", max=9)},),)
    module = read_torch(model, context(), (floats(4, 6),), shapes)
    assert "graph.require" not in str(module)


def test_an_assertion_of_the_model_is_checked():
    def asserted(x: Any) -> Any:
        torch._check(x.shape[0] % 2 == 0)
        return x * 2

    shapes = (({0: Dim("n")},),)
    options = sr.Options(cache=False)
    module = sr.compile(
        Wrapped(asserted), (floats(4),), dynamic_shapes=shapes, options=options
    )
    x = np.ones(6, np.float32)
    np.testing.assert_array_equal(module(x), x * 2)
    with pytest.raises(ValueError, match=r"expected \(n % 2\) == 0, got 1 and 0"):
        module(x[:5])


ASSERTED: dict[str, Callable[[Any, Any], None]] = {
    "a number that may be negative": lambda x, n: torch._check(
        n.max().item() <= x.shape[0]
    ),
    "a truth": lambda x, n: torch._check((n < 7).all().item()),
}


@pytest.mark.parametrize("name", ASSERTED)
def test_an_assertion_of_numbers_of_the_run_is_checked(name: str):
    def asserted(x: Any, n: Any) -> Any:
        ASSERTED[name](x, n)
        return x * 2

    shapes = (({0: Dim("rows")}, None),)
    options = sr.Options(cache=False)
    given = floats(4), torch.tensor([1, 2])
    module = sr.compile(
        Wrapped(asserted), given, dynamic_shapes=shapes, options=options
    )
    x = np.ones(6, np.float32)
    for numbers in ([-9, -1], [3, 6], [6, 0]):
        np.testing.assert_array_equal(module(x, np.array(numbers)), x * 2)
    with pytest.raises(ValueError, match=r"torch._check at \S+: expected"):
        module(x, np.array([1, 7]))


def test_an_element_that_is_a_size_is_not_taken_for_that_of_an_input():
    def doubled(x: Any, n: Any) -> Any:
        torch._check(n.sum().item() == 2 * x.shape[0])
        return x / x.shape[0] ** 0.5

    shapes = (({0: Dim("rows")}, None),)
    given = floats(4), torch.tensor([3, 5])
    module = sr.compile(
        Wrapped(doubled),
        given,
        dynamic_shapes=shapes,
        options=sr.Options(cache=False),
    )
    x = np.ones(9, np.float32)
    np.testing.assert_array_equal(module(x, np.array([8, 10])), x / 3)


def test_code_of_guards_that_torch_cannot_run_is_not_run():
    """Torch 2.14 writes such code for inputs that only a call names."""
    given = floats(4, 3), floats(4, 3)
    shapes = (({0: Dim.AUTO}, {0: Dim.AUTO}),)
    program: Any = torch.export.export(
        Wrapped(lambda x, y: x * 2 + y), given, dynamic_shapes=shapes
    )
    code = ["L['named']['x'].size()[0] == L['named']['y'].size()[0]"]
    program._guards_code = code
    module = sr.compile(decompose(program), options=sr.Options(cache=False))
    assert program._guards_code is code
    x = np.ones((6, 3), np.float32)
    np.testing.assert_array_equal(module(x, x), x * 3)
    with pytest.raises(ValueError, match="expected"):
        module(x, x[:5])
