"""The entry makes an output for each, or keeps none where one lacks memory."""

from __future__ import annotations

import ctypes
import sys
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


@pytest.mark.skipif(not has_gil(), reason="without the GIL no call takes this way")
@pytest.mark.parametrize("count", [1, 3, 6])
def test_a_call_without_memory_for_an_output_is_left_to_python(count: int):
    module, x = scaled(count), np.arange(7, dtype=np.float32)
    module(x)
    code = as_compiled(module)._code  # pyright: ignore[reportPrivateUsage]
    left = ctypes.c_int64()
    text = MAKES_SOME.replace("LEFT", str(ctypes.addressof(left)))
    text = text.replace("MAKE to", f"{code.state[State.NEW]} to")
    fails = ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value
    image = link_text(text.replace("FAIL to", f"{fails} to"), ["make"])
    before = int(code.state[State.NEW])
    for number in range(count):
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
