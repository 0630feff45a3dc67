"""Every model that the benchmarks time computes what torch does, by each way in."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

import static_runtime as sr

from .difference import difference

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from .torch_models import SUITE, export_onnx  # noqa: E402

pytestmark = pytest.mark.torch

TOLERANCE = 1e-4

OTHER = 3
"""A number of rows that no model is measured or traced with."""

NAMES = pytest.mark.parametrize("name", SUITE)

LONG = ("resnet50", "bert_base")
"""Models that take long to compile: for one batch only in `make soak`."""

FEWER = pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.soak] if name in LONG else [])
        for name in SUITE
    ],
)


@cache
def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    """The module and the inputs that are measured."""
    return SUITE[name].make()


def check(compiled: sr.StaticModule, name: str, inputs: tuple[Any, ...]) -> None:
    """The result for `inputs` is near that of torch."""
    with torch.inference_mode():
        expected = made(name)[0](*inputs).numpy()
    actual = compiled(*(each.numpy() for each in inputs))
    assert difference(actual, expected) <= TOLERANCE


@NAMES
def test_a_module_computes_what_torch_does_for_every_batch(name: str):
    model, (module, inputs) = SUITE[name], made(name)
    compiled = sr.compile(
        module, model.example(), dynamic_shapes=model.dynamic_shapes()
    )
    check(compiled, name, inputs)
    check(compiled, name, model.rows(OTHER))


@NAMES
def test_an_onnx_file_computes_what_torch_does_for_every_batch(
    name: str, tmp_path: Path
):
    export_onnx(SUITE[name], tmp_path / "model.onnx", dynamic=True)
    compiled = sr.compile(tmp_path / "model.onnx")
    check(compiled, name, made(name)[1])
    check(compiled, name, SUITE[name].rows(OTHER))


@FEWER
def test_an_onnx_file_for_one_batch_computes_what_torch_does(name: str, tmp_path: Path):
    export_onnx(SUITE[name], tmp_path / "model.onnx", dynamic=False)
    check(sr.compile(tmp_path / "model.onnx"), name, made(name)[1])
