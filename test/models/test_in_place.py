"""What is computed in the place of an operand has the bits that it has elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Block, Region, SSAValue
from xdsl.passes import ModulePass

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver import driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.graph.fuse import Fuse
from static_runtime.compiler.passes.graph.reuse_operands import ReuseOperands
from static_runtime.compiler.passes.graph.tune_contractions import Tuner
from static_runtime.compiler.passes.pipeline import graph_passes
from static_runtime.dialects.dims import Dim, symbol
from static_runtime.dialects.graph.literal import to_names
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.arithmetic import AbsOp, NegOp
from static_runtime.dialects.graph.ops.binary import AddOp, MaximumOp, MulOp, SubOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.cumulative import CumsumOp
from static_runtime.dialects.graph.ops.hyperbolic import TanhOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.reduce import ReduceMaxOp, SumOp
from static_runtime.dialects.graph.ops.reshape import ReshapeOp
from static_runtime.dialects.graph.ops.softmax import SoftmaxOp
from static_runtime.dialects.graph.storage.buffer import IN_PLACE
from static_runtime.dialects.shape import Array, sizes, tensor, tensor_type

OPS = 16
ROWS = 5, 1, 0, 77, 4001
"""Among them enough for several threads."""

COLUMNS = 1, 7, 8, 33, 64


class RandomChain:
    """A function of random ops; most read what came just before."""

    def __init__(self, seed: int, rows: Dim, columns: int):
        self.random = np.random.default_rng(seed)
        self.columns, self.whole = columns, (rows, columns)
        shapes: list[Sequence[Dim]] = [self.whole, (rows, 1), (columns,)]
        types = [tensor(f32, *shape) for shape in shapes]
        self.shapes = shapes
        self.block = Block(arg_types=types)
        self.values: list[SSAValue] = list(self.block.args)
        self.add(ReluOp(self.values[0]))
        for _ in range(OPS):
            self.extend(self.choose(), self.choose())
        results = [self.values[-1], self.choose()]
        self.block.add_op(func.ReturnOp(*results))
        outputs = [each.type for each in results]
        function = func.FuncOp("main", (types, outputs), Region(self.block))
        names = [StringAttr(f"x{number}") for number in range(len(types))]
        function.attributes["graph.input_names"] = ArrayAttr(names)
        self.module = ModuleOp([function])
        self.count = 0
        """How many ops were in place when it was last compiled."""

    def add(self, op: GraphOp) -> SSAValue:
        """Adds an op; its result, which is then among the values."""
        self.block.add_op(op)
        self.values.append(op.results[0])
        return op.results[0]

    def choose(self) -> SSAValue:
        """One of the values of the largest shape, most likely the last."""
        whole = [v for v in self.values if sizes(tensor_type(v)) == self.whole]
        return whole[int(len(whole) * self.random.random() ** 0.2)]

    def extend(self, x: SSAValue, y: SSAValue) -> None:
        """Adds an op or a few on one or two values."""
        binary = [AddOp, SubOp, MulOp, MaximumOp][self.random.integers(4)]
        match int(self.random.integers(12)):
            case 0 | 1:
                unary = [ReluOp, AbsOp, NegOp, TanhOp]
                self.add(unary[self.random.integers(len(unary))](x))
            case 2 | 3:
                self.add(binary(x, y))
            case 4:
                self.add(binary(self.values[self.random.integers(1, 3)], x))
            case 5:
                self.add(SoftmaxOp(x, axis=1))
            case 6:
                self.add(CumsumOp(x, axis=int(self.random.integers(2))))
            case 7:
                kind = [SumOp, ReduceMaxOp][self.random.integers(2)]
                axis = int(kind is ReduceMaxOp or self.random.integers(2))
                self.add(binary(x, self.add(kind(y, axes=(axis,), keepdims=True))))
            case 8:
                turned = self.add(NegOp(self.add(PermuteOp(x, order=(1, 0)))))
                self.add(PermuteOp(self.add(TanhOp(turned)), order=(1, 0)))
            case 9:
                flat = self.add(ReshapeOp(x, shape=to_names([self.size])))
                self.add(ReshapeOp(self.add(TanhOp(flat)), shape=to_names(self.whole)))
            case _:
                self.add(binary(self.add(MatmulOp(x, self.add(self.weights()))), y))

    @property
    def size(self) -> Dim:
        """The elements of the largest shape."""
        return self.whole[0] * self.columns

    def weights(self) -> ConstantOp:
        """A square constant."""
        shape = self.columns, self.columns
        numbers = self.random.standard_normal(shape) / self.columns
        return ConstantOp(value=numbers.astype(np.float32))

    def compile(self, *left_out: type[ModulePass]) -> sr.StaticModule:
        """A copy of the graph, compiled without some passes."""

        def passes(
            options: sr.Options, target: str, tuner: Tuner | None, **how: Any
        ) -> list[ModulePass]:
            found = graph_passes(options, target, tuner, **how)
            return [each for each in found if not isinstance(each, left_out)]

        self.count = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(driver, "graph_passes", passes)
            options = sr.Options(cache=False, threads=2)
            one = driver.Driver(context(), options, "host", None, self.note)
            return make_module(*one.compile(self.module.clone()))

    def note(self, done: ModulePass, module: ModuleOp) -> None:
        """Counts the ops in place, after the pass that finds them."""
        if isinstance(done, ReuseOperands):
            self.count = sum(IN_PLACE in op.attributes for op in module.walk())

    def inputs(self, rows: int) -> list[Array]:
        """Numbers for the arguments, and some that are none."""
        arrays: list[Array] = []
        for shape in self.shapes:
            known = [each if isinstance(each, int) else rows for each in shape]
            array = self.random.standard_normal(known).astype(np.float32)
            if array.size > 40:
                odd = self.random.integers(0, array.size, 3)
                array.reshape(-1)[odd] = [np.nan, -0.0, np.inf]
            arrays.append(array)
        return arrays


def bits(array: Array) -> Array:
    """The bits of an array; all NaN have the same bits."""
    return np.where(np.isnan(array), np.float32(np.nan), array).view(np.int32)


@pytest.mark.sampled(every=20)
@pytest.mark.parametrize("left_out", [(), (Fuse,)], ids=["fused", "apart"])
@pytest.mark.parametrize("seed", range(10))
def test_has_the_bits_that_it_has_elsewhere(
    seed: int, left_out: tuple[type[ModulePass], ...]
):
    known = seed % 5
    rows: Dim = ROWS[known] if seed >= 5 else symbol("rows")
    chain = RandomChain(seed, rows, COLUMNS[(seed * 3) % 5])
    elsewhere = chain.compile(*left_out, ReuseOperands)
    in_place = chain.compile(*left_out)
    assert chain.count
    for count in ROWS if seed < 5 else [ROWS[known]] * 2:
        inputs = chain.inputs(count)
        kept = [each.copy() for each in inputs]
        for got, want in zip(in_place(*inputs), elsewhere(*inputs), strict=True):
            np.testing.assert_array_equal(bits(got), bits(want))
        for array, copy in zip(inputs, kept, strict=True):
            np.testing.assert_array_equal(bits(array), bits(copy))


@pytest.mark.sampled(every=5)
@pytest.mark.parametrize("seed", range(5, 10))
def test_takes_no_more_memory(seed: int):
    chain = RandomChain(seed, 77, 33)
    elsewhere, in_place = chain.compile(Fuse, ReuseOperands), chain.compile(Fuse)
    assert in_place.report.lower_bound < elsewhere.report.lower_bound
    assert in_place.report.planned_bytes == in_place.report.lower_bound
