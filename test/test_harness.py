"""The harness finds each fault that it looks for, and its table has every option."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from itertools import combinations as choose
from typing import Any, cast

import numpy as np
import pytest

import static_runtime as sr

from . import harness
from .harness import (
    APART,
    OPTIONS,
    REFUSED,
    Array,
    Call,
    all_combinations,
    check,
    check_module,
    compiled_alike,
    covering,
    scope,
)
from .runtime.texts import AFFINE, PARTS, WORDS, fresh

X = np.linspace(-2, -1, 12, dtype=np.float32).reshape(4, 3)
LARGER = np.linspace(-3, -1, 27, dtype=np.float32).reshape(9, 3)
USUAL = {name: row.values[0] for name, row in OPTIONS.items()}


def test_every_option_is_in_a_table():
    """Who adds an option to `sr.Options` adds a line to `OPTIONS`, or to `APART`."""
    assert {each.name for each in fields(sr.Options)} == {*OPTIONS, *APART}
    assert not OPTIONS.keys() & APART.keys()


def test_what_a_run_may_change_is_marked_so():
    made = sr.Options()
    for name, row in OPTIONS.items():
        for value in row.values if row.of_a_run else ():
            assert getattr(made.for_a_run(sr.Options(**{name: value})), name) == value


def test_combinations_are_those_that_options_may_have():
    for each in all_combinations():
        sr.Options(**each)
    for each in REFUSED:
        with pytest.raises(sr.CompileError):
            sr.Options(**each)


@pytest.mark.parametrize("count", [2, pytest.param(3, marks=pytest.mark.full)])
def test_few_combinations_have_such_values_together(count: int):
    def together(made: Any) -> set[Any]:
        return {found for each in made for found in choose(each.items(), count)}

    assert together(covering(count)) == together(all_combinations())
    assert len(covering(count)) < len(all_combinations()) / 10


def test_models_in_a_row_have_each_two_values_together():
    kinds = {scope(each) for each in covering(2)}
    shared = [compiled_alike(number) for number, _ in enumerate(kinds)]
    found = [each for several in shared for each in several]
    assert all(each in found for each in covering(2))
    assert all(len({scope(each) for each in several}) == 1 for several in shared)


@dataclass
class Faulty:
    """A module whose calls do something else besides."""

    module: sr.StaticModule
    fault: Callable[[Faulty, Any, tuple[Array, ...]], Any]
    calls: int = 0
    held: list[Any] = field(default_factory=list[Any])

    def __getattr__(self, name: str) -> Any:
        """What a module has."""
        return getattr(self.module, name)

    def __call__(self, *inputs: Any, **named: Any) -> Any:
        """The result of the module, as the fault makes it."""
        self.calls += 1
        return self.fault(self, self.module(*inputs, **named), inputs)


def writes_to_inputs(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    for each in inputs:
        each += 1
    return result


def keeps_inputs(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    made.held += inputs
    return result


def keeps_outputs(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    made.held += result
    return result


def lends_a_context(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    pool = made.module.pool
    assert pool is not None
    made.held.append(pool.borrow())
    return result


def is_wrong_the_third_time(
    made: Faulty, result: Any, inputs: tuple[Array, ...]
) -> Any:
    return tuple(each + (made.calls == 3) for each in result)


def has_other_bits_the_third_time(
    made: Faulty, result: Any, inputs: tuple[Array, ...]
) -> Any:
    return tuple(each * np.float32(1 + 1e-6 * (made.calls == 3)) for each in result)


def is_of_another_dtype(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    return tuple(each.astype(np.float64) for each in result)


def returns_one_array_twice(
    made: Faulty, result: Any, inputs: tuple[Array, ...]
) -> Any:
    # The inputs are below zero, so that both outputs are equal.
    return result[0], result[0][:]


def changes_what_it_returned(
    made: Faulty, result: Any, inputs: tuple[Array, ...]
) -> Any:
    made.held.append(result[0].ctypes.data)
    if made.calls == 2:
        ctypes.memset(made.held[0], 0, 4)
    return result


def has_other_bits(made: Faulty, result: Any, inputs: tuple[Array, ...]) -> Any:
    for each in result:
        each *= np.float32(1 + 1e-6)
    return result


FAULTS: dict[Callable[..., Any], str] = {
    writes_to_inputs: "inputs are as they were",
    keeps_inputs: "references of inputs",
    keeps_outputs: r"manage_output_tensors.*\[\d+, \d+\]",
    lends_a_context: "a context is lent",
    is_wrong_the_third_time: "Not equal to tolerance",
    has_other_bits_the_third_time: "other bits again",
    is_of_another_dtype: "planner",
    returns_one_array_twice: "memory of output 1",
    changes_what_it_returned: "a result changed later",
}


def call(x: Array) -> Call:
    """A call of a model of two outputs, with an array of its own."""
    return Call([x.copy()], [-x, abs(x)], [0, 0])


def test_a_module_without_a_fault_passes():
    check_module(USUAL, fresh(PARTS), call(X), call(LARGER), [])


@pytest.mark.parametrize("fault", FAULTS, ids=lambda each: each.__name__)
def test_faults_are_found(fault: Callable[..., Any], monkeypatch: pytest.MonkeyPatch):
    # Nobody drops what is kept.
    monkeypatch.setattr(harness, "PATIENCE", 0)
    made = Faulty(fresh(PARTS), fault)
    with pytest.raises(AssertionError, match=FAULTS[fault]):
        check_module(USUAL, cast(Any, made), call(X), call(LARGER), [])


def test_a_call_that_should_be_refused_is_found():
    good = X.copy()
    with pytest.raises(pytest.fail.Exception, match="expected a refusal"):
        check_module(USUAL, fresh(PARTS), call(X), call(LARGER), [[good]])


def test_bits_that_depend_on_an_option_are_found(monkeypatch: pytest.MonkeyPatch):
    first, second, *_ = OPTIONS["planner"].values
    modules = {first: fresh(PARTS), second: Faulty(fresh(PARTS), has_other_bits)}

    def compile(_: str, options: sr.Options) -> Any:
        return modules[options.planner]

    monkeypatch.setattr(sr, "compile", compile)
    tried = [{**USUAL, "cache": False, "planner": each} for each in modules]
    with pytest.raises(AssertionError, match="bits of other options"):
        check(PARTS, [X], [LARGER], combinations=tried)


def test_references_that_a_run_refuses_are_found():
    table = np.eye(4, 2, dtype=np.float32)
    good, bad = [table, np.array([1, 0])], [table, np.array([1, 4])]
    check(WORDS, good, [table, np.array([3, 2, 1])], combinations=[USUAL], bad=[bad])


def test_what_is_computed_is_compared_with_references():
    w = np.ones((3, 5), np.float32)
    check(AFFINE, [X, w], [LARGER, w], combinations=[USUAL])
