"""Ops of one structure have one group, each of its own values, whatever passes do."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue

import static_runtime as sr
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.binary import AddOp, SubOp
from static_runtime.dialects.kernel import known_groups
from static_runtime.dialects.kernel.expression import loads
from static_runtime.dialects.kernel.known_groups import forget_groups, group_of
from static_runtime.dialects.shape import tensor


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[GraphOp]:
    """The ops whose groups are put together."""
    found, make = list[GraphOp](), known_groups.make_group

    def note(op: GraphOp) -> known_groups.Group:
        found.append(op)
        return make(op)

    monkeypatch.setattr(known_groups, "make_group", note)
    forget_groups()
    return found


def loaded(op: GraphOp) -> Sequence[SSAValue]:
    """The values that the only nest of an op loads, and the one that it stores."""
    group = group_of(op)
    assert group is not None
    (nest,) = group.nests
    return [*(each.buffer for each in loads(nest.element)), nest.store.buffer]


def test_ops_of_one_structure_are_put_together_once(made: list[GraphOp]):
    a, b, c = Block(arg_types=[tensor(f32, 7)] * 3).args
    first, second = AddOp(a, b), AddOp(c, a)
    for _ in range(2):
        assert loaded(first) == [a, b, first.result]
        assert loaded(second) == [c, a, second.result]
    assert made == [first]


def test_an_operand_that_is_read_twice_is_no_two_operands(made: list[GraphOp]):
    a, b = Block(arg_types=[tensor(f32, 7)] * 2).args
    twice, other = AddOp(a, a), AddOp(a, b)
    assert loaded(twice) == [a, twice.result]
    assert loaded(other) == [a, b, other.result]
    assert made == [twice, other]


def test_what_a_pass_changes_is_seen(made: list[GraphOp]):
    a, b = Block(arg_types=[tensor(f32, 7)] * 2).args
    wide, one = Block(arg_types=[tensor(f32, 7), tensor(f32, 1)]).args
    op = SubOp(a, b)
    assert loaded(op) == [a, b, op.result]
    op.operands[1] = wide
    assert loaded(op) == [a, wide, op.result]
    assert len(made) == 1
    op.operands[1] = one
    assert loaded(op) == [a, one, op.result]
    assert len(made) == 2


LOOKED_UP = """
func.func @main(%x: tensor<1x7xf32>, %i: tensor<1x7xi64>, %y: tensor<7x3xf32>)
    -> (tensor<7x1xf32>, tensor<7x1xf32>) {
  %0 = graph.argsort %x {axis = 1 : i64, descending = false, count = "7"}
    : tensor<1x7xf32> -> tensor<1x7xi64>
  %a = graph.permute %0 {order = array<i64: 1, 0>} : tensor<1x7xi64> -> tensor<7x1xi64>
  %b = graph.permute %i {order = array<i64: 1, 0>} : tensor<1x7xi64> -> tensor<7x1xi64>
  %1 = graph.gather %y, %a {axis = 0 : i64, wraps = false}
    : tensor<7x3xf32>, tensor<7x1xi64> -> tensor<7x1xf32>
  %2 = graph.gather %y, %b {axis = 0 : i64, wraps = false}
    : tensor<7x3xf32>, tensor<7x1xi64> -> tensor<7x1xf32>
  func.return %1, %2 : tensor<7x1xf32>, tensor<7x1xf32>
}
"""
"""Indices of an order and of a caller, moved by equal ops."""


def test_indices_of_a_caller_are_checked_beside_those_of_an_order():
    module = sr.compile(LOOKED_UP, options=sr.Options(cache=False, threads=1))
    x, y = np.zeros((1, 7), np.float32), np.zeros((7, 3), np.float32)
    module(x, np.full((1, 7), 6), y)
    with pytest.raises(IndexError, match="expected an index from 0 to 6, got 7"):
        module(x, np.full((1, 7), 7), y)
