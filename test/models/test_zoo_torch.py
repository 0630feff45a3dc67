"""Models of many kinds, by torch.export and by ONNX, compute what torch does."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import static_runtime as sr

from .difference import difference

torch = pytest.importorskip("torch")
pytest.importorskip("onnxscript")

from torch.utils._pytree import tree_leaves  # noqa: E402

from .zoo.models import ZOO  # noqa: E402

pytestmark = pytest.mark.torch

TOLERANCE = 1e-4

NAMES = pytest.mark.parametrize("name", ZOO)


@cache
def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    """The module, and the inputs that it is exported with."""
    return ZOO[name].make(), ZOO[name].inputs(*ZOO[name].traced)


def check(compiled: sr.StaticModule, name: str) -> None:
    """The results are near those of torch, for the sizes of the trace and others."""
    module, example = made(name)
    for inputs in (example, *(ZOO[name].inputs(*each) for each in ZOO[name].others)):
        with torch.inference_mode():
            expected = tree_leaves(module(*inputs))
        actual = tree_leaves(compiled(*(each.numpy() for each in inputs)))
        for mine, its in zip(actual, expected, strict=True):
            assert difference(mine, its.numpy()) <= TOLERANCE


@NAMES
def test_a_module_computes_what_torch_does_for_all_sizes(name: str):
    module, example = made(name)
    shapes = ZOO[name].dynamic_shapes()
    check(sr.compile(module, example, dynamic_shapes=shapes), name)


@NAMES
def test_a_module_for_one_size_computes_the_same(name: str):
    module, example = made(name)
    compiled = sr.compile(module, example)
    leaves = tree_leaves(compiled(*(each.numpy() for each in example)))
    with torch.inference_mode():
        expected = tree_leaves(module(*example))
    for mine, its in zip(leaves, expected, strict=True):
        assert difference(mine, its.numpy()) <= TOLERANCE


@NAMES
@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")  # of torch's own
def test_an_onnx_file_computes_what_torch_does_for_all_sizes(name: str, tmp_path: Path):
    module, example = made(name)
    with torch.no_grad():
        torch.onnx.export(
            module,
            example,
            tmp_path / "model.onnx",
            dynamic_shapes=ZOO[name].dynamic_shapes(),
            external_data=False,
            verbose=False,
        )
    check(sr.compile(tmp_path / "model.onnx"), name)
