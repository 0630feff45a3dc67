"""Random graphs of several reductions per row compute what their ops do one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr, f32
from xdsl.ir import Block, Region, SSAValue

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.graph.fuse import Fuse
from static_runtime.dialects.dims import Dim, symbol
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.arithmetic import AbsOp, NegOp
from static_runtime.dialects.graph.ops.binary import AddOp, MaximumOp, MulOp, SubOp
from static_runtime.dialects.graph.ops.fusion import FusionOp
from static_runtime.dialects.graph.ops.hyperbolic import TanhOp
from static_runtime.dialects.graph.ops.reduce import ReduceMaxOp, ReduceMinOp, SumOp
from static_runtime.dialects.shape import Array, sizes, tensor, tensor_type

OPS = 14
SIZES = (3, 8), (1, 1), (2, 33), (5, 7), (0, 4), (4, 0), (2, 128)
"""
Rows and columns: vectors, several accumulators, what is left over, and none.
"""

Axes = tuple[int, ...]


class RandomRows:
    """A function of random ops on rows, on columns that they reduce, and on both."""

    def __init__(self, seed: int, rows: Dim, columns: Dim, depth: int):
        self.random = np.random.default_rng(seed)
        whole = (rows, *(2 for _ in range(depth - 1)), columns)
        self.axes = tuple(range(1, len(whole)))
        self.shapes = whole, whole, (rows, *(1 for _ in self.axes)), whole[1:]
        types = [tensor(f32, *shape) for shape in self.shapes]
        self.block = Block(arg_types=types)
        self.values: list[SSAValue] = list(self.block.args)
        for _ in range(OPS):
            op = self.make(self.choose(), self.choose())
            self.block.add_op(op)
            self.values.append(op.results[0])
        # All that nothing uses is added up, so that one kernel might do for all.
        result, *rest = [each for each in self.values if not each.uses.get_length()]
        for each in rest:
            self.block.add_op(op := AddOp(result, each))
            result = op.result
        self.results = [result]
        self.block.add_op(func.ReturnOp(*self.results))
        outputs = [each.type for each in self.results]
        function = func.FuncOp("main", (types, outputs), Region(self.block))
        names = [StringAttr(f"x{number}") for number in range(len(types))]
        function.attributes["graph.input_names"] = ArrayAttr(names)
        self.module = ModuleOp([function])

    def choose(self) -> SSAValue:
        """One of the values, more likely a late one."""
        place = int(len(self.values) * self.random.random() ** 0.3)
        return self.values[place]

    def make(self, x: SSAValue, y: SSAValue) -> GraphOp:
        """An op on one or two values."""
        kind = int(self.random.integers(10))
        if kind < 3 and sizes(tensor_type(x)) == self.shapes[0]:
            reduce = [SumOp, ReduceMaxOp, ReduceMinOp][kind]
            flags = {} if reduce is SumOp else {"or_identity": UnitAttr()}
            return reduce(x, axes=self.axes, keepdims=True, **flags)
        if kind < 6:
            unary = [ReluOp, AbsOp, NegOp, AbsOp, TanhOp]
            return unary[self.random.integers(len(unary))](x)
        binary = [AddOp, SubOp, MulOp, MaximumOp]
        return binary[self.random.integers(len(binary))](x, y)

    def compile(self) -> sr.StaticModule:
        """The compiled form of a copy of the graph."""
        driver = Driver(context(), sr.Options(cache=False), "host", None)
        return make_module(*driver.compile(self.module.clone()))

    def inputs(self, rows: int, columns: int) -> list[Array]:
        """Numbers for the arguments."""
        named = {"rows": rows, "columns": columns}
        shapes = [tuple(named.get(str(n), n) for n in each) for each in self.shapes]
        return [
            self.random.standard_normal([int(str(n)) for n in shape]).astype(np.float32)
            for shape in shapes
        ]

    def reference(self, inputs: Sequence[Array]) -> list[Array]:
        """What the ops compute one after the other."""
        values: dict[SSAValue, Array] = dict(zip(self.block.args, inputs, strict=True))
        for op in self.block.ops:
            if isinstance(op, GraphOp):
                results = op.run_reference([values[each] for each in op.operands], {})
                values.update(zip(op.results, map(np.asarray, results), strict=True))
        return [values[each] for each in self.results]


def check(graph: RandomRows, module: sr.StaticModule, rows: int, columns: int) -> None:
    """Compares a run with the reference, and each row with a run of itself."""
    inputs = graph.inputs(rows, columns)
    with np.errstate(all="ignore"):
        wanted = graph.reference(inputs)
    results = several(module(*inputs))
    for got, want in zip(results, wanted, strict=True):
        assert got.shape == want.shape
        scale = np.abs(want[np.isfinite(want)]).max(initial=1)
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5 * scale)


def several(results: Array | tuple[Array, ...]) -> tuple[Array, ...]:
    """What a module returns, as a tuple even of one."""
    return results if isinstance(results, tuple) else (results,)


@pytest.mark.sampled(every=24)
@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(12))
def test_computes_what_its_ops_do(seed: int, depth: int):
    rows, columns = symbol("rows"), symbol("columns")
    graph = RandomRows(seed, rows, columns, depth)
    module = graph.compile()
    for size in SIZES:
        check(graph, module, *size)


@pytest.mark.sampled(every=4)
@pytest.mark.parametrize("size", SIZES)
def test_computes_what_its_ops_do_for_known_sizes(size: tuple[int, int]):
    graph = RandomRows(sum(size), *size, 1)
    check(graph, graph.compile(), *size)


@pytest.mark.sampled(every=3)
@pytest.mark.parametrize("seed", range(6))
def test_a_row_has_the_same_bits_in_any_batch(seed: int):
    graph = RandomRows(seed, symbol("rows"), symbol("columns"), 1)
    module = graph.compile()
    inputs = graph.inputs(5, 77)
    together = several(module(*inputs))
    for row in range(5):
        one = slice(row, row + 1)
        alone = several(module(*(each[one] for each in inputs[:3]), inputs[3]))
        for got, want in zip(alone, together, strict=True):
            np.testing.assert_array_equal(got, want[one] if len(want) == 5 else want)


def test_kernels_of_several_reductions_are_among_them():
    counts: list[int] = []
    for seed in range(12):
        module = RandomRows(seed, symbol("rows"), symbol("columns"), 1).module
        Fuse().apply(context(), module)
        for op in module.walk():
            if isinstance(op, FusionOp):
                nests = [each.nests() or () for each in op.ops]
                reductions = [n for each in nests for n in each if n.reductions]
                counts.append(len(reductions))
    assert max(counts) > 2
