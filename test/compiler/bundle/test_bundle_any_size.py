"""A bundle of a model of any size computes in C what Python does, in as much memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import parser

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import (
    Bundle,
    Network,
    make_bundle,
    write_bundle,
)
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.session.options import Options
from static_runtime.runtime.call.arguments import bind_symbols

from ...models.open_models import BLOCK, CHAIN, OPSET, Array, OpenModel, several
from ...runtime.reordered_models import beams
from .c_program import SANITIZERS, any_size_program, build, run_any_size


def _image(n: int, h: int, w: int) -> list[tuple[int, ...]]:
    return [(n, 3, h, w)]


def _matrix(n: int, m: int) -> list[tuple[int, ...]]:
    return [(n, m)]


def _unknown(weights: dict[str, Array], x: Array) -> list[Array]:
    raise AssertionError("bits are compared with those of the compiled model")


IMAGE = OpenModel(
    """g (float[n, 3, h, w] x) => (float[n, 8, p, q] y, float[n, 5] z) {
        a = Conv<kernel_shape=[3, 3], pads=[1, 1, 1, 1]>(x, k)
        b = Relu(a)
        y = MaxPool<kernel_shape=[2, 2], strides=[2, 2]>(b)
        c = GlobalAveragePool(y)
        d = Flatten(c)
        z = MatMul(d, v) }""",
    _image,
    _unknown,
    {
        "k": np.random.default_rng(0).standard_normal((8, 3, 3, 3), np.float32),
        "v": np.random.default_rng(1).standard_normal((8, 5), np.float32),
    },
)
"""A convolution over images of any size."""

ORDERS = OpenModel(
    """g (float[n, m] x)
        => (float[n, 3] y, int64[n, 3] i, float[n, m] z, int64[n, m] j) {
        y, i = TopK(x, k)
        s = Shape<start=1>(x)
        z, j = TopK<largest=0>(x, s) }""",
    _matrix,
    _unknown,
    {"k": np.array([3])},
)
"""The first of rows of any size, and all of them in order."""

CASES = {
    "texts": (BLOCK, [(1, 1), (3, 7), (17, 33), (2, 0), (0, 5), (17, 130)]),
    "chain": (
        CHAIN,
        [(1, 1, 1, 1), (3, 1, 2, 2), (17, 5, 3, 4), (4, 9, 0, 7), (64, 40, 65, 40)],
    ),
    "orders": (ORDERS, [(1, 3), (3, 24), (5, 25), (0, 7), (17, 1001)]),
    "images": (IMAGE, [(1, 8, 8), (3, 17, 31), (17, 33, 9), (2, 64, 65)]),
}
"""Models, and sizes of calls."""

LIMITED = """
builtin.module {
  func.func @main(%x: tensor<?x4xf32, ["n"]>, %y: tensor<?x4xf32, ["2 * n - 3"]>)
      -> (tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["2 * n - 3"]>) {
    %0 = "graph.tanh"(%x)
      : (tensor<?x4xf32, ["n"]>) -> tensor<?x4xf32, ["n"]>
    %1 = "graph.relu"(%y)
      : (tensor<?x4xf32, ["2 * n - 3"]>) -> tensor<?x4xf32, ["2 * n - 3"]>
    func.return %0, %1 : tensor<?x4xf32, ["n"]>, tensor<?x4xf32, ["2 * n - 3"]>
  }
}
"""


def built() -> Iterator[Any]:
    """
    Each model by itself, in `make test` the small ones, and one with each sanitizer; in
    `make soak` all with all.
    """
    for name, flags in product(CASES, SANITIZERS):
        is_later = flags and name != "texts"
        marks = [pytest.mark.soak] if is_later else []
        if name in ("texts", "images", "orders"):
            marks.append(pytest.mark.full)
        yield pytest.param(name, flags, marks=marks, id=f"{name}{''.join(flags)}")


@cache
def made(model: Any) -> tuple[Bundle, sr.StaticModule]:
    """The bundle `net` of a model, and the compiled model."""
    options = Options(cache=False, threads=1)
    compilation = Compilation(model, options=options)
    bundle = make_bundle([Network(compilation, "net")])
    return bundle, sr.compile(model, options=options)


def written(folder: Path, model: Any) -> sr.StaticModule:
    """The compiled model, whose bundle `net` the folder has."""
    bundle, module = made(model)
    write_bundle(bundle, folder)
    return module


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize(("name", "flags"), [*built()])
def test_each_size_has_the_bits_of_python(
    tmp_path: Path, name: str, flags: Sequence[str]
):
    model, sizes = CASES[name]
    module = written(tmp_path, model.model)
    program = module.program
    build(tmp_path, any_size_program(program), *flags)
    random = np.random.default_rng(0)
    forks = 0
    for each in sizes:
        inputs = model.inputs(random, *each)
        named = {i.name: x for i, x in zip(program.inputs, inputs, strict=True)}
        symbols = bind_symbols(program, inputs)
        expected = [each.tobytes() for each in several(module(*inputs))]
        for threads in (0, 4):
            told, found = run_any_size(tmp_path, program, symbols, named, threads)
            assert found == expected
            assert int(told[0]) == module.context.plans.plan_for(symbols).size
            forks += int(told[1])
            assert threads or told[1] == "0"
    assert forks


@pytest.mark.usefixtures("runs_host")
def test_sizes_that_the_model_cannot_take_are_refused(tmp_path: Path):
    program = written(tmp_path, LIMITED).program
    build(tmp_path, any_size_program(program), "-fsanitize=address,undefined")
    header = (tmp_path / "net.h").read_text()
    for value, message in (
        (-1, "expected n of 0 or more"),
        (-(2**63), "expected n of 0 or more"),
        (1, "expected inputs and outputs without negative sizes"),
        (2**60, "expected sizes whose products stay below 2**62 bytes"),
        (2**63 - 1, "expected sizes whose products stay below 2**62 bytes"),
    ):
        told, _ = run_any_size(tmp_path, program, {"n": value}, {})
        assert told[0] == "refused"
        assert f"   {told[1]}: {message}" in header
    x, y = np.ones((2, 4), np.float32), np.ones((1, 4), np.float32)
    _, found = run_any_size(tmp_path, program, {"n": 2}, {"x": x, "y": y})
    assert found[1] == y.tobytes()


@pytest.mark.usefixtures("runs_host")
def test_sizes_keep_to_the_checks_of_the_model(tmp_path: Path):
    text = f"""{OPSET}
    g (float[a, b] x) => (float[3, c] y) <int64[2] s = {{3, -1}}>
    {{ y = Reshape(x, s) }}"""
    program = written(tmp_path, parser.parse_model(text).SerializeToString()).program
    assert program.checks
    build(tmp_path, any_size_program(program), "-fsanitize=address,undefined")
    for a, b in ((1, 4), (2, 2), (5, 1)):
        told, _ = run_any_size(tmp_path, program, {"a": a, "b": b}, {})
        assert told[0] == "refused"
    x = np.arange(12, dtype=np.float32)
    _, found = run_any_size(tmp_path, program, {"a": 2, "b": 6}, {"x": x})
    assert found == [x.tobytes()]


@pytest.mark.usefixtures("runs_host")
def test_indices_in_order_are_skipped_by_as_in_python(tmp_path: Path):
    module = written(tmp_path, beams("i64", "m"))
    program = module.program
    assert program.skips
    build(tmp_path, any_size_program(program), "-fsanitize=address,undefined")
    random = np.random.default_rng(0)
    k, w = (random.standard_normal(s, np.float32) for s in ((4, 2, 64), (64, 8)))
    for rows in ([0, 1, 2, 3], [0, 1, 3, 2], [0, 1, 2], [-4, 1, 2, 3], []):
        inputs = k, np.array(rows, np.int64), w
        named = {i.name: x for i, x in zip(program.inputs, inputs, strict=True)}
        symbols = bind_symbols(program, inputs)
        _, found = run_any_size(tmp_path, program, symbols, named, 4)
        assert found == [module(*inputs).tobytes()]
        skipped = len(module.statistics().skipped)
        assert skipped == (rows == [0, 1, 2, 3])
