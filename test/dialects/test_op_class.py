"""Ops are instances of their classes and of those above, as any object is."""

from __future__ import annotations

from abc import ABCMeta

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from static_runtime.dialects.graph import GraphOp, ReluOp
from static_runtime.dialects.graph.op import SingleResultOp
from static_runtime.dialects.loop import ForOp, TileOp
from static_runtime.dialects.op_class import OpClass


class _Base(metaclass=OpClass):
    """A class of this kind."""


class _Part(_Base):
    """A class below it."""


def test_instances_are_those_of_a_class_and_of_classes_below():
    assert isinstance(_Part(), _Base)
    assert not isinstance(_Base(), _Part)
    assert not isinstance(1, _Base)


@pytest.mark.parametrize("kind", [GraphOp, SingleResultOp, ReluOp, ForOp, TileOp])
def test_classes_of_ops_do_not_ask_a_registry(kind: type[Operation]):
    assert type(kind) is OpClass
    assert issubclass(kind, Operation)
    assert not isinstance(ModuleOp([]), kind)
    assert "__instancecheck__" in vars(OpClass)
    assert OpClass.__instancecheck__ is not ABCMeta.__instancecheck__
