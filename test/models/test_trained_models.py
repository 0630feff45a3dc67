"""Trained models compute what ONNX Runtime computed when their results were stored."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from .difference import Array, difference

pytest.importorskip("onnx")

FOLDER = Path(__file__).parent / "trained"

TOLERANCE = 1e-4

MODELS = sorted(FOLDER.glob("*.onnx"))

SMALL = ("model_1",)
"""Those that each run of the tests has; the code of the others takes seconds."""


def marked(path: Path) -> Any:
    """A model as a case."""
    marks = () if path.stem in SMALL else pytest.mark.full
    return pytest.param(path, marks=marks, id=path.stem)


def stored(path: Path, kind: str) -> dict[str, Array]:
    """The inputs or outputs, `in` or `out`, that are stored with a model, by name."""
    with np.load(path.with_suffix(".npz")) as arrays:
        return {
            name.removeprefix(f"{kind}:"): arrays[name]
            for name in arrays.files
            if name.startswith(f"{kind}:")
        }


def run(module: sr.StaticModule, inputs: dict[str, Array]) -> dict[str, Any]:
    """The outputs by name."""
    result = module(**inputs)
    return dict(zip(module.output_names, result, strict=True))


@pytest.mark.parametrize("path", [*map(marked, MODELS)])
def test_computes_what_is_stored(path: Path):
    inputs, outputs = stored(path, "in"), stored(path, "out")
    # Not kept: the code of these models is more than that of all other tests.
    module = sr.compile(path, options=sr.Options(cache=False))
    assert set(module.input_names) == set(inputs)
    actual = run(module, inputs)
    assert set(actual) == set(outputs)
    for name, expected in outputs.items():
        assert difference(actual[name], expected) <= TOLERANCE, name
