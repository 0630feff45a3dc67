"""Options are checked where they are made, and threads bounded by what there are."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.session.options import ALWAYS_GIVEN
from static_runtime.runtime.machine.thread_pool import usable_threads

from ...runtime.texts import AFFINE

WRONG: dict[str, dict[object, str]] = {
    "threads": {
        "2": "expected a whole number of threads, or None, got str '2'",
        2.0: "expected a whole number of threads, or None, got float 2.0",
        (2,): r"expected a whole number of threads, or None, got tuple \(2,\)",
        0: "expected one thread or more, got 0",
        -(2**70): f"expected one thread or more, got -{2**70}",
    },
    "planner": {
        None: "expected the name of a planner, got NoneType None",
        3: "expected the name of a planner, got int 3",
        b"naive": "expected the name of a planner, got bytes b'naive'",
        "naif": "expected a planner like naive, got naif",
    },
    "precision": {
        1: "expected a precision f32 or bf16, got 1",
        None: "expected a precision f32 or bf16, got None",
    },
    "tune": {
        "yes": "expected True or False for tune, got str 'yes'",
        1: "expected True or False for tune, got int 1",
        None: "expected True or False for tune, got NoneType None",
    },
    "bounds": {
        None: 'expected bounds such as {"batch": 64}, got NoneType None',
        (("n", 3),): 'expected bounds such as {"batch": 64}, got tuple .*',
    },
    "cache": {
        None: "expected True or False for cache, got NoneType None",
        "folder": "expected True or False for cache, got str 'folder'",
    },
}

CASES = [(name, value) for name, wrong in WRONG.items() for value in wrong]


@pytest.mark.parametrize(("name", "value"), CASES)
def test_refuses_what_is_no_option(name: str, value: object):
    with pytest.raises(sr.CompileError, match=f"^{WRONG[name][value]}$"):
        sr.Options(**{name: value})  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("value", [True, False])
def test_truth_is_no_number_of_threads(value: bool):
    with pytest.raises(sr.CompileError, match=f"or None, got bool {value}$"):
        sr.Options(threads=value)


@pytest.mark.parametrize("given", [{"threads": 2**70}, {"threads": np.int32(10**6)}])
def test_threads_are_bounded_by_what_there_are(given: Any):
    options = sr.Options(cache=False, **given)
    most = max(usable_threads(), ALWAYS_GIVEN)
    assert options.usable_threads == most
    text = AFFINE.replace("?x3xf32", "?x1003xf32").replace("3x5xf32", "1003x64xf32")
    text = text.replace("?x5xf32", "?x64xf32")
    before = threading.active_count()
    module = sr.compile(text, options=options)
    assert threading.active_count() < before + most
    x, w = np.ones((301, 1003), np.float32), np.ones((1003, 64), np.float32)
    np.testing.assert_array_equal(module(x, w), np.full((301, 64), 1003, np.float32))


@pytest.mark.parametrize("threads", range(1, ALWAYS_GIVEN + 1))
def test_a_few_threads_are_given_on_every_machine(threads: int):
    assert sr.Options(threads=threads).usable_threads == threads


def test_what_is_not_asked_for_is_what_may_run():
    assert sr.Options().usable_threads == usable_threads()


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "no options": ({"options": None}, "expected options as Options.*, got NoneType"),
    "a dictionary": ({"options": {}}, "expected options as Options.*, got dict"),
    "the class": ({"options": sr.Options}, "expected options as Options.*, got type"),
    "no target": ({"target": None}, "expected the name of a target.*, got NoneType"),
    "a number": ({"target": 3}, "expected the name of a target.*, got int 3"),
    "bytes": ({"target": b"host"}, "expected the name of a target.*, got bytes"),
    "inputs": ({"example_inputs": []}, "expected example_inputs with a torch.nn.Modul"),
    "shapes": ({"dynamic_shapes": {}}, "expected dynamic_shapes with a torch.nn.Modul"),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_refuses_other_arguments(name: str):
    given, sentence = ARGUMENTS[name]
    with pytest.raises(sr.CompileError, match=sentence):
        sr.compile(AFFINE, **given)


@pytest.mark.parametrize("model", ["a\0b.onnx", Path("a\0b.mlir"), "\ud800", "/"])
def test_names_that_no_model_has_are_refused(model: str | Path):
    got = "a folder" if model == "/" else "no such file"
    with pytest.raises(sr.CompileError, match=f"expected a model, got {got}"):
        sr.compile(model)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({3: 4}, "with the names of symbols, got int 3"),
        ({"n": 4.0}, "expected a whole number as the bound of n, got float 4.0"),
        ({"n": True}, "expected a whole number as the bound of n, got bool True"),
        ({"n": -1}, r"expected a bound of n from 0 to 2\*\*62, got -1"),
    ],
)
def test_bounds_are_whole_numbers_of_symbols(bounds: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.Options(bounds=bounds)


def test_bounds_are_part_of_the_key_and_a_copy():
    given = {"n": 4, "m": 5}
    options = sr.Options(bounds=given)
    given["n"] = 9
    assert options == sr.Options(bounds={"m": 5, "n": 4})
    assert options.key == sr.Options(bounds={"m": 5, "n": 4}).key
    assert options.key != sr.Options().key != sr.Options(bounds={"n": 4}).key
    assert hash(options) == hash(sr.Options())
