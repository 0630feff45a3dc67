"""What lanes read apart is read in squares, of all sizes and types, to the bit."""

from __future__ import annotations

from functools import cache
from itertools import permutations
from typing import Any, TypeAlias

import numpy as np
import pytest
from xdsl.parser import Parser

import static_runtime as sr
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.loop.target import target_of
from static_runtime.lowering.llvm_to_object import assembly, machine_of
from static_runtime.lowering.loop_to_llvm import lower_kernels

from ...listing import loops

Array: TypeAlias = np.ndarray[Any, Any]

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i64": np.int64,
    "i32": np.int32,
    "si8": np.int8,
    "ui8": np.uint8,
    "i1": np.bool_,
}

SIDES = (1, 3, 4, 7, 8, 15, 16, 17, 20, 31, 33, 40)
"""Squares of each side, parts of them, and what is in none."""


def numbers(shape: tuple[int, ...], type: str = "f32") -> Array:
    """As many different numbers as a type has."""
    return np.arange(np.prod(shape)).reshape(shape).astype(TYPES[type])


def permuted(type: str, sizes: list[str], order: tuple[int, ...]) -> str:
    """A model that moves the axes of a tensor, whose sizes are numbers or symbols."""

    def tensor(sizes: list[str]) -> str:
        shape = "x".join(each if each.isdigit() else "?" for each in sizes)
        symbols = ", ".join(f'"{each}"' for each in sizes if not each.isdigit())
        return f"tensor<{shape}x{type}{f', [{symbols}]' if symbols else ''}>"

    to = [sizes[each] for each in order]
    numbers = ", ".join(map(str, order))
    return f"""
func.func @main(%x: {tensor(sizes)}) -> {tensor(to)} {{
  %0 = graph.permute %x {{order = array<i64: {numbers}>}}
    : {tensor(sizes)} -> {tensor(to)}
  return %0 : {tensor(to)}
}}
"""


@cache
def compiled(text: str, threads: int = 1) -> sr.StaticModule:
    """A model, compiled for some threads."""
    return sr.compile(text, options=sr.Options(cache=False, threads=threads))


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("type", TYPES)
@pytest.mark.parametrize("sizes", [(40, 24), (33, 20), (7, 50)])
def test_a_transpose_of_each_type_is_that_of_numpy(type: str, sizes: tuple[int, int]):
    x = numbers(sizes, type)
    module = compiled(permuted(type, [*map(str, sizes)], (1, 0)))
    np.testing.assert_array_equal(module(x), x.T)


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("threads", [1, 2])
def test_a_transpose_of_open_sizes_is_that_of_numpy(threads: int):
    module = compiled(permuted("f32", ["n", "m"], (1, 0)), threads)
    for n in (*SIDES, 0, 300):
        for m in SIDES:
            x = numbers((n, m))
            np.testing.assert_array_equal(module(x), x.T)


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("order", [*permutations(range(3))])
@pytest.mark.parametrize("sizes", [(20, 17, 36), (8, 100, 33)])
def test_axes_move_in_any_order(order: tuple[int, ...], sizes: tuple[int, ...]):
    x = numbers(sizes)
    module = compiled(permuted("f32", [*map(str, sizes)], order))
    np.testing.assert_array_equal(module(x), x.transpose(order))


@pytest.mark.sampled(every=3)
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("size", SIDES)
def test_what_lies_along_each_of_both_loops_meets(size: int):
    a, b, row = f"tensor<{size}x37xf32>", f"tensor<37x{size}xf32>", "tensor<37x1xf32>"
    module = compiled(
        f"""
func.func @main(%x: {a}, %y: {b}, %z: {row}) -> {b} {{
  %0 = graph.permute %x {{order = array<i64: 1, 0>}} : {a} -> {b}
  %1 = graph.mul %0, %y : {b}, {b} -> {b}
  %2 = graph.add %1, %z : {b}, {row} -> {b}
  return %2 : {b}
}}
"""
    )
    x, y, z = numbers((size, 37)), numbers((37, size)), numbers((37, 1))
    np.testing.assert_array_equal(module(x, y, z), x.T * y + z)


@pytest.mark.usefixtures("runs_host")
def test_threads_share_a_large_one():
    x = numbers((700, 900))
    module = compiled(permuted("f32", ["700", "900"], (1, 0)), threads=2)
    np.testing.assert_array_equal(module(x), x.T)


def test_the_loop_is_eight_loads_shuffles_and_stores():
    """Of AVX2: 24 shuffles for 8 vectors, and no load or store of one element."""
    module = Parser(context(), permuted("f32", ["64", "128"], (1, 0))).parse_module()
    Driver(context(), Options(cache=False), "x86-64-v3", None).compile(module)
    (kernel,) = lower_kernels(module).values()
    text = assembly(kernel.text, machine_of(target_of(module)))
    (loop,) = loops(text)
    words = [line.split()[0] for line in loop.splitlines()[1:]]
    moves = [each for each in words if each.startswith("vmov")]
    shuffles = [each for each in words if each[:6] in ("vshufp", "vunpck", "vinser")]
    shuffles += [each for each in words if each[:5] == "vperm"]
    # Some of the loads are operands of shuffles.
    assert set(moves) <= {"vmovups", "vmovaps", "vmovupd"}
    assert 8 <= len(moves) <= 16
    assert len(shuffles) <= 24
