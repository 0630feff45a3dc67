"""Models from torch compute, by each way in, what torch and ONNX Runtime compute."""

from __future__ import annotations

import runpy
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from .difference import Array, difference
from .stored import DIGITS, STORED

torch = pytest.importorskip("torch")
onnxruntime = pytest.importorskip("onnxruntime")
safetensors = pytest.importorskip("safetensors.torch")

from .export_onnx import export_onnx  # noqa: E402
from .torch_models import MODELS, TorchModel  # noqa: E402

pytestmark = pytest.mark.torch

TOLERANCE = 1e-5


def trained_digits() -> Any:
    """The example model with the weights that it is shipped with."""
    module = runpy.run_path(str(DIGITS / "model.py"))["Digits"]()
    module.load_state_dict(safetensors.load_file(DIGITS / "digits.safetensors"))
    return module


EVERY = {**MODELS, "digits": TorchModel(trained_digits, ((1, 8, 8),), 64, (1, 3))}
NAMES = pytest.mark.parametrize("name", EVERY)
DYNAMIC = pytest.mark.parametrize("dynamic", [False, True], ids=["fixed", "dynamic"])


@cache
def made(name: str) -> tuple[Any, tuple[Any, ...]]:
    """The module and its example inputs."""
    return EVERY[name].make()


def shapes(name: str, dynamic: bool) -> Any:
    """What `torch.export` is told of the sizes that may change."""
    return EVERY[name].dynamic_shapes() if dynamic else None


def from_module(name: str, dynamic: bool, folder: Path) -> sr.StaticModule:
    """Compiled from the module itself."""
    module, example = made(name)
    return sr.compile(
        module, example_inputs=example, dynamic_shapes=shapes(name, dynamic)
    )


def from_program(name: str, dynamic: bool, folder: Path) -> sr.StaticModule:
    """Compiled from the program that `torch.export` makes of the module."""
    module, example = made(name)
    program = torch.export.export(module, example, dynamic_shapes=shapes(name, dynamic))
    return sr.compile(program)


def from_onnx(name: str, dynamic: bool, folder: Path) -> sr.StaticModule:
    """Compiled from the ONNX file that torch writes of the module."""
    module, example = made(name)
    export_onnx(module, example, folder / "model.onnx", dynamic=dynamic)
    return sr.compile(folder / "model.onnx")


WAYS = pytest.mark.parametrize("way", [from_module, from_program, from_onnx])


def check(compiled: sr.StaticModule, name: str, inputs: tuple[Any, ...]) -> Array:
    """The result for `inputs`, which torch computes as well."""
    module, _ = made(name)
    with torch.inference_mode():
        expected = module(*inputs).numpy()
    actual = compiled(*(each.numpy() for each in inputs))
    assert difference(actual, expected) <= TOLERANCE
    return actual


@NAMES
@DYNAMIC
@WAYS
def test_computes_what_torch_does(way: Any, dynamic: bool, name: str, tmp_path: Path):
    compiled = way(name, dynamic, tmp_path)
    check(compiled, name, made(name)[1])
    for batch in EVERY[name].others if dynamic else ():
        check(compiled, name, EVERY[name].inputs(batch))


@NAMES
@DYNAMIC
def test_every_way_in_computes_the_same_bits(dynamic: bool, name: str, tmp_path: Path):
    inputs = [each.numpy() for each in made(name)[1]]
    first, *others = (
        way(name, dynamic, tmp_path)(*inputs)
        for way in (from_module, from_program, from_onnx)
    )
    for other in others:
        np.testing.assert_array_equal(first, other)


@NAMES
def test_computes_what_onnx_runtime_does(name: str, tmp_path: Path):
    compiled = from_onnx(name, True, tmp_path)
    session = onnxruntime.InferenceSession(
        tmp_path / "model.onnx", providers=["CPUExecutionProvider"]
    )
    for batch in (EVERY[name].batch, *EVERY[name].others):
        inputs = [each.numpy() for each in EVERY[name].inputs(batch)]
        named = {f"in{number}": each for number, each in enumerate(inputs)}
        (expected,) = session.run(None, named)
        assert difference(compiled(**named), expected) <= TOLERANCE


@NAMES
@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")  # of torch's own
def test_reads_what_the_newer_exporter_writes(name: str, tmp_path: Path):
    module, example = made(name)
    torch.onnx.export(
        module,
        example,
        tmp_path / "model.onnx",
        dynamic_shapes=shapes(name, True),
        external_data=False,
        verbose=False,
    )
    compiled = sr.compile(tmp_path / "model.onnx")
    for batch in (EVERY[name].batch, *EVERY[name].others):
        check(compiled, name, EVERY[name].inputs(batch))


@NAMES
def test_torch_still_computes_what_is_stored(name: str):
    stored = STORED[name]
    for batch, expected in stored.outputs.items():
        with torch.inference_mode():
            actual = made(name)[0](*map(torch.from_numpy, stored.rows(batch)))
        assert difference(actual.numpy(), expected) <= TOLERANCE


@NAMES
def test_the_module_is_left_as_it_was(name: str):
    module, example = EVERY[name].make()
    module.train()
    before = {key: value.clone() for key, value in module.state_dict().items()}
    sr.compile(module, example_inputs=example)
    assert module.training
    for key, value in module.state_dict().items():
        assert torch.equal(value, before[key])
