"""Tensors that a model changes are states, whoever holds them, and how often."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402

from .case import floats  # noqa: E402

pytestmark = pytest.mark.torch


class Cache(nn.Module):
    """Keeps rows in the first tensor of a list, which may be a buffer as well."""

    def __init__(self, is_buffer: bool) -> None:
        super().__init__()
        self.kept = [torch.zeros(4, 3), torch.zeros((), dtype=torch.int64)]
        if is_buffer:
            self.register_buffer("rows", self.kept[0], persistent=False)

    def forward(self, x: Any) -> Any:
        """f32[3] -> f32[3]."""
        rows, count = self.kept
        rows.index_copy_(0, count.reshape(1), x[None])
        count.add_(1)
        return rows.sum(0) * count


def exported(model: nn.Module, *inputs: Any) -> Any:
    """The program of a model, as torch.export makes it by default."""
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.export.export(model, inputs, strict=False)


def stepped(module: Any, model: nn.Module) -> None:
    """
    Compares three calls; each has the states of the one before. The model is one that
    torch has not traced, since its tracing counts.
    """
    rows, count = np.zeros((4, 3), np.float32), np.zeros((), np.int64)
    is_first = module.input_names[1] == "b_rows"
    states: list[Any] = [rows, count] if is_first else [count, rows]
    for _ in range(3):
        x = floats(3)
        result, *states = module(x.numpy(), *states)
        np.testing.assert_allclose(result, model(x).numpy(), rtol=1e-6)


@pytest.mark.parametrize("is_buffer", [False, True])
def test_tensors_of_a_list_are_states(is_buffer: bool):
    program = exported(Cache(is_buffer), floats(3))
    before = str(program)
    module = sr.compile(program, options=sr.Options(cache=False))
    assert str(program) == before
    names = module.input_names[1:]
    assert len(names) == 2
    assert (names[0] == "b_rows") == is_buffer
    assert module.output_names[1:] == tuple(f"{name}_out" for name in names)
    stepped(module, Cache(is_buffer))


def test_those_of_a_stored_program_are_states(tmp_path: Path):
    path = tmp_path / "cache.pt2"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(exported(Cache(True), floats(3)), path)
    module = sr.compile(path, options=sr.Options(cache=False))
    stepped(module, Cache(True))


def test_a_tensor_that_is_not_changed_stays_a_constant():
    model: Any = Cache(False)
    fixed = floats(3)
    model.fixed = [fixed, fixed]

    def forward(x: Any) -> Any:
        return Cache.forward(model, x) + model.fixed[0] * model.fixed[1]

    model.forward = forward
    module = sr.compile(exported(model, floats(3)), options=sr.Options(cache=False))
    assert len(module.input_names) == 3


class Overlapping(nn.Module):
    """Changes a buffer; another one is a row of it."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.row: Any
        self.rows: Any
        self.register_buffer("row", self.rows[1])

    def forward(self, x: Any) -> Any:
        """f32[3] -> f32[3]."""
        self.rows.add_(x)
        return self.row * 2


def test_tensors_that_share_memory_in_part_are_refused():
    said = re.escape("in memory of its own, got b_rows, which shares it with b_row;")
    with pytest.raises(sr.CompileError, match=said):
        sr.compile(exported(Overlapping(), floats(3)), options=sr.Options(cache=False))
