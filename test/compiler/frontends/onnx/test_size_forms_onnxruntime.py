"""Models that compute with sizes run as in ONNX Runtime."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as state

import static_runtime as sr

from .size_forms import FORMS

pytestmark = pytest.mark.torch

ERRORS: tuple[type[Exception], ...] = (
    state.Fail,
    state.InvalidArgument,
    state.RuntimeException,
)

NO_MODELS = {
    "a branch of an op that nobody has",
    "a branch that is wrong for other sizes",
    "branches of other elements",
    "conv of holes",
}
"""What ONNX Runtime does not load, or does not run."""


@pytest.mark.parametrize("name", [each for each in FORMS if each not in NO_MODELS])
def test_runs_as_in_onnx_runtime(name: str):
    form = FORMS[name]
    module = sr.compile(form.model, options=sr.Options(cache=False))
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        form.model.SerializeToString(), settings, providers=["CPUExecutionProvider"]
    )
    ran = 0
    for sizes, inputs in form.runs():
        if form.is_refused(sizes):
            continue
        try:
            (wanted,) = session.run(None, dict(inputs))
        except ERRORS:
            continue  # such as a Reshape of nothing
        got = module(**inputs)
        assert (got.dtype, got.shape) == (wanted.dtype, np.shape(wanted)), sizes
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)
        ran += 1
    assert ran >= 3
