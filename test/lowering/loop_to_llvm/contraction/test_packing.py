"""
Factors whose columns are apart are packed, or read, where they lie: with the bits of
the same factors that were moved first.
"""

from __future__ import annotations

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.target import TARGETS

from ....as_host import skip_unless_runs

TYPES = {
    "f32": np.float32,
    "f64": np.float64,
    "f16": np.float16,
    "i32": np.int32,
    "si8": np.int8,
}


def attention(rows: int | str, keys: int | str, k: int, type: str, moved: bool) -> str:
    """The text of `q @ k.T` of two heads, whose factors are moved by copies or not."""

    def tensor(*sizes: int | str) -> str:
        names = ", ".join(f'"{each}"' for each in sizes if isinstance(each, str))
        shape = "x".join("?" if isinstance(each, str) else f"{each}" for each in sizes)
        return f"tensor<{shape}x{type}{f', [{names}]' if names else ''}>"

    q, key = tensor(rows, 2, k), tensor(keys, 2, k)
    a, b, c = tensor(2, rows, k), tensor(2, k, keys), tensor(2, rows, keys)
    copies = f"""
      %3 = graph.copy %1 : {a} -> {a}
      %4 = graph.copy %2 : {b} -> {b}"""
    return f"""func.func @main(%q: {q}, %k: {key}) -> {c} {{
      %1 = graph.permute %q {{order = array<i64: 1, 0, 2>}} : {q} -> {a}
      %2 = graph.permute %k {{order = array<i64: 1, 2, 0>}} : {key} -> {b}
      {copies if moved else ""}
      %5 = graph.matmul {"%3, %4" if moved else "%1, %2"} : {a}, {b} -> {c}
      func.return %5 : {c}
    }}"""


def module(text: str, target: str = "host") -> sr.StaticModule:
    """A module that is not kept."""
    return sr.compile(text, target=target, options=sr.Options(cache=False))


def check(rows: int, keys: int, k: int, type: str, target: str, opens: bool) -> None:
    """Both modules have equal bits."""
    if target in TARGETS:
        skip_unless_runs(target)
    rng = np.random.default_rng(k)
    q, key = (
        (8 * rng.standard_normal((count, 2, k))).astype(TYPES[type])
        for count in (rows, keys)
    )
    sizes = ("m", "n") if opens else (rows, keys)
    one, other = (
        module(attention(*sizes, k, type, moved), target) for moved in (False, True)
    )
    np.testing.assert_array_equal(one(q, key), other(q, key))


@pytest.mark.sampled(every=23, start=17)
@pytest.mark.parametrize("opens", [False, True])
@pytest.mark.parametrize("k", [1, 3, 16, 64, 100])
@pytest.mark.parametrize(("rows", "keys"), [(1, 70), (3, 31), (40, 64), (70, 97)])
def test_moved_factors_have_the_bits_of_copies(
    rows: int, keys: int, k: int, opens: bool
):
    check(rows, keys, k, "f32", "host", opens)


@pytest.mark.sampled(every=8)
@pytest.mark.parametrize("target", ["x86-64", "x86-64-v3"])
@pytest.mark.parametrize("type", [*TYPES])
def test_so_on_other_targets_and_of_other_types(type: str, target: str):
    check(40, 71, 37, type, target, True)


@pytest.mark.parametrize("rows", [1, 40])
def test_no_kernel_moves_the_factors_of_attention(rows: int):
    made = module(attention(rows, "n", 64, "f32", False))
    assert made.report.kernels == 1
