"""Functions of random ops on random values, and what they compute one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, f32
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.utils.exceptions import VerifyException

import static_runtime as sr
from static_runtime.compiler.building import make_module
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.interpret import interpret
from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.dialects.dims import (
    Dim,
    Polynomial,
    evaluate,
    product,
    symbol,
)
from static_runtime.dialects.graph.literal import to_names
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.activation import ReluOp, SigmoidOp
from static_runtime.dialects.graph.ops.arithmetic import AbsOp, NegOp
from static_runtime.dialects.graph.ops.binary import AddOp, MaximumOp, MulOp, SubOp
from static_runtime.dialects.graph.ops.concat import ConcatOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.cumulative import CumsumOp
from static_runtime.dialects.graph.ops.expand import ExpandOp
from static_runtime.dialects.graph.ops.hyperbolic import TanhOp
from static_runtime.dialects.graph.ops.index_select import IndexSelectOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.graph.ops.pad import PadOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.reduce import MeanOp, ReduceMaxOp, SumOp
from static_runtime.dialects.graph.ops.reshape import ReshapeOp
from static_runtime.dialects.graph.ops.slice import SliceOp
from static_runtime.dialects.graph.ops.softmax import SoftmaxOp
from static_runtime.dialects.shape import Array, sizes, tensor, tensor_type

from ..compiler.frontends.interpret import main

OPS = 24
LARGEST = 4000
"""Elements of the largest value, when symbols are five."""


class RandomGraph:
    """A function of random ops on random values that were there before."""

    def __init__(self, seed: int, symbolic: bool):
        self.random = np.random.default_rng(seed)
        batch: Dim = symbol("batch") if symbolic else 4
        shapes: list[Sequence[Dim]] = [(batch, 5), (batch, 5), (5, 3), (batch, 2, 3)]
        types = [tensor(f32, *shape) for shape in shapes]
        self.block = Block(arg_types=types)
        self.values: list[SSAValue] = list(self.block.args)
        self.ops: list[GraphOp] = []
        while len(self.ops) < OPS:
            self.extend()
        results = self.pick_results()
        self.block.add_op(func.ReturnOp(*results))
        outputs = [each.type for each in results]
        function = func.FuncOp("main", (types, outputs), Region(self.block))
        names = [StringAttr(f"x{number}") for number in range(len(types))]
        function.attributes["graph.input_names"] = ArrayAttr(names)
        self.results = results
        self.module = ModuleOp([function])

    def pick_results(self) -> list[SSAValue]:
        """What nothing uses, an input, and some value that is used as well."""
        unused = [each for each in self.values if not each.uses.get_length()]
        return [*unused, self.values[0], self.choose(self.values[4:])]

    def choose(self, items: Sequence[SSAValue]) -> SSAValue:
        """One of several values."""
        return items[int(self.random.integers(len(items)))]

    def extend(self) -> None:
        """Adds an op, unless the operands that came up do not fit it."""
        x, y = self.choose(self.values), self.choose(self.values)
        try:
            op = self.make(x, y)
        except VerifyException:
            return
        # Sizes that only some batches have are not for all that are tried.
        if op is None or magnitude(op.results[0]) > LARGEST or op.agreements():
            return
        if any(self.block is not each.parent for each in self.constants):
            self.block.add_ops(self.constants)
        self.block.add_op(op)
        self.ops.append(op)
        self.values.append(op.results[0])

    def make(self, x: SSAValue, y: SSAValue) -> GraphOp | None:
        """An op on one or two values."""
        shape = sizes(tensor_type(x))
        axis = int(self.random.integers(len(shape))) if shape else 0
        self.constants: list[Operation] = []
        match int(self.random.integers(22)):
            case 0 | 1 | 2:
                unary = [ReluOp, SigmoidOp, AbsOp, NegOp, TanhOp]
                return unary[self.random.integers(len(unary))](x)
            case 3 | 4 | 5 | 6:
                binary = [AddOp, SubOp, MulOp, MaximumOp]
                return binary[self.random.integers(len(binary))](x, y)
            case 7:
                return MatmulOp(x, y)
            case 8:
                return ConcatOp(x, y, x, axis=axis) if shape else None
            case 9:
                order = tuple(map(int, self.random.permutation(len(shape))))
                return PermuteOp(x, order=order)
            case 10:
                return ReshapeOp(x, shape=to_names([product(shape)]))
            case 11 | 12:
                kinds = [SumOp, MeanOp, ReduceMaxOp]
                kind = kinds[self.random.integers(len(kinds))]
                keepdims = bool(self.random.integers(2))
                return kind(x, axes=(axis,), keepdims=keepdims) if shape else None
            case 13:
                return SoftmaxOp(x, axis=axis) if shape else None
            case 14:
                low = tuple(map(int, self.random.integers(0, 2, len(shape))))
                return PadOp(x, low=low, high=low[::-1], value=0.5)
            case 15:
                return self.slice(x, shape, axis)
            case 16:
                return ExpandOp(x, shape=to_names([2, *shape]))
            case 17:
                number = ConstantOp(value=np.array(0.75, np.float32))
                self.constants = [number]
                return MulOp(x, number)
            case 18 | 19:
                return self.weigh(x, shape)
            case 20:
                return self.look_up(x, shape, axis)
            case _:
                return CumsumOp(x, axis=axis) if shape else None

    def weigh(self, x: SSAValue, shape: Sequence[Dim]) -> GraphOp | None:
        """A product with constant weights, whose columns are many or few."""
        if len(shape) < 2 or not isinstance(shape[-1], int):
            return None
        columns = int(self.random.choice([3, 8, 33]))
        numbers = self.random.standard_normal((shape[-1], columns)) / 4
        weight = ConstantOp(value=numbers.astype(np.float32))
        self.constants = [weight]
        return MatmulOp(x, weight)

    def look_up(self, x: SSAValue, shape: Sequence[Dim], axis: int) -> GraphOp | None:
        """Some elements along an axis of known size, or one, by constant indices."""
        if not shape or not isinstance(size := shape[axis], int) or not size:
            return None
        count = (int(self.random.integers(1, 6)),) * int(self.random.integers(2))
        places = self.random.integers(-size, size, count)
        indices = ConstantOp(value=np.array(places, np.int64))
        self.constants = [indices]
        return IndexSelectOp(x, indices, axis=axis, wraps=True)

    def slice(self, x: SSAValue, shape: Sequence[Dim], axis: int) -> GraphOp | None:
        """A slice of every other element along an axis of known size."""
        if not shape or isinstance(shape[axis], Polynomial):
            return None
        counts = list(shape)
        counts[axis] = (int(str(shape[axis])) + 1) // 2
        steps = tuple(2 if each == axis else 1 for each in range(len(shape)))
        zeros = to_names([0 for _ in shape])
        return SliceOp(x, starts=zeros, sizes=to_names(counts), steps=steps)

    def compile(self, planner: str) -> sr.StaticModule:
        """The compiled form of a copy of the graph."""
        options = sr.Options(planner=planner, cache=False)
        driver = Driver(context(), options, "host", None)
        return make_module(*driver.compile(self.module.clone()))

    def reference(self, inputs: Sequence[Array], batch: int) -> list[Array]:
        """What the ops compute one after the other."""
        return interpret(main(self.module), WeightStore(), inputs, {"batch": batch})


def magnitude(value: SSAValue) -> int:
    """The elements of a value when the symbols are five."""
    total = product(sizes(tensor_type(value)))
    return int(str(evaluate(total, {"batch": 5})))


def make_inputs(graph: RandomGraph, batch: int) -> list[Array]:
    """Inputs of a graph."""
    shapes = [(batch, 5), (batch, 5), (5, 3), (batch, 2, 3)]
    return [graph.random.standard_normal(shape).astype(np.float32) for shape in shapes]
