"""What a scope defines, and its lanes, end with it."""

from __future__ import annotations

import pytest
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block

from static_runtime.lowering.loop_to_llvm.text.scope import SCALAR, Lanes, Scope
from static_runtime.lowering.loop_to_llvm.text.types import Value

BLOCK = Block(arg_types=[IndexType(), IndexType()])
I, J = BLOCK.args


def test_what_is_defined_inside_is_unknown_after():
    scope = Scope()
    with scope.inner():
        scope.set_index(I, "%i")
        assert scope[I] == Value("%i", IndexType())
    assert I not in scope


def test_what_is_hidden_inside_is_back_after():
    scope = Scope()
    scope.set_index(I, "0")
    with scope.inner():
        scope.set_index(I, "1")
        with scope.inner():
            scope.set_index(I, "2")
            scope.set_index(I, "3")
            assert scope[I].text == "3"
        assert scope[I].text == "1"
    assert scope[I].text == "0"


def test_lanes_are_those_of_the_innermost_scope_that_has_some():
    scope = Scope()
    assert scope.lanes == SCALAR
    with scope.inner(Lanes(I, 8)):
        with scope.inner():
            assert scope.lanes == Lanes(I, 8)
        with scope.inner(SCALAR):
            assert not scope.lanes.vary(I)
        assert scope.lanes.vary(I)
        assert not scope.lanes.vary(J)
    assert scope.lanes == SCALAR


def test_an_index_of_one_lane_does_not_vary():
    assert not Lanes(I, 1).vary(I)


def test_a_scope_that_an_error_leaves_is_as_it_was():
    scope = Scope()
    with pytest.raises(ZeroDivisionError):
        with scope.inner(Lanes(I, 4)):
            scope.set_index(J, "%j")
            raise ZeroDivisionError
    assert scope.lanes == SCALAR
    assert J not in scope
