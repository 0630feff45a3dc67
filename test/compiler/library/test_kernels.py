"""
What was traced is enough for a replay to the compiler's bits, and each line of it is
needed.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from bench.selection_lines import without_one
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.compiler.library.kernels import (
    build_libraries,
    build_library,
    covered,
)
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.inputs import random_inputs
from static_runtime.runtime.library.not_selected import NotSelectedError
from static_runtime.runtime.library.selection import Selection

from ...models.stored import STORED
from ..tracing.models import BRANCH, MIXED, TURN
from .replay import EVERY, check_equal, module_of, replay

pytestmark = pytest.mark.usefixtures("runs_host")

ROOT = Path(__file__).parent.parent.parent.parent
TRAINED = sorted((ROOT / "test" / "models" / "trained").glob("*.onnx"))
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
TARGET = isa_name("host")


def traced(model: Any, *inputs: Any) -> Selection:
    """What a model executes on inputs, for the target of these tests."""
    with sr.trace() as t:
        module = sr.compile(model, target=TARGET)
        for each in inputs:
            module(*each)
    return t.selection


SMALL = [DIGITS, *(each for each in TRAINED if each.stem == "model_1")]
LARGE = [each for each in TRAINED if each not in SMALL]


@pytest.mark.sampled(every=10)
@pytest.mark.parametrize(
    "model",
    [
        STORED["deep_wide"].dynamic,
        *SMALL,
        *(pytest.param(each, marks=pytest.mark.soak) for each in LARGE),
    ],
    ids=lambda each: each.stem,
)
def test_a_trace_is_enough_for_a_replay(model: Path):
    known = sr.compile(model, target=TARGET)
    sizes = dict.fromkeys(known.program.symbols, 2)
    inputs = random_inputs(known.program, 3, sizes)
    selection = traced(model, [*inputs.values()])
    made = make_data_model(model, Options())
    for threads in (1, 2):
        module = module_of(made, selection, threads)
        check_equal(module(**inputs), known(**inputs))


@pytest.mark.full(
    beside="test_a_model_that_was_not_traced_is_refused_at_load_with_all_names"
)
@pytest.mark.parametrize("name", ["deep_wide", "mlp_small"])
def test_without_any_line_a_replay_says_which(name: str):
    model = STORED[name]
    inputs = model.rows(2)
    selection = traced(model.dynamic, inputs)
    made = make_data_model(model.dynamic, Options())
    wanted = module_of(made, selection)(*inputs)
    removed = list(without_one(selection))
    for line, less in removed:
        with pytest.raises(NotSelectedError) as told:
            module_of(made, less)(*inputs)
        assert line in str(told.value)
        assert str(told.value).splitlines()[-1].count("{" if "{" in line else line) >= 1
    assert len(removed) > 8
    check_equal(module_of(made, selection)(*inputs), wanted)


def test_what_a_run_does_not_come_to_may_be_missing():
    x = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)
    module = replay(BRANCH, traced(BRANCH, (True, x)))
    known = sr.compile(BRANCH, target=TARGET)
    check_equal(module(True, x), known(True, x))
    with pytest.raises(NotSelectedError, match="for kernel tag tanh") as told:
        module(False, x)
    assert "in graph.tanh" in str(told.value.__notes__)
    check_equal(module(True, x), known(True, x))


def test_a_model_that_was_not_traced_is_refused_at_load_with_all_names():
    selection = traced(STORED["mlp_small"].dynamic, STORED["mlp_small"].rows(1))
    other = make_data_model(STORED["deep_wide"].dynamic, Options())
    with pytest.raises(NotSelectedError, match="Following ops cannot be found") as told:
        module_of(other, selection)
    missing = {*other.artifact.notes["needs"]["operators"]} - {*selection.operators}
    assert len(missing) > 1
    for name in missing:
        assert name in str(told.value)


def test_models_share_the_kernels_of_one_structure():
    # Batch 64 of a model, and any batch of the same: the kernels have other numbers.
    models = [
        make_data_model(each, Options())
        for each in (STORED["deep_wide"].fixed, STORED["deep_wide"].dynamic)
    ]
    one, other = (set(each.kernels) for each in models)
    assert one == other
    assert {*covered(models, EVERY)} == one


def test_kernels_of_another_structure_are_missing_by_name():
    made, other = (make_data_model(each, Options()) for each in (BRANCH, TURN))
    module = module_of(made, EVERY, 1, (other,))
    with pytest.raises(NotSelectedError, match="expected a library with the kernel"):
        module(True, np.ones((3, 4), np.float32))


def test_a_kernel_is_called_with_its_arguments_alone():
    made = make_data_model(STORED["deep_wide"].dynamic, Options())
    notes = dict(made.artifact.notes)
    notes["arguments"] = [each - 1 for each in notes["arguments"]]
    less = replace(made, artifact=replace(made.artifact, notes=notes))
    with pytest.raises(ValueError, match=r"expected \d+ arguments for the kernel"):
        module_of(less, EVERY)


def test_the_error_of_a_call_is_the_same_each_time():
    x = np.zeros((3, 4), np.float32)
    module = replay(BRANCH, traced(BRANCH, (True, x)))
    said: list[str] = []
    for _ in range(3):
        with pytest.raises(NotSelectedError) as told:
            module(False, x)
        said.append(str(told.value))
        assert len(told.value.__notes__) == 1
    assert len({*said}) == 1


def test_a_library_is_the_same_when_kernels_are_compiled_while_models_are_made():
    steps: list[tuple[str, int, int]] = []

    def progress(what: str, done: int, total: int) -> None:
        steps.append((what, done, total))

    models, options = [BRANCH, MIXED, BRANCH], Options(threads=2, cache=False)
    targets = ["x86-64-v3", "x86-64-v4"]
    kernels = covered([make_data_model(each, options) for each in models], EVERY)
    made = build_libraries(models, targets, EVERY, options, progress=progress)
    for library, target in zip(made, targets, strict=True):
        known = build_library(kernels, EVERY, target)
        assert library == known
        assert [*library.objects] == [*known.objects]
    told = [each for each in steps if each[0] == "models"]
    assert told == [("models", at, 3) for at in range(4)]
    assert ("kernels", 0, len(kernels)) in steps
