"""Products of panels that the run packs have the bits of those that pack blocks."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.passes.graph import pack_operands
from static_runtime.compiler.passes.pipeline import PIPELINE
from static_runtime.dialects.loop import TargetAttr

Array: TypeAlias = np.ndarray[Any, Any]

DTYPES: dict[str, type[np.float32 | np.float64 | np.int32]] = {
    "f32": np.float32,
    "f64": np.float64,
    "i32": np.int32,
}

SIZES = (
    # Rows, columns and k: whole panels, some left, and less than one; blocks of k.
    *((200, 64, 96), (13, 70, 33), (9, 1000, 40), (40, 5, 1300), (12, 129, 700)),
)


def product(dtype: str, m: int, n: int, k: int) -> tuple[str, list[tuple[int, ...]]]:
    """A product of two inputs, with an epilogue, and the shapes of the inputs."""
    x, y, out = f"{m}x{k}x{dtype}", f"{k}x{n}x{dtype}", f"{m}x{n}x{dtype}"
    text = f"""
    func.func @main(%x: tensor<{x}>, %y: tensor<{y}>, %c: tensor<{out}>)
        -> tensor<{out}> {{
      %0 = graph.matmul %x, %y : tensor<{x}>, tensor<{y}> -> tensor<{out}>
      %1 = graph.add %0, %c : tensor<{out}>, tensor<{out}> -> tensor<{out}>
      return %1 : tensor<{out}>
    }}"""
    return text, [(m, k), (k, n), (m, n)]


def transposed(dtype: str, m: int, n: int, k: int) -> tuple[str, list[tuple[int, ...]]]:
    """A product with a transposed factor, computed before, that is an output too."""
    x, y, z, out = (f"{a}x{b}x{dtype}" for a, b in ((m, k), (n, k), (k, n), (m, n)))
    text = f"""
    func.func @main(%x: tensor<{x}>, %y: tensor<{y}>) -> (tensor<{out}>, tensor<{y}>) {{
      %0 = graph.abs %y : tensor<{y}> -> tensor<{y}>
      %1 = graph.permute %0 {{order = array<i64: 1, 0>}} : tensor<{y}> -> tensor<{z}>
      %2 = graph.matmul %x, %1 : tensor<{x}>, tensor<{z}> -> tensor<{out}>
      return %2, %0 : tensor<{out}>, tensor<{y}>
    }}"""
    return text, [(m, k), (n, k)]


def stack(dtype: str, m: int, n: int, k: int) -> tuple[str, list[tuple[int, ...]]]:
    """Products of stacked matrices, with a factor that has an axis of one besides."""
    x, y, out = f"3x1x{m}x{k}x{dtype}", f"3x1x{k}x{n}x{dtype}", f"3x1x{m}x{n}x{dtype}"
    text = f"""
    func.func @main(%x: tensor<{x}>, %y: tensor<{y}>) -> tensor<{out}> {{
      %0 = graph.matmul %x, %y : tensor<{x}>, tensor<{y}> -> tensor<{out}>
      return %0 : tensor<{out}>
    }}"""
    return text, [(3, 1, m, k), (3, 1, k, n)]


def compiled(text: str, threads: int = 1) -> sr.StaticModule:
    """A model, compiled anew."""
    return sr.compile(text, options=sr.Options(cache=False, threads=threads))


def results_of(model: sr.StaticModule, inputs: list[Array]) -> tuple[Array, ...]:
    """What a model returns, as a tuple even of one."""
    found: Array | tuple[Array, ...] = model(*inputs)
    return found if isinstance(found, tuple) else (found,)


def pack_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets every factor of a product be packed whole that may be."""

    def nothing(target: TargetAttr) -> int:
        return 0

    (packing,) = (each for each in PIPELINE if each.name == "pack-operands")
    monkeypatch.setattr(pack_operands, "_most_bytes", nothing)
    monkeypatch.setattr(packing.__init__, "__defaults__", (1,))


@pytest.mark.sampled(every=22)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("model", [product, transposed, stack])
def test_bits_do_not_depend_on_it(
    model: Any, dtype: str, sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
):
    text, shapes = model(dtype, *sizes)
    random = np.random.default_rng(0)
    inputs: list[Array] = [
        np.asarray(random.standard_normal(each) * 9, DTYPES[dtype]) for each in shapes
    ]
    plain = compiled(text)
    pack_all(monkeypatch)
    for threads in (1, 2):
        packs = compiled(text, threads)
        found = len(packs.program.calls) - len(plain.program.calls)
        assert found == 1
        results = zip(results_of(plain, inputs), results_of(packs, inputs), strict=True)
        for wanted, got in results:
            np.testing.assert_array_equal(got, wanted)
