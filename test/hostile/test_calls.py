"""A call with anything at all gives numpy's answer, or an error that says why not."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ..runtime.texts import AFFINE, DOUBLE, PARTS, RUNNING, WORDS, compiled
from .odd import ODD, Lying, LyingTensor
from .results import Array, arrays_of

CALLS = 60
"""Of each module, in every run of the tests."""

SAID = "xpected"


@dataclass(frozen=True)
class Subject:
    """A model, arguments that it takes, and what numpy makes of them."""

    text: str
    inputs: Callable[[Random], list[Array]]
    compute: Callable[..., tuple[Any, ...]]

    @property
    def module(self) -> sr.StaticModule:
        """The compiled model."""
        return compiled(self.text)


def floats(random: Random, *shape: int) -> Array:
    """Numbers that are the same for the same seed."""
    numbers = np.random.default_rng(random.randrange(2**32))
    return numbers.standard_normal(shape).astype(np.float32)


def running(x: Array) -> tuple[Array, ...]:
    """What `RUNNING` computes."""
    y = np.cumsum(np.maximum(x, 0), 0) * x
    return y, np.argmax(y, 1)


def affine(x: Array, w: Array) -> tuple[Array, ...]:
    """What `AFFINE` computes."""
    return (np.maximum(x @ w, 0),)


def double(x: Array) -> tuple[Array, ...]:
    """What `DOUBLE` computes."""
    return (x + x,)


def parts(x: Array) -> tuple[Array, ...]:
    """What `PARTS` computes."""
    return -x, np.abs(x)


def words(table: Array, i: Array) -> tuple[Array, ...]:
    """What `WORDS` computes."""
    return (table[i],)


SUBJECTS = {
    "affine": Subject(
        AFFINE, lambda random: [floats(random, 2, 3), floats(random, 3, 5)], affine
    ),
    "double": Subject(DOUBLE, lambda random: [floats(random, 2, 3)], double),
    "parts": Subject(PARTS, lambda random: [floats(random, 2, 3)], parts),
    "running": Subject(RUNNING, lambda random: [floats(random, 4, 3)], running),
    "words": Subject(
        WORDS, lambda random: [floats(random, 4, 2), np.array([0, 3, 1, 2])], words
    ),
}


def as_array(value: Any) -> Array:
    """What numpy makes of a value."""
    if isinstance(value, LyingTensor):
        return np.from_dlpack(value)
    return np.asarray(value)


def check_call(
    subject: Subject, arguments: Sequence[Any], named: dict[str, Any], what: str
) -> bool:
    """Whether a call with odd arguments was answered, as numpy does."""
    names = subject.module.input_names
    try:
        got = arrays_of(subject.module(*arguments, **named))
    except (TypeError, ValueError, IndexError):
        return False
    given = {**dict(zip(names, arguments, strict=False)), **named}
    inputs = [as_array(given[name]) for name in names]
    with np.errstate(all="ignore"):
        wanted = subject.compute(*inputs)
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(
            one, np.asarray(other, one.dtype), 1e-4, 1e-4, err_msg=what
        )
    return True


@pytest.mark.parametrize("name", SUBJECTS)
def test_odd_arguments(name: str):
    subject, answered = SUBJECTS[name], 0
    for number in range(CALLS * 2):
        random = Random(f"{name} {number}")
        arguments: list[Any] = [*subject.inputs(random)]
        place = random.randrange(len(arguments))
        make = ODD[number % len(ODD)]
        arguments[place] = make(random, arguments[place])
        named: dict[str, Any] = {}
        if random.random() < 0.3:
            named[subject.module.input_names[-1]] = arguments.pop()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            what = f"{name} {number}: {type(arguments or named)}"
            answered += check_call(subject, arguments, named, what)
    assert 0 < answered < CALLS * 2
    # It still is what it was.
    assert check_call(subject, subject.inputs(Random(0)), {}, "a plain call")


@pytest.mark.parametrize("name", SUBJECTS)
def test_odd_counts_and_names(name: str):
    subject = SUBJECTS[name]
    module, inputs = subject.module, subject.inputs(Random(0))
    first = module.input_names[0]
    calls: list[tuple[Sequence[Any], dict[str, Any]]] = [
        ([], {}),
        (inputs * 2, {}),
        (inputs * 10_000, {}),
        (inputs, {first: inputs[0]}),
        (inputs, {"": None}),
        (inputs, {"self": inputs[0]}),
        (inputs[:-1], {"ghost": inputs[-1]}),
        (inputs, {f"x{at}": 0 for at in range(5000)}),
        (inputs, {"out": inputs}),
        ([None] * len(inputs), {}),
        ([module] * len(inputs), {}),
        ([inputs] * len(inputs), {}),
    ]
    for arguments, named in calls:
        with pytest.raises((TypeError, ValueError), match=SAID):
            module(*arguments, **named)


def outputs_for(subject: Subject) -> list[Array]:
    """Arrays that the outputs of a plain call fit."""
    inputs = subject.inputs(Random(0))
    return [np.zeros_like(each) for each in arrays_of(subject.module(*inputs))]


@pytest.mark.parametrize("name", SUBJECTS)
def test_odd_outputs(name: str):
    subject = SUBJECTS[name]
    for number in range(CALLS):
        random = Random(f"{name} out {number}")
        inputs, outs = subject.inputs(random), outputs_for(subject)
        place = random.randrange(len(outs))
        odd: list[Any] = [*outs]
        odd[place] = ODD[number % len(ODD)](random, outs[place])
        out: Any = odd[0] if len(odd) == 1 else tuple(odd)
        wanted, said = arrays_of(subject.module(*inputs)), ""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                got = subject.module(*inputs, out=out)
            except (TypeError, ValueError) as error:
                said = str(error)
                got = None
        if out is None:
            continue
        if got is None:
            assert SAID in said
            continue
        assert got is out
        for one, other in zip(arrays_of(got), wanted, strict=True):
            assert type(one) is np.ndarray
            assert one.tobytes() == other.tobytes()


def test_outputs_in_the_memory_of_inputs():
    module = compiled(DOUBLE)
    for start in range(7):
        memory = np.arange(12, dtype=np.float32)
        x, out = memory[:6].reshape(2, 3), memory[start : start + 6].reshape(2, 3)
        wanted = x + x
        assert module(x, out=out) is out
        np.testing.assert_array_equal(out, wanted)


def test_an_argument_that_calls_the_module():
    module = compiled(DOUBLE)
    x = np.ones((2, 3), np.float32)
    inner = Lying(lambda: module(x))
    for _ in range(3):
        outer = inner
        inner = Lying(lambda outer=outer: module(np.asarray(outer)))
    np.testing.assert_array_equal(module(np.asarray(inner)), x * 32)

    def again() -> Any:
        return module(Lying(again))

    with pytest.raises((TypeError, ValueError, RecursionError)):
        module(Lying(again))
    np.testing.assert_array_equal(module(x), x + x)


@pytest.mark.filterwarnings("ignore:Resizing a NumPy array:DeprecationWarning")
def test_an_argument_that_changes_another():
    module = compiled(AFFINE)
    for size in (0, 1, 5):
        x = np.ones((4, 3), np.float32)
        w = np.ones((3, 5), np.float32)

        def shrink(x: Array = x, w: Array = w, size: int = size) -> Any:
            whole: Any = x
            whole.resize((size, 3), refcheck=False)
            return w

        class Tensor:
            def __dlpack__(self, **_: Any) -> Any:
                return shrink().__dlpack__()

            def __dlpack_device__(self) -> tuple[int, int]:
                return (1, 0)

        got = module(x, Tensor())
        np.testing.assert_array_equal(got, np.maximum(x @ w, 0))
