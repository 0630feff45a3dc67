"""Models with weights of bf16 compute nearly what they do in f32."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr

from .difference import difference
from .stored import STORED
from .test_trained_models import MODELS, marked, run, stored

pytest.importorskip("onnx")

TOLERANCE = 2e-2

SENSITIVE = {"basic_pitch": 0.15}
"""
What takes the logarithm of a transform of sound, whose filters are weights: rounded in
the file of the model itself, they change its results as much.
"""

REDUCED = sr.Options(cache=False, precision="bf16")


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("name", STORED)
def test_stored_models(name: str):
    model = STORED[name]
    module = sr.compile(model.dynamic, options=REDUCED)
    for batch, expected in model.outputs.items():
        assert difference(module(*model.rows(batch)), expected) <= TOLERANCE


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(each, marks=pytest.mark.soak, id=each.stem)
        if each.stem in SENSITIVE
        else marked(each)
        for each in MODELS
    ],
)
def test_trained_models(path: Path):
    inputs, outputs = stored(path, "in"), stored(path, "out")
    actual = run(sr.compile(path, options=REDUCED), inputs)
    for name, expected in outputs.items():
        limit = SENSITIVE.get(path.stem, TOLERANCE)
        assert difference(actual[name], expected) <= limit, name


def test_the_digits_are_read_as_well():
    model = STORED["digits"]
    module = sr.compile(model.dynamic, options=REDUCED)
    expected = model.outputs[model.batch].argmax(1)
    found = module(*model.inputs).argmax(1)
    assert np.mean(found == expected) > 0.99
