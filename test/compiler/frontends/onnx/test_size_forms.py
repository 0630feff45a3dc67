"""Models that compute with sizes run as in ONNX's evaluator, or say why they do not."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr
from static_runtime.compiler.session.given import Given

from .interpreter import Array, read
from .size_forms import FORMS, SQUEEZE, WIDTH, Form

ONE_AXIS = f"{WIDTH} e = Equal(c, s1) r = If<{SQUEEZE}>(e) y = Neg(r)"


def judged(
    form: Form, sizes: Mapping[str, int], inputs: Mapping[str, Array]
) -> Sequence[Array]:
    """What another computes: ONNX's evaluator, or the references of known sizes."""
    if form.evaluator_errs or "Unknown" in form.text:
        return read(form.fixed(sizes)).run(*inputs.values())
    return ReferenceEvaluator(form.model).run(None, dict(inputs))


@pytest.mark.sampled(every=17, start=1)
@pytest.mark.parametrize("name", FORMS)
def test_runs_as_in_the_evaluator(name: str):
    form = FORMS[name]
    module = sr.compile(form.model, options=sr.Options(cache=False))
    ran = 0
    for sizes, inputs in form.runs():
        if form.is_refused(sizes):
            with pytest.raises(ValueError, match="expected") as error:
                module(**inputs)
            assert re.search(form.message, str(error.value)), error.value
            continue
        got = module(**inputs)
        try:
            (wanted,) = judged(form, sizes, inputs)
        except (ValueError, RuntimeError):
            continue  # the evaluator has no stacks of nothing
        assert (got.dtype, got.shape) == (wanted.dtype, np.shape(wanted)), sizes
        np.testing.assert_allclose(got, wanted, 1e-5, 1e-5)
        ran += 1
    assert ran >= 3


def test_a_size_that_a_constant_shows_decides():
    text = f"float[n,m] x, float[m] w | {ONE_AXIS}"
    for size, wanted in ((1, ("n",)), (4, ("n", "4"))):
        given = Given(constants={"w": np.ones(size, np.float32)})
        graph = read(Form(text).model, given)
        assert graph.shapes() == [wanted]


def test_what_is_refused_is_told_of_the_likely_branch():
    form = Form(f"float[n,m] x | {ONE_AXIS.replace('Neg(r)', 'Unknown(r)')}")
    with pytest.raises(sr.CompileError, match="Unknown"):
        sr.compile(form.model, options=sr.Options(cache=False))
