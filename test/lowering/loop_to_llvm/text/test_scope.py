"""What a scope defines, and its lanes, end with it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block

from static_runtime.lowering.loop_to_llvm.text.scope import SCALAR, Lanes, Scope
from static_runtime.lowering.loop_to_llvm.text.types import Value

BLOCK = Block(arg_types=[IndexType(), IndexType()])
ROW, COLUMN = BLOCK.args


def test_what_is_defined_inside_is_unknown_after():
    scope = Scope()
    with scope.inner():
        scope.set_index(ROW, "%i")
        assert scope[ROW] == Value("%i", IndexType())
    assert ROW not in scope


def test_what_is_hidden_inside_is_back_after():
    scope = Scope()
    scope.set_index(ROW, "0")
    with scope.inner():
        scope.set_index(ROW, "1")
        with scope.inner():
            scope.set_index(ROW, "2")
            scope.set_index(ROW, "3")
            assert scope[ROW].text == "3"
        assert scope[ROW].text == "1"
    assert scope[ROW].text == "0"


def test_lanes_are_those_of_the_innermost_scope_that_has_some():
    scope = Scope()
    assert scope.lanes == SCALAR
    with scope.inner(Lanes(ROW, 8)):
        with scope.inner():
            assert scope.lanes == Lanes(ROW, 8)
        with scope.inner(SCALAR):
            assert not scope.lanes.vary(ROW)
        assert scope.lanes.vary(ROW)
        assert not scope.lanes.vary(COLUMN)
    assert scope.lanes == SCALAR


def test_an_index_of_one_lane_does_not_vary():
    assert not Lanes(ROW, 1).vary(ROW)


def test_a_scope_that_an_error_leaves_is_as_it_was():
    scope = Scope()

    def divide() -> None:
        with scope.inner(Lanes(ROW, 4)):
            scope.set_index(COLUMN, "%j")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        divide()
    assert scope.lanes == SCALAR
    assert COLUMN not in scope
