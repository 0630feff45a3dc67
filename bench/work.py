"""
Count what a model has to do: floating-point operations, and bytes it has to touch.

Both are counted where the graph is simplified and nothing is fused yet, from the loop
nests of each op: what batch norms and constants come to is not counted, and how the
loops are run later makes no difference. An operation is one scalar op with a floating
result, `exp` as well as an addition, and each step of a reduction. Bytes are those of
inputs, outputs and weights, once each; of a weight that is looked up, only what a run
can see of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FunctionType, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Block, SSAValue

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.passes.graph.fuse import Fuse
from static_runtime.compiler.passes.pipeline import pipeline
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.dims import Dim, product
from static_runtime.dialects.graph.memory import root_of
from static_runtime.dialects.graph.nest import Linear, Nest, Position, Read
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.control_flow import LoopOp
from static_runtime.dialects.graph.ops.weight import WeightOp
from static_runtime.dialects.graph.region import ControlOp
from static_runtime.dialects.graph.storage.buffer import byte_size
from static_runtime.dialects.shape import dtype, tensor_type

NO_WORK = (arith.ConstantOp, arith.SelectOp, arith.SIToFPOp, arith.ExtFOp)
"""Scalar ops that have a floating result and compute nothing."""


@dataclass(frozen=True)
class Work:
    """What one call of a model has to do at least."""

    operations: int
    bytes: int

    def seconds(self, operations_a_second: float, bytes_a_second: float) -> float:
        """The least time on a machine that does so much in a second."""
        return max(self.operations / operations_a_second, self.bytes / bytes_a_second)


def work_of(path: Path) -> Work:
    """The work of a model with fixed sizes, from its file."""
    ctx = context()
    compilation = Compilation(path, options=Options(cache=False))
    module = compilation.front_end(compilation.source())(ctx)
    for each in pipeline(Options(cache=False), "host"):
        if isinstance(each, Fuse):
            break
        each.apply(ctx, module)
    (function,) = (op for op in module.ops if isinstance(op, FuncOp))
    block = function.body.block
    read: dict[SSAValue, int] = {}
    operations = count(block, 1, read)
    return Work(operations, bytes_of_ends(function) + weights(read))


def bytes_of_ends(function: FuncOp) -> int:
    """The bytes of inputs and outputs."""
    type: FunctionType = function.function_type
    return sum(
        known(byte_size(tensor_type(each))) for each in (*type.inputs, *type.outputs)
    )


def weights(read: dict[SSAValue, int]) -> int:
    """The bytes of constants, from the bytes that are read of each."""
    return sum(
        min(known(byte_size(tensor_type(value))), amount)
        for value, amount in read.items()
        if isinstance(value.owner, ConstantOp | WeightOp)
    )


def count(block: Block, times: int, read: dict[SSAValue, int]) -> int:
    """The operations of a block that runs `times` times; notes the bytes it reads."""
    operations = 0
    for op in block.ops:
        match op:
            case ControlOp():
                trips = times * (known(op.limit) if isinstance(op, LoopOp) else 1)
                # Of two branches the shorter: this is the least that is done.
                operations += min(count(each, trips, read) for each in op.blocks)
            case GraphOp():
                nests = op.nests()
                for nest in nests or ():
                    operations += times * operations_of(nest, op)
                note_reads(op, nests, read)
            case _:
                pass
    return operations


def operations_of(nest: Nest, op: GraphOp) -> int:
    """The operations of all points of a nest."""
    types: list[Attribute] = [
        tensor_type(op.operands[each.operand]).element_type
        if isinstance(each, Read)
        else i64
        for each in nest.sources
    ]
    body = Block(arg_types=types)
    with ImplicitBuilder(body):
        result = nest.body(*body.args)
    at_each = sum(
        any(isinstance(each.type, AnyFloat) for each in inner.results)
        and not isinstance(inner, NO_WORK)
        for inner in body.walk()
    )
    combines = nest.combine is not None or nest.onto is not None
    at_each += combines and isinstance(result.type, AnyFloat)
    return known(product(nest.bounds)) * at_each


def note_reads(
    op: GraphOp, nests: Sequence[Nest] | None, read: dict[SSAValue, int]
) -> None:
    """Adds the bytes that an op can see of each of its operands."""
    if op.IS_VIEW:
        return
    for number, operand in enumerate(op.operands):
        root = root_of(operand)
        type = tensor_type(operand)
        amount = known(byte_size(type))
        if nests is not None:
            seen = sum(elements(nest, number) for nest in nests)
            amount = min(amount, seen * dtype(type).itemsize)
        read[root] = read.get(root, 0) + amount


def elements(nest: Nest, operand: int) -> int:
    """The most elements of an operand that a nest sees, by read or by lookup."""
    places: set[tuple[Position, ...]] = set()
    for each in nest.sources:
        if isinstance(each, Read) and each.operand == operand:
            places.add(each.at)
    places |= {each.at for each in nest.lookups if each.operand == operand}
    return sum(
        known(product([nest.bounds[axis] for axis in sorted(axes_of(at))]))
        for at in places
    )


def axes_of(at: Sequence[Position]) -> set[int]:
    """The axes of a nest that a place depends on."""
    axes: set[int] = set()
    for position in at:
        if isinstance(position, Linear):
            axes |= {axis for axis, _ in position.factors}
        else:
            axes |= axes_of(position.at)
    return axes


def known(size: Dim) -> int:
    """A size that is a number; raises `ValueError` for one that only a run knows."""
    if not isinstance(size, int):
        raise ValueError(f"expected a model of fixed sizes, got the size {size}")
    return size
