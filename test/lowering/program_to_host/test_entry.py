"""The entry makes an output for each, or keeps none where one lacks memory."""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import State
from static_runtime.runtime.machine.llvm_text import link_text
from static_runtime.runtime.machine.numpy_layout import has_gil

from ...runtime.texts import as_compiled

pytestmark = pytest.mark.usefixtures("runs_host")

# Makes arrays, LEFT of them, and then says that there is no memory.
MAKES_SOME = """define ptr @make(ptr %type, ptr %descriptor, i32 %rank, ptr %dims,
    ptr %strides, ptr %data, i32 %flags, ptr %object) {
  %left = load i64, ptr inttoptr (i64 LEFT to ptr)
  %rest = sub i64 %left, 1
  store i64 %rest, ptr inttoptr (i64 LEFT to ptr)
  %none = icmp eq i64 %left, 0
  br i1 %none, label %fail, label %some
fail:
  %nothing = call ptr inttoptr (i64 FAIL to ptr)()
  ret ptr %nothing
some:
  %made = call ptr inttoptr (i64 MAKE to ptr)(ptr %type, ptr %descriptor, i32 %rank,
    ptr %dims, ptr %strides, ptr %data, i32 %flags, ptr %object)
  ret ptr %made
}
"""


def scaled(count: int) -> sr.StaticModule:
    """A row times one, two and so on, each an output."""
    row, one = 'tensor<?xf32, ["n"]>', "tensor<f32>"
    lines = [
        f"  %c{at} = graph.constant dense<{at + 1}.0> : {one}\n"
        f"  %{at} = graph.mul %x, %c{at} : {row}, {one} -> {row}"
        for at in range(count)
    ]
    names = ", ".join(f"%{at}" for at in range(count))
    types = ", ".join([row] * count)
    text = (
        f"func.func @main(%x: {row}) -> ({types}) {{\n"
        + "\n".join(lines)
        + f"\n  func.return {names} : {types}\n}}"
    )
    return sr.compile(text, options=sr.Options(cache=False))


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("count", [2, 4, 5, 9])
def test_outputs_are_a_tuple_in_their_order(count: int):
    module, x = scaled(count), np.arange(7, dtype=np.float32)
    expected = [(x * (at + 1)).tolist() for at in range(count)]
    for _ in range(3):
        results: tuple[Any, ...] = module(x)
        assert type(results) is tuple
        assert [each.tolist() for each in results] == expected
        assert not any(np.shares_memory(a, b) for a, b in pairwise(results))
    out = tuple(np.empty_like(x) for _ in range(count))
    assert module(x, out=out) is out
    assert [each.tolist() for each in out] == expected


CHOSEN = """
  %bAT = graph.constant dense<AT.0> : tensor<f32>
  %iAT = graph.gt %x, %bAT : tensor<?xf32, ["n"]>, tensor<f32> -> tensor<?xi1, ["n"]>
  %jAT = graph.cast %iAT {to = i64} : tensor<?xi1, ["n"]> -> tensor<?xi64, ["n"]>
  %cAT = graph.sum %jAT {axes = array<i64: 0>, keepdims = false} :
    tensor<?xi64, ["n"]> -> tensor<i64>
  graph.define_symbol %cAT {symbol = "fAT", low = "0", high = "n"} : tensor<i64>
  %pAT = graph.nonzero %iAT {count = "fAT"} : tensor<?xi1, ["n"]> ->
    tensor<?x1xi64, ["fAT"]>
"""
"""Where numbers are above AT."""


def chosen(count: int) -> sr.StaticModule:
    """Where numbers are above none, one, two and so on, each beside the numbers."""
    lines = "".join(CHOSEN.replace("AT", str(at)) for at in range(count))
    row, names = 'tensor<?xf32, ["n"]>', [f"%p{at}, %x" for at in range(count)]
    types = [f'tensor<?x1xi64, ["f{at}"]>, {row}' for at in range(count)]
    text = (
        f"func.func @main(%x: {row}) -> ({', '.join(types)}) {{{lines}"
        f"  func.return {', '.join(names)} : {', '.join(types)}\n}}"
    )
    return sr.compile(text, options=sr.Options(cache=False))


DIFFERENCE = """
func.func @main(%x: ROW, %y: ROW, %z: ROW) -> ROW {
  %0 = graph.sub %x, %y : ROW, ROW -> ROW
  %1 = graph.mul %0, %z : ROW, ROW -> ROW
  func.return %1 : ROW
}
""".replace("ROW", 'tensor<?xf32, ["n"]>')
X, Y, Z = (np.arange(5, dtype=np.float32) * each for each in (3, 2, 1))


@pytest.mark.skipif(not has_gil(), reason="without the GIL no call takes this way")
def test_inputs_have_names():
    module = sr.compile(DIFFERENCE, options=sr.Options(cache=False))
    wanted = module(X, Y, Z).tolist()
    before = module.statistics().slow_calls
    z = "".join(["", "z"])
    out = np.empty_like(X)
    for results in (
        module(x=X, y=Y, z=Z),
        module(z=Z, y=Y, x=X),
        module(X, z=Z, y=Y),
        module(X, Y, **{z: Z}),
        module(X, Y, out=out, z=Z),
        module(out=out, z=Z, x=X, y=Y),
    ):
        assert results.tolist() == wanted
    assert module(X, out=out, y=Y, z=Z) is out
    assert module.statistics().slow_calls == before


@pytest.mark.parametrize(
    ("arguments", "named", "message"),
    [
        ((X, Y), {}, "expected 3 inputs.*, got none for z"),
        ((X,), {"z": Z}, "got none for y"),
        ((), {"x": X, "out": X}, "got none for y, z"),
        ((X, Y), {"a": Z}, "got an input called a"),
        ((X, Y, Z), {"z": Z}, "got z twice"),
        ((X, Y, Z), {"a": Z}, "got an input called a"),
        ((X, Y, Z, X), {"x": Z}, "expected 3 inputs.*, got 4"),
    ],
)
def test_names_that_are_wrong_are_told(
    arguments: tuple[Any, ...], named: dict[str, Any], message: str
):
    module = sr.compile(DIFFERENCE)
    module(X, Y, Z)
    with pytest.raises(TypeError, match=message):
        module(*arguments, **named)
    assert module(X, Y, Z).tolist() == ((X - Y) * Z).tolist()


class Text(str):
    """A text that equals nothing, and says so with an error."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("nothing is like this")


def test_a_name_that_does_not_compare_is_an_error():
    module = sr.compile(DIFFERENCE)
    with pytest.raises(RuntimeError, match="nothing is like this"):
        module(X, Y, **{Text("z"): Z})
    assert module(X, Y, Z).tolist() == ((X - Y) * Z).tolist()


def test_an_input_may_be_called_out():
    module = sr.compile(DIFFERENCE.replace("%z", "%out"))
    for _ in range(2):
        assert module(X, Y, out=Z).tolist() == ((X - Y) * Z).tolist()
        assert module(y=Y, x=X, out=Z).tolist() == ((X - Y) * Z).tolist()


@pytest.mark.skipif(not has_gil(), reason="without the GIL no call takes this way")
@pytest.mark.parametrize("count", [1, 3])
def test_shapes_that_a_run_defines_are_made_after_it(count: int):
    module = chosen(count)
    kept: list[tuple[Any, list[Any]]] = []
    for numbers in ([0, 1, 2, 3, 4], [-1, -2], [9, 9, 9], [], [3, 0, 1, 1, 2]):
        x = np.array(numbers, np.float32)
        module(x)
        slow = module.statistics().slow_calls
        expected: list[Any] = []
        for at in range(count):
            expected += [np.argwhere(x > at), x]
        kept.append((module(x), expected))
        assert module.statistics().slow_calls == slow
    for results, expected in kept:
        for result, right in zip(results, expected, strict=True):
            assert result.dtype == right.dtype
            assert result.shape == right.shape
            assert result.flags.owndata
            assert result.tolist() == right.tolist()


@pytest.mark.skipif(not has_gil(), reason="without the GIL no call takes this way")
@pytest.mark.parametrize(
    ("make", "count"), [(scaled, 1), (scaled, 3), (scaled, 6), (chosen, 3)]
)
def test_a_call_without_memory_for_an_output_is_left_to_python(
    make: Callable[[int], sr.StaticModule], count: int
):
    module, x = make(count), np.arange(7, dtype=np.float32)
    arrays = count
    module(x)
    if make is chosen:
        # One more for each that is made flat.
        count, arrays = 2 * count, 3 * count
    code = as_compiled(module)._code  # pyright: ignore[reportPrivateUsage]
    left = ctypes.c_int64()
    text = MAKES_SOME.replace("LEFT", str(ctypes.addressof(left)))
    text = text.replace("MAKE to", f"{code.state[State.NEW]} to")
    fails = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value
    image = link_text(text.replace("FAIL to", f"{fails} to"), ["make"])
    before = int(code.state[State.NEW])
    for number in range(arrays):
        left.value = number
        users = sys.getrefcount(x.dtype)
        code.state[State.NEW] = image["make"]
        try:
            slow = module.statistics().slow_calls
            assert len(module(x) if count > 1 else [module(x)]) == count
            assert module.statistics().slow_calls == slow + 1
        finally:
            code.state[State.NEW] = before
        # Each array that was made had one; what fails above does not let go of its own,
        # where dtypes are counted.
        more = sys.getrefcount(x.dtype) - users
        assert more in (0, 1)
        assert left.value == -1
        # The context that the call had borrowed is there for the next.
        context = code.borrow()
        assert context is not None
        code.give_back(context)
        assert len(module(x) if count > 1 else [module(x)]) == count
