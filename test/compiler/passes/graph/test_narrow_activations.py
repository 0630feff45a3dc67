"""Values that are kept in bf16 between kernels are those that products round."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp, bf16, f32
from xdsl.ir import SSAValue

from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir import target as targets
from static_runtime.compiler.ir.context import SrContext, context
from static_runtime.compiler.library.cases import Case, examples, module_of
from static_runtime.compiler.passes.graph.narrow_activations import NarrowActivations
from static_runtime.compiler.session.options import Options
from static_runtime.dialects import product, sizes, tensor, tensor_type
from static_runtime.dialects.graph import MatmulOp, ReshapeOp, WeightOp
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.shape import Array

from ....as_host import skip_unless_runs
from ....dialects.graph.samples import make_inputs
from ....dialects.graph.test_every_op import OPS, several
from ....reduced import PAIRS, build, check, numbers, rounded

pytestmark = pytest.mark.usefixtures("with_pairs")

TARGETS = ("pairs", "matrices", "host")

HIDDEN, OUT = 70, 33


def layers(rows: int | str) -> str:
    """The text of two layers, whose values in between nothing else reads."""
    names = "" if isinstance(rows, int) else f', ["{rows}"]'
    count = rows if isinstance(rows, int) else "?"
    x, hidden, out = (
        f"tensor<{count}x{each}xf32{names}>" for each in (40, HIDDEN, OUT)
    )
    return f"""func.func @main(%x: {x}) -> {out} {{
      %v = graph.weight "v" : tensor<40x{HIDDEN}xf32>
      %w = graph.weight "w" : tensor<{HIDDEN}x{OUT}xf32>
      %1 = graph.matmul %x, %v : {x}, tensor<40x{HIDDEN}xf32> -> {hidden}
      %2 = graph.relu %1 : {hidden} -> {hidden}
      %3 = graph.matmul %2, %w : {hidden}, tensor<{HIDDEN}x{OUT}xf32> -> {out}
      func.return %3 : {out}
    }}"""


WEIGHTS = {"v": numbers(40, HIDDEN), "w": numbers(HIDDEN, OUT)}


def without(monkeypatch: pytest.MonkeyPatch):
    """Leaves the pass out."""

    def nothing(self: NarrowActivations, ctx: Context, op: ModuleOp) -> None:
        pass

    monkeypatch.setattr(NarrowActivations, "apply", nothing)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("target", TARGETS)
def test_what_products_round_has_the_same_bits_in_half_the_memory(
    target: str, monkeypatch: pytest.MonkeyPatch
):
    x = numbers(100, 40)
    x[3, :5] = np.inf, -np.inf, np.nan, 1e-40, 3e38
    with np.errstate(all="ignore"):
        model = build(layers(100), WEIGHTS, target=target)
        result = model(x)
        without(monkeypatch)
        other = build(layers(100), WEIGHTS, target=target)
        np.testing.assert_array_equal(result, other(x))
    if targets.find_target(target).isa(bf16) is not None:
        assert model.plan.size < 0.6 * other.plan.size


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("target", TARGETS)
def test_bits_do_not_depend_on_the_batch_or_on_threads(target: str):
    x = numbers(100, 40)
    expected = build(layers(100), WEIGHTS, target=target)(x)
    model = build(layers("m"), WEIGHTS, target=target)
    for rows in (0, 1, 2, 15, 16, 17, 31, 33, 64, 100):
        np.testing.assert_array_equal(model(x[:rows]), expected[:rows])
    two = build(layers("m"), WEIGHTS, target=target, threads=2)
    np.testing.assert_array_equal(two(x), expected)


def of_bf16(target: str, array: Array) -> Array:
    """What a value is that a target keeps in bf16, if it does."""
    has = targets.find_target(target).isa(bf16) is not None
    return rounded(array.astype(np.float32)) if has else array


@pytest.mark.parametrize("target", TARGETS)
def test_a_residual_is_rounded_once(target: str):
    """A product adds to its sums what another product makes and it reads itself."""
    x, v, w = numbers(50, 32), numbers(32, 32), numbers(32, 32)
    type = "tensor<50x32xf32>"
    text = f"""func.func @main(%x: {type}) -> {type} {{
      %v = graph.weight "v" : tensor<32x32xf32>
      %w = graph.weight "w" : tensor<32x32xf32>
      %1 = graph.matmul %x, %v : {type}, tensor<32x32xf32> -> {type}
      %2 = graph.matmul %1, %w : {type}, tensor<32x32xf32> -> {type}
      %3 = graph.add %2, %1 : {type}, {type} -> {type}
      func.return %3 : {type}
    }}"""
    result = build(text, {"v": v, "w": w}, target=target)(x)
    first = of_bf16(target, of_bf16(target, x) @ rounded(v))
    expected = first @ rounded(w) + first
    # A sum near the middle of two bf16 may be rounded to either of them.
    error = np.abs(result - expected) / np.abs(expected).max()
    assert error.max() < 2**-8
    assert (error < 1e-5).mean() > 0.9


@pytest.mark.parametrize("target", TARGETS)
def test_a_padding_that_bf16_lacks_stays_f32(target: str):
    x, w = numbers(4, 6), numbers(8, 16)
    text = """func.func @main(%x: tensor<4x6xf32>) -> tensor<4x16xf32> {
      %w = graph.weight "w" : tensor<8x16xf32>
      %1 = graph.exp %x : tensor<4x6xf32> -> tensor<4x6xf32>
      %2 = graph.pad %1 {low = array<i64: 0, 1>, high = array<i64: 0, 1>,
        value = 0.1 : f64} : tensor<4x6xf32> -> tensor<4x8xf32>
      %3 = graph.matmul %2, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
      func.return %3 : tensor<4x16xf32>
    }"""
    result = build(text, {"w": w}, target=target)(x)
    padded = np.pad(np.exp(x), ((0, 0), (1, 1)), constant_values=np.float32(0.1))
    check(result, of_bf16(target, padded) @ rounded(w), 600)


def multiplied(cases: Sequence[Case], ctx: SrContext) -> ModuleOp:
    """A module of cases whose results of f32 only products with weights read."""
    module = module_of(cases)
    (end,) = (each for each in module.walk() if isinstance(each, func.ReturnOp))
    block, products = end.parent_block(), list[SSAValue]()
    assert block is not None
    for number, value in enumerate(end.operands):
        *rows, depth = sizes(tensor_type(value)) or [0]
        if tensor_type(value).element_type != f32 or not isinstance(depth, int):
            continue
        if depth == 0:
            continue
        weight = ctx.weights.put(f"w{number}", numbers(depth, 8))
        shape = str(product(rows)), str(depth)
        row = ReshapeOp(value, shape=shape)
        read = WeightOp(weight, tensor(f32, depth, 8))
        products.append((made := MatmulOp(row.result, read.result)).result)
        block.insert_ops_before([read, row, made], end)
    block.insert_op_before(func.ReturnOp(*products), end)
    end.detach()
    end.erase()
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    function.update_function_type()
    return module


def of_products(cases: Sequence[Case], ctx: SrContext) -> ModuleOp:
    """A module of cases whose operands of f32 are products with weights."""
    module = module_of(cases)
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    block = function.body.block
    for number, argument in enumerate(block.args):
        type = tensor_type(argument)
        *rows, depth = sizes(type) or [0]
        if type.element_type != f32 or not isinstance(depth, int) or not depth:
            continue
        key = ctx.weights.put(f"w{number}", np.eye(depth, dtype=np.float32))
        row = ReshapeOp(argument, shape=(str(product(rows)), str(depth)))
        weight = WeightOp(key, tensor(f32, depth, depth))
        made = MatmulOp(row.result, weight.result)
        back = ReshapeOp(made.result, shape=tuple(map(str, sizes(type))))
        for use in list(argument.uses):
            use.operation.operands[use.index] = back.result
        row.operands[0] = argument
        first = block.first_op
        assert first is not None
        block.insert_ops_before([weight, row, made, back], first)
    return module


def with_and_without(
    op: type[GraphOp],
    build_module: Callable[[Sequence[Case], SrContext], ModuleOp],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[Array, Array]]:
    """Each result of a module of the examples of an op, with the pass and without."""
    known = [(case, make_inputs(case, 0, False)) for case in examples(op)]
    cases = [case for case, arrays in known if arrays is not None]
    inputs = [each for _, arrays in known for each in arrays or ()]
    results: list[tuple[Array, ...]] = []
    for _ in range(2):
        module = build_module(cases, ctx := context())
        driver = Driver(ctx, Options(cache=False, precision="bf16"), "matrices", None)
        artifact, report = driver.compile(module)
        skip_unless_runs(PAIRS["matrices"].cpu.data)
        with np.errstate(all="ignore"):
            results.append(several(make_module(artifact, report)(*inputs)))
        without(monkeypatch)
    yield from zip(*results, strict=True)


@pytest.mark.sampled(every=45)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_any_op_may_read_what_a_product_makes(
    op: type[GraphOp], monkeypatch: pytest.MonkeyPatch
):
    for one, other in with_and_without(op, of_products, monkeypatch):
        most = np.abs(other[np.isfinite(other)]).max(initial=1)
        np.testing.assert_allclose(one, other, rtol=0, atol=2**-6 * most)


@pytest.mark.sampled(every=45)
@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_a_result_of_any_op_is_rounded_once(
    op: type[GraphOp], monkeypatch: pytest.MonkeyPatch
):
    for one, other in with_and_without(op, multiplied, monkeypatch):
        np.testing.assert_array_equal(one, other)
