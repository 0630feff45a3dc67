"""
What the kernel of an op depends on, as a key: ops with equal keys have equal kernels.

A model repeats its layers, so most kernels differ from another only in the names of
values. The key has everything that the code of a kernel depends on, and neither names
nor addresses.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from ..graph import SKIPS, TRACE, ConstantOp, FusionOp, GraphOp
from ..graph.storage import BUFFERS, LIFETIMES, panels_of
from ..shape import tensor_type
from .index_source import below_of
from .points import not_fused

Numbers: TypeAlias = dict[SSAValue, int]
"""The number of each value, in order of first use."""


def structure(op: GraphOp) -> Hashable:
    """The key of an op or a fusion: its loops, and how what it reads is stored."""
    panels = tuple(map(panels_of, op.operands))
    return loops_key(op), _entries(op.attributes), panels


def loops_key(op: GraphOp) -> Hashable:
    """The key of the loops of an op: its ops, and the known facts of their operands."""
    numbers: Numbers = {}
    read = tuple(_operand(each, numbers) for each in op.operands)
    if not isinstance(op, FusionOp):
        return read, inner(op, numbers)
    inside: Numbers = {each: at for at, each in enumerate(op.body.block.args)}
    ops = tuple(inner(each, inside) for each in op.ops)
    return read, ops, inside[op.root]


def _operand(value: SSAValue, numbers: Numbers) -> Hashable:
    """
    The key of an operand from outside: its type, and all else that a kernel depends on.
    """
    number = numbers.setdefault(value, len(numbers))
    owner = value.owner
    seen: Hashable = None
    if isinstance(owner, ConstantOp):
        seen = owner.value
    elif isinstance(tensor_type(value).element_type, IntegerType):
        # Indices that are in range are not checked.
        seen = below_of(value)
    return number, value.type, type(owner), seen


def inner(op: Operation, numbers: Numbers) -> Hashable:
    """The key of one op, with the numbers of its operands; numbers its results."""
    try:
        read = tuple(numbers[each] for each in op.operands)
    except KeyError as error:
        raise not_fused(next(e for e in op.operands if e not in numbers)) from error
    for each in op.results:
        numbers[each] = len(numbers)
    types = tuple(op.result_types)
    return op.name, read, types, _entries(op.properties)


def _entries(attributes: Mapping[str, Attribute]) -> Hashable:
    """Attributes by name, without those of memory and of tracing."""
    return tuple(
        (name, attributes[name])
        for name in sorted(attributes)
        if name not in (BUFFERS, LIFETIMES, SKIPS, TRACE)
    )
