"""Composite operators are read by name where a program is read as it was exported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402

import static_runtime as sr  # noqa: E402
from static_runtime.compiler.frontends.torch import composites  # noqa: E402
from static_runtime.compiler.frontends.torch.readers import READERS  # noqa: E402

from .case import Wrapped, arrays, floats, truths, whole  # noqa: E402

pytestmark = pytest.mark.torch

STATISTICS = torch.linspace(-1, 1, 3), torch.linspace(0.5, 2, 3)

CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "__and__.Scalar": lambda x, i, m: i & 3,
    "__and__.Tensor": lambda x, i, m: m & (x > 0.5),
    "__or__.Scalar": lambda x, i, m: i | 3,
    "__or__.Tensor": lambda x, i, m: m | (x > 0.5),
    "__xor__.Scalar": lambda x, i, m: i ^ 3,
    "__xor__.Tensor": lambda x, i, m: m ^ (x > 0.5),
    "arange.default": lambda x, i, m: x + torch.arange(4),
    "batch_norm.default": lambda x, i, m: F.batch_norm(x, *STATISTICS),
    "chunk.default": lambda x, i, m: x.chunk(2, -1),
    "contiguous.default": lambda x, i, m: x.transpose(1, 2).contiguous() + 1,
    "dropout.default": lambda x, i, m: F.dropout(x, 0.5, False) + 1,
    "empty_like.default": lambda x, i, m: torch.fill(torch.empty_like(x), 2.0),
    "expand_as.default": lambda x, i, m: x[:1, :1].expand_as(x) + x,
    "feature_dropout.default": lambda x, i, m: F.dropout2d(x[:, None], 0.5, False) + 1,
    "flatten.using_ints": lambda x, i, m: x.flatten(1) + 1,
    "masked_fill.Scalar": lambda x, i, m: x.masked_fill(m, -1.5),
    "new_ones.default": lambda x, i, m: x.new_ones(x.shape) + x,
    "new_zeros.default": lambda x, i, m: x.new_zeros(x.shape) + x,
    "reshape.default": lambda x, i, m: x.transpose(1, 2).reshape(-1, 2) + 1,
    "reshape_as.default": lambda x, i, m: i.reshape_as(x) + x,
    "to.device": lambda x, i, m: i.to("cpu", torch.float32) + x,
    "to.dtype": lambda x, i, m: x.to(torch.float64) + 1,
    "to.dtype_layout": lambda x, i, m: torch.ops.aten.to.dtype_layout(
        x * 3, dtype=torch.int64, layout=torch.strided, device="cpu"
    ),
    "type_as.default": lambda x, i, m: i.type_as(x) + x,
    "unflatten.int": lambda x, i, m: x.unflatten(-1, (2, 2)) + 1,
    "view_as.default": lambda x, i, m: i.view_as(x) + x,
    "where.ScalarOther": lambda x, i, m: torch.where(m, x, 0.25),
    "where.ScalarSelf": lambda x, i, m: torch.where(m, 0.25, x),
}
"""A function that calls each, of floats, of whole numbers and of truths."""


def given(rows: int) -> tuple[Any, Any, Any]:
    """Floats, whole numbers and truths for a number of rows."""
    return floats(rows, 3, 4), whole(rows, 3, 4), truths(rows, 3, 4)


def test_all_are_called():
    assert {f"aten.{name}" for name in CALLS} == composites.READERS.keys()


def test_none_of_them_is_kept_whole_by_the_decomposition():
    assert READERS.keys().isdisjoint(composites.READERS)


@pytest.mark.parametrize("name", CALLS)
def test_computes_what_torch_computes(name: str, monkeypatch: pytest.MonkeyPatch):
    dim = torch.export.Dim("rows", min=2, max=64)
    program = torch.export.export(
        Wrapped(CALLS[name]), given(4), dynamic_shapes=(({0: dim},) * 3,)
    )
    called = {str(each.target) for each in program.graph.nodes}
    assert f"aten.{name}" in called
    monkeypatch.setattr(torch.export.ExportedProgram, "run_decompositions", None)
    module = sr.compile(program, options=sr.Options(cache=False))
    for rows in (4, 7):
        arguments = given(rows)
        results = arrays(module(*(each.numpy() for each in arguments)))
        wanted = arrays(CALLS[name](*arguments))
        for mine, its in zip(results, wanted, strict=True):
            assert mine.dtype == its.dtype
            np.testing.assert_allclose(mine, its, rtol=1e-5, atol=1e-6)


def test_a_normalization_in_training_is_not_read_as_one_in_inference():
    def function(x: Any) -> Any:
        return F.batch_norm(x, None, None, training=True)

    program = torch.export.export(Wrapped(function), (floats(4, 3, 5),))
    module = sr.compile(program, options=sr.Options(cache=False))
    x = floats(4, 3, 5)
    wanted = function(x).numpy()
    np.testing.assert_allclose(module(x.numpy()), wanted, rtol=1e-4, atol=1e-5)


def test_elements_dropped_in_training_are_refused():
    program = torch.export.export(
        Wrapped(lambda x: F.dropout(x, 0.5, True)), (floats(4, 3),)
    )
    with pytest.raises(sr.CompileError, match="as in training"):
        sr.compile(program, options=sr.Options(cache=False))
