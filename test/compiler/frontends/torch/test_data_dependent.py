"""Sizes that a model computes by tensors from sizes, and from numbers that it holds."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import Wrapped, floats  # noqa: E402

pytestmark = pytest.mark.torch


class Padded(nn.Module):
    """Pads to whole frames, whose number buffers and the length give by floats."""

    kernel: Any
    stride: Any

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.register_buffer("kernel", torch.tensor(5))
        self.register_buffer("stride", torch.tensor(3, dtype=dtype))

    def forward(self, x: Any) -> Any:
        """f32[rows, length] -> f32[rows, more]."""
        length = x.shape[-1]
        frames = torch.ceil((length - self.kernel) / self.stride + 1).to(torch.int64)
        more = (frames - 1) * 3 + self.kernel - length
        return nn.functional.pad(x, (2, more))


@pytest.mark.parametrize("length", [16, 17])
@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.float64])
def test_plain_numbers_give_a_size_by_floats(dtype: Any, length: int):
    model, x = Padded(dtype), floats(2, length)
    module = sr.compile(model, (x,), options=sr.Options(cache=False))
    result = module(x.numpy())
    assert result.tolist() == model(x).tolist()


def test_half_floats_of_plain_numbers_need_a_range():
    model = Padded(torch.bfloat16)
    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        sr.compile(model, (floats(2, 16),), options=sr.Options(cache=False))


def test_a_size_by_floats_of_an_open_one_needs_a_range():
    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        sr.compile(
            Padded(torch.int64),
            (floats(2, 16),),
            dynamic_shapes={"x": {1: torch.export.Dim.AUTO}},
            options=sr.Options(cache=False),
        )


@pytest.mark.parametrize("known", [True, 3, 0, -3, 2.5])
@pytest.mark.parametrize("is_decomposed", [False, True])
def test_an_element_that_a_model_asserts_is_checked_in_each_run(
    known: float, is_decomposed: bool
):
    def times(x: Any, number: Any) -> Any:
        element = number.item()
        torch._check(element if isinstance(known, bool) else element == known)
        rows = x[x.sum(1) > 0] if is_decomposed else x  # of data, so not as exported
        return rows * known

    x, number = floats(4, 3), torch.tensor(known)
    program = torch.export.export(Wrapped(times), (x, number))
    module = sr.compile(program, options=sr.Options(cache=False))
    assert module(x, number).tolist() == times(x, number).tolist()
    other = torch.tensor(False if isinstance(known, bool) else known + 1)
    with pytest.raises(ValueError, match=rf"torch\._check.* expected .* == ({known}|1)"):
        module(x, other)
