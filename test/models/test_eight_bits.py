"""
Integers of few bits, or without signs, go into models and come out of them, wherever
these run.

What an op computes of them is tried with all other types (`test_every_op.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from onnx import ModelProto, numpy_helper, parser

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import (
    Network,
    make_bundle,
    write_bundle,
)
from static_runtime.compiler.compile import Compilation
from static_runtime.dialects.element_type import (
    ELEMENT_TYPES,
    ElementType,
    si8,
    si16,
    ui8,
    ui16,
    ui32,
    ui64,
)

from ..as_host import skip_unless_runs
from ..compiler.bundle.c_program import any_size_program, build, run_any_size
from ..compiler.library.replay import check_equal, replay

Array: TypeAlias = np.ndarray[Any, Any]

TARGETS = ("x86-64", "x86-64-v3", "host")
OPTIONS = sr.Options(cache=False, threads=1)
NARROW = [ELEMENT_TYPES[each] for each in (si8, ui8)]
INTEGERS = [ELEMENT_TYPES[each] for each in (si8, ui8, si16, ui16, ui32, ui64)]
OTHERS = [
    each for each in ELEMENT_TYPES.values() if not each.is_half and not each.is_stored
]

by_type = pytest.mark.parametrize("row", NARROW, ids=lambda row: str(row.type))


_BOUNDS = [sign << bits for bits in (7, 8, 15, 16, 31, 32, 63, 64) for sign in (1, -1)]


def edges(row: ElementType) -> Array:
    """Elements of a type: its limits, what is about zero and about those of others."""
    near = [0, 1, -1, 2, *(each + at for each in _BOUNDS for at in (-2, -1, 0, 1))]
    least, most = row.limits
    if row.dtype.kind == "f":
        more = [np.nan, np.inf, -np.inf, -0.0, 0.5, 127.9, -128.9, 255.5, 3e9, -1e30]
        return np.array([*map(float, near), *more, 65535.5, 1.8e19], row.dtype)
    inside = [each for each in near if least <= each <= most]
    return np.array([*inside, int(least), int(most)], row.dtype)


def converted(array: Array, to: ElementType) -> Array:
    """The meaning of a cast: integers keep their low bits, floats saturate."""
    if array.dtype.kind != "f" or to.dtype.kind not in "iu":
        return array.astype(to.dtype)
    least, most = map(int, to.limits)
    found: list[int] = []
    for each in array.astype(np.float64):
        whole = 0 if np.isnan(each) else most if each > 0 else least
        found.append(min(max(int(each), least), most) if np.isfinite(each) else whole)
    return np.array(found, to.dtype)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_casts_to_and_from_every_type(target: str):
    pairs = [(a, b) for a in OTHERS for b in OTHERS if {a, b} & {*INTEGERS}]
    arrays = [edges(a) for a, _ in pairs]
    taken, made, ops = list[str](), list[str](), list[str]()
    for at, ((a, b), array) in enumerate(zip(pairs, arrays, strict=True)):
        x, y = (f"tensor<{len(array)}x{each.type}>" for each in (a, b))
        taken.append(f"%x{at}: {x}")
        made.append(y)
        ops.append(f"%{at} = graph.cast %x{at} {{to = {b.type}}} : {x} -> {y}\n")
    results = ", ".join(f"%{at}" for at in range(len(pairs)))
    text = f"""
func.func @main({", ".join(taken)}) -> ({", ".join(made)}) {{
  {"  ".join(ops)}
  return {results} : {", ".join(made)}
}}
"""
    skip_unless_runs(target)
    module = sr.compile(text, target=target, options=OPTIONS)
    for (a, b), array, got in zip(pairs, arrays, module(*arrays), strict=True):
        np.testing.assert_array_equal(got, converted(array, b), f"{a.type} to {b.type}")


def quantized(row: ElementType, raw: bool) -> ModelProto:
    """
    A layer with weights of bytes: what it computes of bytes, rounded to bytes; and
    bytes that are moved, compared and looked up.
    """
    kind = row.dtype.name
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 18]>
        g ({kind}[n, 40] x, int64[k] i)
            => ({kind}[n, 70] y, {kind}[m, 40] z, bool[n, 40] b, {kind}[n] t) {{
            v = Cast<to=1>(x) u = Cast<to=1>(w) s = MatMul(v, u)
            r = Mul(s, scale) y = Cast<to={row.onnx}>(r)
            g = Gather(x, i) h = Concat<axis=0>(x, g)
            p = Max(h, small) z = Min(p, large)
            b = Greater(x, small) t = ReduceMax<keepdims=0>(x, axes) }}"""
    )
    random = np.random.default_rng(0)
    least, most = row.limits
    weights = {
        "w": random.integers(int(least), int(most) + 1, (40, 70)).astype(row.dtype),
        "scale": np.array(2**-7, np.float32),
        "small": np.array(3, row.dtype),
        "large": np.array(most - 3, row.dtype),
        "axes": np.array([1]),
    }
    for name, array in weights.items():
        tensor = numpy_helper.from_array(array, name)
        if not raw and array.dtype == row.dtype:
            tensor.ClearField("raw_data")
            tensor.int32_data.extend(map(int, array.ravel()))
        model.graph.initializer.append(tensor)
    return model


def inputs(row: ElementType, n: int) -> list[Array]:
    """Inputs of that model."""
    least, most = map(int, row.limits)
    random = np.random.default_rng(n)
    x = random.integers(least, most + 1, (n, 40)).astype(row.dtype)
    return [x, np.array([0, n - 1])]


def expected(model: ModelProto, x: Array, i: Array) -> list[Array]:
    """What it computes."""
    w, scale, small, large, _ = map(numpy_helper.to_array, model.graph.initializer)
    row = next(each for each in NARROW if each.dtype == x.dtype)
    y = (x.astype(np.float64) @ w.astype(np.float64)).astype(np.float32) * scale
    z = np.clip(np.concatenate([x, x[i]]), small, large)
    flat = converted(y.ravel(), row).reshape(y.shape)
    return [flat, z, x > small, x.max(1)]


@pytest.mark.sampled(every=6)
@pytest.mark.parametrize("target", TARGETS)
@by_type
def test_a_model_of_bytes(row: ElementType, target: str):
    for raw in (True, False):
        model = quantized(row, raw)
        skip_unless_runs(target)
        module = sr.compile(model, target=target, options=OPTIONS)
        for n in (1, 3, 33):
            given = inputs(row, n)
            for got, right in zip(module(*given), expected(model, *given), strict=True):
                assert got.dtype == right.dtype
                np.testing.assert_array_equal(got, right)


@pytest.mark.full(
    beside="models/test_few_bits.py::test_a_model_as_data_has_the_same_bits"
)
@by_type
@pytest.mark.usefixtures("runs_host")
def test_a_model_of_bytes_as_data(row: ElementType):
    model = quantized(row, raw=True)
    module = sr.compile(model, options=OPTIONS)
    data = replay(model)
    for n in (1, 33):
        check_equal(data(*inputs(row, n)), module(*inputs(row, n)))


@pytest.mark.sampled(every=2)
@by_type
@pytest.mark.usefixtures("runs_host")
def test_a_model_of_bytes_from_the_cache(row: ElementType):
    model, given = quantized(row, raw=True), inputs(row, 5)
    module = sr.compile(model)
    again = sr.compile(model)
    assert again.report.warm
    check_equal(again(*given), module(*given))


@pytest.mark.sampled(every=2)
@by_type
@pytest.mark.usefixtures("runs_host")
def test_a_model_of_bytes_in_c(row: ElementType, tmp_path: Path):
    model = quantized(row, raw=True)
    module = sr.compile(model, options=OPTIONS)
    network = Network(Compilation(model, options=OPTIONS), "net")
    write_bundle(make_bundle([network]), tmp_path)
    assert row.dtype.name in (tmp_path / "net.h").read_text()
    build(tmp_path, any_size_program(module.program))
    given = inputs(row, 5)
    named = dict(zip(module.input_names, given, strict=True))
    _, found = run_any_size(tmp_path, module.program, {"n": 5, "k": 2}, named)
    assert found == [each.tobytes() for each in module(*given)]


@by_type
@pytest.mark.usefixtures("runs_host")
def test_takes_lists_and_refuses_what_is_no_byte(row: ElementType):
    module = sr.compile(
        f"func.func @main(%x: tensor<2x{row.type}>) -> tensor<2x{row.type}> {{\n"
        f"  return %x : tensor<2x{row.type}>\n}}",
        options=OPTIONS,
    )
    least, most = map(int, row.limits)
    assert module([least, most]).tolist() == [least, most]
    for beyond in (least - 1, most + 1):
        with pytest.raises(ValueError, match=f"numbers that {row.numpy} can hold"):
            module([0, beyond])
    with pytest.raises(TypeError, match=f"expected {row.numpy}, got int16"):
        module(np.zeros(2, np.int16))
