"""Casts to f32 and back stay where several ops round, and around no op alone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import bf16, f16, f32, i1
from xdsl.ir import Block, SSAValue

from static_runtime.dialects.element_type import Element
from static_runtime.dialects.graph.compose import rounding
from static_runtime.dialects.graph.element_array import to_elements
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.activation import ReluOp
from static_runtime.dialects.graph.ops.argmax import ArgmaxOp
from static_runtime.dialects.graph.ops.binary import MulOp
from static_runtime.dialects.graph.ops.bitcast import BitcastOp
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.exponential import ExpOp
from static_runtime.dialects.graph.ops.matmul import MatmulOp
from static_runtime.dialects.graph.ops.pad import PadOp
from static_runtime.dialects.graph.ops.permute import PermuteOp
from static_runtime.dialects.graph.ops.reduce import SumOp
from static_runtime.dialects.graph.ops.softmax import SoftmaxOp
from static_runtime.dialects.graph.ops.where import WhereOp
from static_runtime.dialects.shape import tensor, tensor_type


def padded(value: float) -> Callable[[SSAValue], GraphOp]:
    """Builds a padding with a value."""
    return lambda x: PadOp(x, low=(1, 0), high=(0, 1), value=value)


def halved(x: SSAValue) -> GraphOp:
    """Builds half of a tensor, by a number of its type."""
    half = to_elements(0.5, tensor_type(x).element_type)
    return MulOp(x, ConstantOp(value=half))


BUILDERS: dict[str, Callable[[SSAValue], GraphOp]] = {
    "exp": ExpOp,
    "relu": ReluOp,
    "permute": lambda x: PermuteOp(x, order=(1, 0)),
    "pad": padded(0.5),
    "pad of a third": padded(1 / 3),
    "square": lambda x: MulOp(x, x),
    "half": halved,
    "product": lambda x: MatmulOp(x, x),
    "softmax": lambda x: SoftmaxOp(x, axis=1),
    "sum": lambda x: SumOp(x, axes=(1,), keepdims=True),
    "choice": lambda x: WhereOp(truths(x), x, x),
    "argmax": lambda x: ArgmaxOp(x, axis=1, keepdims=True),
    "bits": lambda x: BitcastOp(x, to=tensor_type(x).element_type),
}


def truths(x: SSAValue) -> SSAValue:
    """The second argument of the block that a value is built in."""
    block = x.owner if isinstance(x.owner, Block) else x.owner.parent
    assert block is not None
    return block.args[1]


CASES = {
    # One op is of floats of 16 bits itself, whatever it rounds.
    "exp": "exp",
    "square": "mul",
    "product": "matmul",
    "softmax": "softmax",
    "sum": "sum",
    # What only moves or chooses needs no cast, and one op more none either.
    "permute": "permute",
    "relu": "relu",
    "choice": "where",
    "permute, pad, relu": "permute pad relu",
    "permute, product": "permute matmul",
    "relu, sum": "relu sum",
    "argmax": "argmax",
    "": "",
    # Several that round are of f32.
    "exp, square": "cast exp mul cast",
    "permute, exp, square": "permute cast exp mul cast",
    "exp, permute": "cast exp permute cast",
    # So is what takes a number that is rounded to none of 16 bits.
    "pad of a third, relu": "cast pad relu cast",
    "half": "cast constant mul cast",
}


@pytest.mark.parametrize("half", [f16, bf16], ids=str)
@pytest.mark.parametrize("names", CASES)
def test_which_casts_are_left(half: Element, names: str):
    type = tensor(half, 4, 4)
    block = Block(arg_types=[type, tensor(i1, 4, 4)])
    with ImplicitBuilder(block):
        value = rounding.widened(block.args[0])
        for name in filter(None, names.split(", ")):
            value = BUILDERS[name](value).results[0]
        if tensor_type(value).element_type == f32:
            value = rounding.narrowed(value, type)
        replaced = rounding.narrow_casts(block.ops)
    while value in replaced:
        value = replaced[value]
    assert tensor_type(value).element_type != f32
    for op in block.ops:
        op.verify()
    found = [each.name.removeprefix("graph.") for each in block.ops]
    assert " ".join(found) == CASES[names]


def test_bits_of_an_f32_are_not_those_of_a_narrower_float():
    block = Block(arg_types=[tensor(f16, 4)])
    with ImplicitBuilder(block):
        BUILDERS["bits"](rounding.widened(block.args[0]))
        rounding.narrow_casts(block.ops)
    assert [each.name for each in block.ops] == ["graph.cast", "graph.bitcast"]


def test_a_value_that_is_kept_stays():
    block = Block(arg_types=[tensor(f16, 4)])
    with ImplicitBuilder(block):
        inside = ExpOp(rounding.widened(block.args[0])).result
        rounding.narrowed(inside, block.args[0].type)
        rounding.narrow_casts(block.ops, [inside])
    assert [e.name for e in block.ops] == ["graph.cast", "graph.exp", "graph.cast"]


def test_what_replaces_a_value_that_is_kept_stays():
    block = Block(arg_types=[tensor(f16, 4, 4)])
    with ImplicitBuilder(block):
        wide = rounding.widened(block.args[0])
        kept = BUILDERS["permute"](wide).results[0]
        replaced = rounding.narrow_casts(list(block.ops)[1:], [kept])
    # The cast that was before the op is not among those that are looked at.
    assert [e.name for e in block.ops] == ["graph.cast", "graph.permute", "graph.cast"]
    assert block.last_op is replaced[kept].owner
