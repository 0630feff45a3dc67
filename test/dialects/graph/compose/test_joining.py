"""Values of branches and trips have one type, and a run checks the sizes of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import NameLoc, NoneAttr, StringAttr, f32
from xdsl.ir import Attribute, Block

from static_runtime.dialects.dims import dim
from static_runtime.dialects.graph.compose.joining import may_be, retype_yields, unite
from static_runtime.dialects.graph.ops.arithmetic import NegOp
from static_runtime.dialects.graph.ops.fusion import YieldOp
from static_runtime.dialects.graph.region import run_block
from static_runtime.dialects.shape import Tensor, tensor

HERE = NameLoc(StringAttr("here"), NoneAttr())


def typed(*sizes: str) -> Tensor:
    """The type of a tensor with these dimensions."""
    return tensor(f32, *map(dim, sizes))


def negated(*types: Tensor) -> Block:
    """A block that yields its arguments negated."""
    block = Block(arg_types=types)
    with ImplicitBuilder(block):
        YieldOp(*[NegOp(each) for each in block.args])
    return block


def yielded(block: Block) -> Sequence[Attribute]:
    """The types of what a block yields."""
    assert block.last_op is not None
    block.verify()
    return block.last_op.operand_types


def test_a_value_may_be_of_a_type_unless_a_size_always_differs():
    (value,) = Block(arg_types=[typed("n", "4")]).args
    assert may_be(value, typed("n", "4"))
    assert may_be(value, typed("m", "4"))
    assert may_be(value, typed("7", "4"))
    assert not may_be(value, typed("n + 1", "4"))
    assert not may_be(value, typed("4"))


def test_what_is_yielded_is_checked_and_has_the_wanted_type():
    block = negated(typed("n", "3"), typed("2"))
    retype_yields(block, 0, [typed("m", "3"), typed("2")], "Loop", HERE)
    assert yielded(block) == (typed("m", "3"), typed("2"))
    x = np.ones((5, 3), np.float32)
    got, _ = run_block(block, [x, x[0, :2]], {"n": 5, "m": 5})
    np.testing.assert_array_equal(got, -x)
    with pytest.raises(ValueError, match="expected equal sizes n and m, got 5 and 4"):
        run_block(block, [x, x[0, :2]], {"n": 5, "m": 4})


def test_a_size_of_each_axis_is_checked_and_not_their_product_alone():
    block = negated(typed("n", "m"))
    retype_yields(block, 0, [typed("m", "n")], "Loop", HERE)
    with pytest.raises(ValueError, match="expected equal sizes n and m, got 2 and 3"):
        run_block(block, [np.ones((2, 3), np.float32)], {"n": 2, "m": 3})


def test_branches_yield_the_simpler_sizes():
    blocks = [negated(typed("2 * floordiv(n, 2)", "m")), negated(typed("n", "3"))]
    assert unite(blocks, "If", HERE)
    for block in blocks:
        assert yielded(block) == (typed("n", "3"),)
    last = blocks[0].last_op
    assert last is not None
    assert last.prev_op is not None
    assert last.prev_op.location == HERE


def test_sizes_that_differ_become_what_is_made_of_both():
    blocks = [negated(typed("n", "m")), negated(typed("n + 1", "m"))]
    assert unite(blocks, "If", HERE, lambda a, b: dim("k"))
    assert [yielded(block) for block in blocks] == [(typed("k", "m"),)] * 2


def test_branches_of_types_that_are_never_equal_stay():
    blocks = [negated(typed("n")), negated(typed("n + 1"))]
    assert not unite(blocks, "If", HERE)
    assert [yielded(block) for block in blocks] == [(typed("n"),), (typed("n + 1"),)]
