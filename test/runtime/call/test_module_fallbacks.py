"""Ops without a kernel run their reference between compiled ones, errors and all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from static_runtime.runtime.call.compiled import CompiledModule
from static_runtime.runtime.call.fallback import Reference

from ..arrangements import same
from ..texts import RUNNING, compiled

Array = npt.NDArray[Any]


def rows(count: int) -> Array:
    """Rows of three numbers; some are negative."""
    return np.arange(count * 3, dtype=np.float32).reshape(count, 3) - 4


def expected(x: Array) -> tuple[Array, Array]:
    """What the model computes."""
    result = np.cumsum(np.maximum(x, 0), 0, dtype=np.float32) * x
    return result, result.argmax(1)


def check(module: CompiledModule, x: Array) -> None:
    """Runs the model on both ways into it, and compares."""
    for argument in (x, x, np.asfortranarray(x)):
        for actual, wanted in zip(module(argument), expected(x), strict=True):
            same(actual, wanted)


@pytest.fixture
def module() -> Iterator[CompiledModule]:
    """The module, whose references a test may replace."""
    module = compiled(RUNNING)
    known = module._references  # pyright: ignore[reportPrivateUsage]
    yield module
    module._references = known  # pyright: ignore[reportPrivateUsage]


def replace(module: CompiledModule, number: int, reference: Reference) -> Reference:
    """Puts another function in the place of a reference, which is returned."""
    known = list(module._references)  # pyright: ignore[reportPrivateUsage]
    old, known[number] = known[number], reference
    module._references = tuple(known)  # pyright: ignore[reportPrivateUsage]
    return old


@pytest.mark.parametrize("count", [1, 2, 5, 0, 100])
def test_computes_between_compiled_ops(count: int):
    check(compiled(RUNNING), rows(count))


def test_sizes_take_turns():
    for count in (3, 1, 40, 3, 0, 40):
        check(compiled(RUNNING), rows(count))


def test_sizes_that_are_known():
    text = RUNNING.replace("?x3", "4x3").replace("?xi64", "4xi64")
    text = text.replace(', ["n"]>', ">")
    check(compiled(text), rows(4))


def test_a_check_of_a_fallback_op_is_an_error_of_the_call():
    text = RUNNING.replace("axis = 1 : i64, keepdims", "axis = 0 : i64, keepdims")
    text = text.replace('?xi64, ["n"]', "3xi64")
    module = compiled(text)
    same(module(rows(4))[1], expected(rows(4))[0].argmax(0))
    for _ in range(2):
        with pytest.raises(
            ValueError, match=r"graph\.argmax at model\.py:12: expected"
        ):
            module(rows(0))


class Broken(Exception):
    """What the references of these tests raise."""


@pytest.mark.parametrize(
    "error", [Broken("no luck"), KeyboardInterrupt(), MemoryError()]
)
@pytest.mark.parametrize(
    ("number", "note"),
    [(0, "in graph.cumsum at total"), (1, "in graph.argmax at model.py:12")],
)
def test_an_exception_comes_out_of_the_call(
    module: CompiledModule, error: BaseException, number: int, note: str
):
    calls = 0

    def fail(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        nonlocal calls
        calls += 1
        raise type(error)(*error.args)

    old = replace(module, number, fail)
    for x in (rows(3), rows(3), rows(3).tolist(), rows(5)):
        calls = 0
        with pytest.raises(type(error)) as raised:
            module(x)
        assert raised.value.args == error.args
        assert raised.value.__notes__ == [note]
        assert calls == 1
    replace(module, number, old)
    check(module, rows(3))


def test_an_exception_of_one_call_is_forgotten_by_the_next(module: CompiledModule):
    tries = 0

    def fail_once(
        arrays: Sequence[Array], symbols: Mapping[str, int]
    ) -> Sequence[Array]:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise Broken
        return old(arrays, symbols)

    module(rows(3))
    old = replace(module, 0, fail_once)
    with pytest.raises(Broken):
        module(rows(3))
    check(module, rows(3))
    assert module.context.error is None


def answer(result: Any) -> Reference:
    """A reference with always the same result."""

    def run(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        return result

    return run


def zeros(shape: tuple[int, ...], dtype: str = "float32") -> list[Array]:
    """One result of a shape and dtype."""
    return [np.zeros(shape, dtype)]


@pytest.mark.parametrize(
    ("result", "kind", "message"),
    [
        (zeros((1, 3)), ValueError, r"float32\[2, 3\], got float32\[1, 3\]"),
        (zeros((3, 2)), ValueError, r"float32\[2, 3\], got float32\[3, 2\]"),
        (zeros(()), ValueError, r"float32\[2, 3\], got float32\[\]"),
        (zeros((2, 3), "f8"), ValueError, r"got float64\[2, 3\]"),
        (zeros((2, 3), ">f4"), ValueError, r"got >f4\[2, 3\]"),
        ([], ValueError, "expected 1 results, got 0"),
        (zeros((2, 3)) * 2, ValueError, "expected 1 results, got 2"),
        (None, TypeError, "NoneType"),
    ],
)
def test_a_result_of_another_kind_is_an_error(
    module: CompiledModule, result: Any, kind: type[Exception], message: str
):
    old = replace(module, 0, answer(result))
    for _ in range(2):
        with pytest.raises(kind, match=message) as error:
            module(rows(2))
        assert error.value.__notes__ == ["in graph.cumsum at total"]
    replace(module, 0, old)
    check(module, rows(2))


def test_a_result_may_be_of_any_arrangement(module: CompiledModule):
    def reversed_twice(
        arrays: Sequence[Array], symbols: Mapping[str, int]
    ) -> Sequence[Array]:
        (result,) = old(arrays, symbols)
        return [result[::-1].copy()[::-1]]

    old = replace(module, 0, reversed_twice)
    check(module, rows(4))


def test_what_a_reference_gets_is_a_copy(module: CompiledModule):
    """So numpy never sees an element change, whoever else writes to the caller's."""
    x, wanted = rows(4), expected(rows(4))
    former = replace(module, 0, module._references[0])  # pyright: ignore[reportPrivateUsage]

    def spoils(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        results = [each.copy() for each in former(arrays, symbols)]
        assert all(each.flags.owndata for each in arrays)
        for each in arrays:
            each[...] = 7
        return results

    replace(module, 0, spoils)
    for actual, known in zip(module(x), wanted, strict=True):
        same(actual, known)
    same(x, rows(4))


def test_a_reference_is_told_of_the_sizes(module: CompiledModule):
    seen: list[tuple[Mapping[str, int], tuple[int, ...]]] = []

    def look(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        seen.append((symbols, arrays[0].shape))
        return old(arrays, symbols)

    old = replace(module, 0, look)
    for count in (2, 5, 5, 0):
        module(rows(count))
    assert seen == [({"n": n}, (n, 3)) for n in (2, 5, 5, 0)]


@pytest.mark.parametrize("depth", [1, 5])
def test_a_reference_may_call_the_module(module: CompiledModule, depth: int):
    left = depth

    def again(arrays: Sequence[Array], symbols: Mapping[str, int]) -> Sequence[Array]:
        nonlocal left
        if left > 0:
            left -= 1
            check_inner(rows(symbols["n"] + left % 2))
        return old(arrays, symbols)

    def check_inner(x: Array) -> None:
        for actual, wanted in zip(module(x), expected(x), strict=True):
            same(actual, wanted)

    old = replace(module, 0, again)
    check_inner(rows(3))
    assert left == 0
    left = depth
    check_inner(rows(3))
