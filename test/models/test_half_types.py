"""Floats of 16 bits go into models and come out: they have the bits of rounded f32."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, numpy_helper, parser
from xdsl.dialects.builtin import bf16, f16

import static_runtime as sr
from static_runtime.compiler.bundle.bundle import Network, make_bundle, write_bundle
from static_runtime.compiler.compile import Compilation
from static_runtime.dialects.element_type import ELEMENT_TYPES, ElementType
from static_runtime.dialects.graph.element_array import to_elements, to_numbers
from static_runtime.runtime.abi import dtype_of

from ..as_host import skip_unless_runs
from ..compiler.bundle.c_program import any_size_program, build, run_any_size
from ..compiler.library.replay import check_equal, replay
from .open_models import several

Array: TypeAlias = np.ndarray[Any, Any]

TARGETS = ("x86-64", "x86-64-v3", "host")
OPTIONS = sr.Options(cache=False, threads=1)
HALVES = [ELEMENT_TYPES[each] for each in (f16, bf16)]

by_type = pytest.mark.parametrize("row", HALVES, ids=lambda row: str(row.type))


def numbers(row: ElementType) -> Array:
    """
    Numbers as f64 about each element and about each middle between two, and at random.
    """
    every = np.arange(1 << 16, dtype=np.uint16).view(row.dtype)
    wide = to_numbers(every, row.type).astype(np.float64)
    wide = wide[np.isfinite(wide)]
    ulp = np.spacing(wide.astype(np.float32)).astype(np.float64)
    random = np.random.default_rng(0)
    spread = random.standard_normal(5000) * 10.0 ** random.integers(-50, 50, 5000)
    near = [wide, wide + ulp, wide + 2.0**-40 * ulp, (wide[1:] + wide[:-1]) / 2]
    below = near[-1] * (1 - 2.0**-45)
    edges = [np.nan, np.inf, -np.inf, 1e300, -1e-300, 65519.999, 65520.0]
    return np.concatenate([*near, below, near[-1] * (1 + 2.0**-45), spread, edges])


@pytest.mark.sampled(every=3)
@by_type
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_casts_round_once_to_the_nearest(row: ElementType, target: str):
    half, wide = numbers(row), numbers(row)
    text = """
func.func @main(%x: tensor<?xf32, ["n"]>, %y: tensor<?xf64, ["m"]>,
        %h: tensor<65536xHALF>)
    -> (tensor<?xHALF, ["n"]>, tensor<?xHALF, ["m"]>,
        tensor<65536xf32>, tensor<65536xf64>) {
  %0 = graph.cast %x {to = HALF} : tensor<?xf32, ["n"]> -> tensor<?xHALF, ["n"]>
  %1 = graph.cast %y {to = HALF} : tensor<?xf64, ["m"]> -> tensor<?xHALF, ["m"]>
  %2 = graph.cast %h {to = f32} : tensor<65536xHALF> -> tensor<65536xf32>
  %3 = graph.cast %h {to = f64} : tensor<65536xHALF> -> tensor<65536xf64>
  return %0, %1, %2, %3 : tensor<?xHALF, ["n"]>, tensor<?xHALF, ["m"]>,
      tensor<65536xf32>, tensor<65536xf64>
}
""".replace("HALF", str(row.type))
    skip_unless_runs(target)
    module = sr.compile(text, target=target, options=OPTIONS)
    every = np.arange(1 << 16, dtype=np.uint16).view(dtype_of(row.numpy))
    single = half.astype(np.float32)
    found = module(single, wide, every)
    value = to_numbers(every.view(row.dtype), row.type)
    wanted = [nearest(single, row), nearest(wide, row), value, value]
    for got, right in zip(found, wanted, strict=True):
        if got.dtype.itemsize == 2:
            got = to_numbers(got.view(row.dtype), row.type)
        np.testing.assert_array_equal(got, right)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(right))


def nearest(array: Array, row: ElementType) -> Array:
    """The nearest element to each number, found among all, of two the even one."""
    every = np.arange(1 << 15, dtype=np.uint16).view(row.dtype)
    known = to_numbers(every, row.type).astype(np.float64)
    known = known[np.isfinite(known)]
    # From the middle to what would come next on, a number is infinite.
    ends = np.append(known, 2 * known[-1] - known[-2])
    amount = np.abs(array.astype(np.float64))
    at = np.clip(np.searchsorted(ends, amount, "right") - 1, 0, len(known) - 1)
    low, high = ends[at], ends[at + 1]
    up = (amount - low > high - amount) | (
        (amount - low == high - amount) & (at % 2 == 1)
    )
    found = np.where(up, high, low)
    found = np.where(found > known[-1], np.inf, found)
    found = np.where(
        np.isinf(amount), np.inf, np.where(np.isnan(amount), np.nan, found)
    )
    return np.copysign(found, array).astype(np.float32)


def stored(
    name: str, shape: tuple[int, ...], row: ElementType, raw: bool
) -> TensorProto:
    """Numbers of a model, as bytes or as integers."""
    random = np.random.default_rng(len(name) + len(shape))
    array = to_elements(random.standard_normal(shape) / 8, row.type)
    tensor = numpy_helper.from_array(array.view(dtype_of(row.numpy)), name)
    if not raw:
        tensor.ClearField("raw_data")
        tensor.int32_data.extend(map(int, array.view(np.uint16).ravel()))
    return tensor


def network(row: ElementType, raw: bool) -> ModelProto:
    """A small network of images, of floats of 16 bits throughout."""
    kind = row.numpy
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 22]>
        g ({kind}[n, 8, 12, 12] x) => ({kind}[n, 10] y, {kind}[n, 8, 12, 12] z) {{
            a = Conv<pads = [1, 1, 1, 1]>(x, w, b) r = Relu(a) g = Gelu(r)
            z = Add(g, x) p = GlobalAveragePool(z) f = Flatten(p)
            h = Gemm<transB = 1>(f, v, c) y = Softmax(h) }}"""
    )
    shapes = {"w": (8, 8, 3, 3), "b": (8,), "v": (10, 8), "c": (10,)}
    for name, shape in shapes.items():
        model.graph.initializer.append(stored(name, shape, row, raw))
    return model


def shifted(row: ElementType, raw: bool) -> ModelProto:
    """The smallest such network: a sum with numbers that it stores."""
    kind = row.numpy
    model = parser.parse_model(
        f"""<ir_version: 10, opset_import: ["" : 22]>
        g ({kind}[n, 8, 12, 12] x) => ({kind}[n, 8, 12, 12] y) {{ y = Add(x, b) }}"""
    )
    model.graph.initializer.append(stored("b", (8, 1, 1), row, raw))
    return model


def images(row: ElementType, n: int) -> Array:
    """Inputs of that network."""
    random = np.random.default_rng(n)
    made = to_elements(random.standard_normal((n, 8, 12, 12)), row.type)
    return made.view(dtype_of(row.numpy))


@pytest.mark.sampled(every=12)
@by_type
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("raw", [True, False])
def test_a_network_has_the_bits_of_its_references(
    row: ElementType, target: str, raw: bool
):
    own = sr.Options(
        cache=False,
        enable_out_variant=False,
        optimize_memory=False,
        enable_tensorexpr_fusion=False,
    )
    model = network(row, raw)
    skip_unless_runs(target)
    module = sr.compile(model, target=target, options=OPTIONS)
    reference = sr.compile(model, options=own)
    for n in (1, 3):
        x = images(row, n)
        for got, wanted in zip(module(x), reference(x), strict=True):
            assert got.dtype == wanted.dtype == dtype_of(row.numpy)
            ours, theirs = (
                to_numbers(each.view(row.dtype), row.type) for each in (got, wanted)
            )
            # Sums in another order rarely round to a neighbour.
            ulp = 2.0**-10 if row.type == f16 else 2.0**-7
            np.testing.assert_allclose(ours, theirs, rtol=ulp, atol=1e-4)
            assert (ours != theirs).mean() < 0.01


@pytest.mark.full(beside="test_a_network_has_the_bits_of_its_references")
@by_type
@pytest.mark.usefixtures("runs_host")
def test_a_network_as_data_and_from_the_cache(row: ElementType):
    model = network(row, raw=True)
    module, data = sr.compile(model), replay(model)
    again = sr.compile(model)
    assert again.report.warm
    for n in (1, 5):
        check_equal(data(images(row, n)), module(images(row, n)))
        check_equal(again(images(row, n)), module(images(row, n)))


@by_type
@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize(
    ("make", "raw"),
    [(shifted, False), pytest.param(network, True, marks=pytest.mark.full)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_network_in_c(
    row: ElementType,
    make: Callable[[ElementType, bool], ModelProto],
    raw: bool,
    tmp_path: Path,
):
    model = make(row, raw)
    module = sr.compile(model, options=OPTIONS)
    write_bundle(
        make_bundle([Network(Compilation(model, options=OPTIONS), "net")]), tmp_path
    )
    assert row.numpy in (tmp_path / "net.h").read_text()
    build(tmp_path, any_size_program(module.program))
    x = images(row, 3)
    _, found = run_any_size(tmp_path, module.program, {"n": 3}, {"x": x})
    assert found == [each.tobytes() for each in several(module(x))]


CHAIN = """
func.func @main(%x: tensor<Nx40xHALF>, %w: tensor<40x24xHALF>) -> tensor<Nx24xHALF> {
  %v0 = graph.matmul %x, %w : tensor<Nx40xHALF>, tensor<40x24xHALF> -> tensor<Nx24xHALF>
  %v1 = graph.exp %v0 : tensor<Nx24xHALF> -> tensor<Nx24xHALF>
  %v2 = graph.sub %v1, %v0 : tensor<Nx24xHALF>, tensor<Nx24xHALF> -> tensor<Nx24xHALF>
  %v3 = graph.div %v2, %v1 : tensor<Nx24xHALF>, tensor<Nx24xHALF> -> tensor<Nx24xHALF>
  %v4 = graph.relu %v3 : tensor<Nx24xHALF> -> tensor<Nx24xHALF>
  return %v4 : tensor<Nx24xHALF>
}
"""
"""A chain that is one kernel, in which each op rounds."""


def with_casts(row: ElementType) -> str:
    """The chain on f32, with casts after each op that are its roundings."""
    lines: list[str] = []
    for line in CHAIN.replace("HALF", "f32").splitlines():
        lines.append(line)
        if line.startswith("  %") and not line.startswith("  return"):
            name, type = line.split()[0], line.rsplit("-> ", 1)[1]
            lines[-1] = line.replace(f"{name} =", f"{name}a =", 1)
            half = type.replace("f32", str(row.type))
            first, last = f"{name}a {{to = {row.type}}}", f"{name}b {{to = f32}}"
            lines.append(f"  {name}b = graph.cast {first} : {type} -> {half}")
            lines.append(f"  {name} = graph.cast {last} : {half} -> {type}")
    return "\n".join(lines)


@pytest.mark.sampled(together=1)
@by_type
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("n", [1, 7, 33])
def test_a_fusion_keeps_each_rounding(row: ElementType, target: str, n: int):
    skip_unless_runs(target)
    random = np.random.default_rng(0)
    texts = (CHAIN.replace("HALF", str(row.type)), with_casts(row))
    own, plain = (
        sr.compile(each.replace("N", str(n)), target=target, options=OPTIONS)
        for each in texts
    )
    x, w = (
        to_elements(random.standard_normal(shape) / 4, row.type)
        for shape in ((n, 40), (40, 24))
    )
    got = own(*(each.view(dtype_of(row.numpy)) for each in (x, w)))
    wanted = plain(*(to_numbers(each, row.type) for each in (x, w)))
    np.testing.assert_array_equal(to_numbers(got.view(row.dtype), row.type), wanted)


def test_a_cast_before_ops_that_only_move():
    # A node's results have no users yet when casts around it are removed.
    model = parser.parse_model(
        """<ir_version: 9, opset_import: ["": 18]> moves (float16[n, 4] x)
        => (float[4, n] y, float[n, 2] z) <int64[2] parts = {1, 3}> {
            wide = Cast<to: int = 1>(x)
            y = Transpose<perm: ints = [1, 0]>(wide)
            left, right = Split<axis: int = 1>(wide, parts)
            z = Concat<axis: int = 1>(left, left)
        }"""
    )
    x = np.arange(12).reshape(3, 4).astype(np.float16)
    y, z = several(sr.compile(model, options=OPTIONS)(x))
    np.testing.assert_array_equal(y, x.T.astype(np.float32))
    np.testing.assert_array_equal(z, x[:, [0, 0]].astype(np.float32))
