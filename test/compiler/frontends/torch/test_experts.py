"""Mixtures of experts are products of groups, and of rows with a matrix each."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from torch import nn  # noqa: E402

import static_runtime as sr  # noqa: E402
from bench.experts import operator  # noqa: E402
from static_runtime.compiler.passes.graph.quantize_weights import (  # noqa: E402
    quantized,
)

pytestmark = pytest.mark.torch

OPTIONS = sr.Options(cache=False, threads=2)


class Experts(nn.Module):
    """Two layers of experts; each token goes to some of them, as routed."""

    def __init__(self, multiply: Any, experts: int = 6, wide: int = 48):
        super().__init__()
        self.up = torch.nn.Parameter(torch.randn(experts, 2 * wide, 32) / 6)
        self.down = torch.nn.Parameter(torch.randn(experts, 32, wide) / 7)
        self.multiply = multiply

    def forward(self, x: Any, chosen: Any, weights: Any) -> Any:
        number, each = chosen.shape
        order = torch.argsort(chosen.reshape(-1))
        rows = x[order // each]
        counts = torch.nn.functional.one_hot(chosen.reshape(-1), len(self.up)).sum(0)
        ends = counts.cumsum(0).to(torch.int32)
        up = self.multiply(rows, self.up.transpose(1, 2), ends)
        gate, value = up.chunk(2, -1)
        inner = torch.nn.functional.silu(gate) * value
        out = self.multiply(inner, self.down.transpose(1, 2), ends)
        out = out[torch.argsort(order)] * weights.reshape(-1, 1)
        return out.view(number, each, -1).sum(1)


def routed(tokens: int, kind: Any) -> tuple[Any, Any, Any]:
    """Tokens, the two experts of each, and how much each counts."""
    torch.manual_seed(tokens)
    scores = torch.rand(tokens, 6)
    weights, chosen = scores.topk(2, -1)
    return torch.randn(tokens, 32).to(kind), chosen, weights.to(kind)


def dynamic(count: int) -> list[Any]:
    """Shapes of inputs whose first axis is open."""
    return [{0: torch.export.Dim("tokens", min=2, max=500)} for _ in range(count)]


def test_experts_of_groups_of_any_size():
    model = Experts(operator()).eval().requires_grad_(False)
    given = routed(8, torch.float32)
    program = torch.export.export(model, given, dynamic_shapes=dynamic(3))
    module = sr.compile(program, options=OPTIONS)
    for tokens in (2, 3, 7, 64, 301):
        given = routed(tokens, torch.float32)
        wanted = model(*given).numpy()
        np.testing.assert_allclose(module(*given), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("weights", ["int8", "int4"])
def test_experts_of_few_bits(weights: str):
    model = Experts(operator(), wide=256).eval().requires_grad_(False)
    given = routed(8, torch.float32)
    program = torch.export.export(model, given, dynamic_shapes=dynamic(3))
    options = sr.Options(cache=False, threads=2, weights=weights)
    module = sr.compile(program, options=options)
    bits, size = int(weights.removeprefix("int")), 0
    for matrices in model.up, model.down:
        size += matrices.numel()
        for each in matrices:
            few = quantized(each.numpy().T, bits)
            assert few is not None, "its rows have groups"
            numbers = few.steps * np.repeat(
                few.scale, len(few.steps) // len(few.scale), 0
            )
            each.copy_(torch.from_numpy(numbers.T))
    # A scale in f32 for 32 steps at least.
    assert module.report.constant_bytes <= size * (bits + 1) / 8 + 1024
    for tokens in (2, 7, 64, 301):
        given = routed(tokens, torch.float32)
        wanted = model(*given).numpy()
        np.testing.assert_allclose(module(*given), wanted, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("tokens", [2, 40])
def test_experts_of_bf16_read_them_as_they_are(tokens: int):
    multiply: Any = import_module("torch.nn.functional").grouped_mm

    def grouped(rows: Any, matrices: Any, ends: Any) -> Any:
        return multiply(rows, matrices, offs=ends)

    model = Experts(grouped).to(torch.bfloat16).eval().requires_grad_(False)
    given = routed(tokens, torch.bfloat16)
    module = sr.compile(torch.export.export(model, given), options=OPTIONS)
    wanted = model(*given).float().numpy()
    got = np.asarray(module(*given), np.float32)
    np.testing.assert_allclose(got, wanted, rtol=0.03, atol=0.03)
    weights = sum(each.numel() * 2 for each in model.parameters())
    assert module.report.constant_bytes < 1.2 * weights


@pytest.mark.parametrize("ranks", [(2, 3), (3, 2), (3, 3)])
def test_groups_of_rows_of_columns_and_of_stacks(ranks: tuple[int, int]):
    multiply: Any = import_module("torch.nn.functional").grouped_mm
    torch.manual_seed(0)
    kind = torch.bfloat16
    ends = torch.tensor([8, 8, 24], dtype=torch.int32)
    a = torch.randn(24, 16) if ranks[0] == 2 else torch.randn(3, 24, 16)
    b = torch.randn(16, 24) if ranks[1] == 2 else torch.randn(3, 16, 24)
    if ranks[1] == 2:
        b = torch.randn(24, 16).t()
    given = (a.to(kind), b.to(kind), None if ranks == (3, 3) else ends)

    class Product(nn.Module):
        def forward(self, a: Any, b: Any, ends: Any) -> Any:
            return multiply(a, b, offs=ends)

    module = sr.compile(torch.export.export(Product(), given), options=OPTIONS)
    wanted = multiply(given[0], given[1], offs=given[2]).float().numpy()
    got = np.asarray(module(*[e for e in given if e is not None]), np.float32)
    np.testing.assert_allclose(got, wanted, rtol=0.02, atol=0.02)


def test_a_summed_axis_in_groups_is_refused():
    multiply: Any = import_module("torch.nn.functional").grouped_mm

    class Product(nn.Module):
        def forward(self, a: Any, b: Any, ends: Any) -> Any:
            return multiply(a, b, offs=ends)

    given = torch.randn(16, 24).bfloat16(), torch.randn(24, 16).bfloat16()
    ends = torch.tensor([8, 24], dtype=torch.int32)
    program = torch.export.export(Product(), (*given, ends))
    with pytest.raises(sr.CompileError, match="summed axis is in groups"):
        sr.compile(program, options=OPTIONS)


class Looked(nn.Module):
    """A row times the matrix of its expert, which a batched product looks up."""

    def __init__(self):
        super().__init__()
        self.matrices = torch.nn.Parameter(torch.randn(5, 40, 64))

    def forward(self, x: Any, which: Any) -> Any:
        return torch.bmm(self.matrices[which], x.unsqueeze(-1)).squeeze(-1)


def test_what_a_product_looks_up_is_not_copied():
    model = Looked().eval().requires_grad_(False)
    given = torch.randn(48, 64), torch.randint(0, 5, (48,))
    module = sr.compile(torch.export.export(model, given), options=OPTIONS)
    wanted = model(*given).numpy()
    np.testing.assert_allclose(module(*given), wanted, rtol=1e-4, atol=1e-4)
    negative = given[1] - 5
    np.testing.assert_array_equal(module(given[0], negative), module(*given))
    assert module.report.planned_bytes < model.matrices.nbytes
    with pytest.raises(IndexError, match="expected an index from -5 to 4, got 5"):
        module(given[0], torch.full((48,), 5))
