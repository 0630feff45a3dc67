"""What a model changes is returned; of buffers and parameters it is taken too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Function, Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch


def compiled(model: Any, *inputs: Any) -> Any:
    """The module of a model, without a cache."""
    options = sr.Options(cache=False)
    return sr.compile(model, example_inputs=inputs, options=options)


class Memory(nn.Module):
    """Counts its calls, and keeps a sum of what it was given in a row of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Any
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.inner = nn.Module()
        self.inner.register_buffer("sums", torch.ones(3))
        self.inner.register_buffer("fixed", torch.full((3,), 2.0))

    def forward(self, x: Any, at: Any) -> Any:
        """f32[n], i64[1] -> f32[n], f32[3]."""
        self.calls += 1
        sums: Any = self.inner.sums
        sums[at] += x.sum()
        return x + self.calls, sums * self.inner.fixed


def test_buffers_that_are_changed_come_after_inputs_and_results():
    model, x, at = Memory(), floats(4), torch.tensor([1])
    module = compiled(model, x, at)
    assert module.input_names == ("x", "at", "b_calls", "b_inner_sums")
    assert module.output_names[2:] == ("b_calls_out", "b_inner_sums_out")
    states = [model.calls.numpy().copy(), model.inner.sums.numpy().copy()]
    for _ in range(3):
        *results, calls, sums = module(x.numpy(), at.numpy(), *states)
        for mine, its in zip(results, model(x, at), strict=True):
            np.testing.assert_allclose(mine, its.numpy(), rtol=1e-6)
        np.testing.assert_allclose(sums, model.inner.sums.numpy(), rtol=1e-6)
        assert calls == model.calls
        states = [calls, sums]


class Rescaled(nn.Module):
    """Halves its weight before each use, as some do before the first."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(4, 3)
        self.fixed = nn.Parameter(torch.ones(3))

    def forward(self, x: Any) -> Any:
        """f32[n, 4] -> f32[n, 3]."""
        with torch.no_grad():
            self.inner.weight.div_(2)
        return self.inner(x) * self.fixed


def test_parameters_that_are_changed_are_states():
    model, x = Rescaled().requires_grad_(False).eval(), floats(2, 4)
    module = compiled(model, x)
    assert module.input_names == ("x", "p_inner_weight")
    assert module.output_names[1:] == ("p_inner_weight_out",)
    weight = model.inner.weight.numpy().copy()
    for _ in range(3):
        result, weight = module(x.numpy(), weight)
        np.testing.assert_allclose(result, model(x).numpy(), atol=1e-6)
        np.testing.assert_array_equal(weight, model.inner.weight.numpy())


def changed(x: Any) -> Any:
    """The double of a tensor that is one more afterwards."""
    x += 1
    return x * 2


def doubled(results: Any) -> Any:
    """The array of the tensor that a tree holds."""
    return results["double"].numpy()


RESULTS: dict[str, tuple[Function, int]] = {
    "a tensor": (changed, 2),
    "two tensors": (lambda x: (changed(x), x - 1), 3),
    "a tree": (lambda x: {"double": changed(x)}, 2),
}


@pytest.mark.parametrize("name", RESULTS)
def test_an_input_that_is_changed_is_returned(name: str):
    function, count = RESULTS[name]
    x = floats(4)
    module = compiled(Wrapped(function), x)
    given = x.numpy().copy()
    results = module(given)
    np.testing.assert_array_equal(given, x.numpy())
    call: Any = function
    expected: Any = call(x)
    assert len(results) == count
    np.testing.assert_array_equal(results[-1], x.numpy())
    if isinstance(expected, dict):
        np.testing.assert_array_equal(results[0]["double"], doubled(expected))


def test_a_norm_in_training_returns_its_statistics():
    model = nn.BatchNorm1d(3).train()
    x = floats(5, 3)
    program = torch.export.export(model, (x,))
    module = sr.compile(program, options=sr.Options(cache=False))
    held = [each.numpy().copy() for each in model.buffers()]
    names = [name for name, _ in model.named_buffers()]
    assert {*module.input_names[1:]} == {f"b_{each}" for each in names}
    states = {f"b_{name}": each for name, each in zip(names, held, strict=True)}
    y, *after = module(x.numpy(), *(states[each] for each in module.input_names[1:]))
    np.testing.assert_allclose(y, model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
    last = dict(zip(module.output_names[1:], after, strict=True))
    for name, each in model.named_buffers():
        np.testing.assert_allclose(last[f"b_{name}_out"], each.numpy(), rtol=1e-5)


class Moved(nn.Module):
    """Assigns a buffer to itself, on the device where it is."""

    def __init__(self) -> None:
        super().__init__()
        self.places: Any
        self.register_buffer("places", floats(4))

    def forward(self, x: Any) -> Any:
        """f32[n, 4] -> f32[n, 4]."""
        self.places = self.places.to(x.device)
        return x + self.places


def test_a_buffer_that_is_assigned_to_itself_is_no_state():
    model, x = Moved(), floats(3, 4)
    module = compiled(model, x)
    assert module.input_names == ("x",)
    assert module.output_names == ("output",)
    np.testing.assert_array_equal(module(x.numpy()), model(x).numpy())
