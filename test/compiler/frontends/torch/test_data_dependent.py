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
    with pytest.raises(
        ValueError, match=rf"torch\._check.* expected .* == ({known}|1)"
    ):
        module(x, other)


class Joined(nn.Module):
    """Pads by the sum of numbers that are joined: a buffer's, two, and a size."""

    by: Any

    def __init__(self, axis: int) -> None:
        super().__init__()
        self.register_buffer("by", torch.tensor([1, 2]))
        self.axis = axis

    def forward(self, x: Any) -> Any:
        """f32[rows, columns] -> f32[rows, more]."""
        rows = torch.full((1,), 1) * x.shape[0]
        joined = torch.cat([self.by, rows, torch.stack([self.by[1], self.by[0]])])
        columns = torch.stack([joined, joined], dim=self.axis)
        return nn.functional.pad(x, (columns.sum().item(), 0))


@pytest.mark.parametrize("axis", [0, -1])
def test_joined_plain_numbers_give_a_size(axis: int):
    model, x = Joined(axis), floats(3, 4)
    module = sr.compile(model, (x,), options=sr.Options(cache=False))
    assert module(x.numpy()).tolist() == model(x).tolist()


def test_joined_open_sizes_give_a_size():
    class Counts(nn.Module):
        """The elements beside as many zeros as there are."""

        def forward(self, x: Any) -> Any:
            """f32[rows, columns] -> f32[rows, twice as many]."""
            sizes = [torch.full((), 1) * size for size in x.shape]
            both = torch.stack(sizes).prod().item() // x.shape[0]
            return nn.functional.pad(x, (both, 0))

    model, x = Counts(), floats(3, 4)
    open_sizes = {"x": {0: torch.export.Dim.AUTO, 1: torch.export.Dim.AUTO}}
    options = sr.Options(cache=False)
    module = sr.compile(model, (x,), dynamic_shapes=open_sizes, options=options)
    for shape in ((3, 4), (1, 7), (5, 1)):
        x = floats(*shape)
        assert module(x.numpy()).tolist() == model(x).tolist()


class Counted(nn.Module):
    """As many numbers as the greatest of joined tensors says, of at most 64."""

    def __init__(self, bounded: bool) -> None:
        super().__init__()
        self.bounded = bounded

    def forward(self, x: Any) -> Any:
        """f32[rows, columns] -> i64[count]."""
        joined = torch.cat([x.exp(), x * 2], dim=1)
        count = torch.ceil(joined).long().max().item()
        if self.bounded:
            torch._check(count <= 64)
        return torch.arange(count)


def test_joined_data_decide_a_size():
    model, x = Counted(bounded=True), floats(3, 4).abs()
    module = sr.compile(model, (x,), options=sr.Options(cache=False))
    for each in (x, x / 2):
        assert module(each.numpy()).tolist() == model(each).tolist()


def test_joined_data_without_a_range_are_refused():
    model, x = Counted(bounded=False), floats(3, 4)
    with pytest.raises(sr.CompileError, match="as a size it needs a range"):
        sr.compile(model, (x,), options=sr.Options(cache=False))
