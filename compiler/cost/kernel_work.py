"""
Count what a call of a kernel does: operations on floats, multiply-adds of integers, and
bytes it touches.

All are polynomials over the symbols of the kernel. An operation is a scalar op with a
floating result, `exp` as well as an addition, at each point of the loops around it; a
product that is added counts twice. Of integers nothing else counts, since the rest of
their arithmetic is of indices, bits and conversions. Bytes are those of the elements
that the loops can reach, each once for each way in which it is loaded or stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.dialects.math import FmaOp
from xdsl.ir import Operation, SSAValue

from ...dialects import Dim, product
from ...dialects.loop import (
    ArgsortOp,
    CheckIndexOp,
    ChooseOp,
    ForOp,
    KernelOp,
    LoadOp,
    StoreOp,
    TileOp,
    byte_count,
    element_type,
)

_NO_WORK = (
    *(arith.ConstantOp, arith.SelectOp, arith.SIToFPOp, arith.ExtFOp),
    *(ForOp, LoadOp, TileOp),
)
"""Ops with a floating result that compute nothing themselves."""


def operations_of(kernel: KernelOp) -> Dim | None:
    """The floating-point operations of a call; None where they depend on data."""
    return _count(kernel, _floating)


def integer_operations_of(kernel: KernelOp) -> Dim | None:
    """
    The multiplications of integers in a call whose products are added, and these
    additions; None where they depend on data.
    """
    return _count(kernel, _multiply_add)


def _floating(op: Operation) -> int:
    """How many floating-point operations an op is at each point."""
    if isinstance(op, _NO_WORK):
        return 0
    if not any(isinstance(each.type, AnyFloat) for each in op.results):
        return 0
    return 2 if isinstance(op, FmaOp) else 1


def _multiply_add(op: Operation) -> int:
    """Two for a product of integers that is added to others, and none for others."""
    if not isinstance(op, arith.MuliOp) or not isinstance(op.result.type, IntegerType):
        return 0
    users = [each.operation for each in op.result.uses]
    return 2 if any(isinstance(each, arith.AddiOp) for each in users) else 0


def _count(kernel: KernelOp, at_each: Callable[[Operation], int]) -> Dim | None:
    """The sum of what each op is, at all points; None where that depends on data."""
    sizes = _extents(kernel)
    total: Dim = 0
    for op in kernel.walk():
        if isinstance(op, ArgsortOp | ChooseOp):
            return None
        if count := at_each(op):
            points = product(sizes[each] for each in _around(op, sizes))
            total = total + points * count
    return total


def bytes_touched(kernel: KernelOp) -> list[Dim | None]:
    """
    The bytes of each buffer that a call can touch; None where they depend on data. They
    may be more than the buffer has.
    """
    sizes = _extents(kernel)
    return [_touched(each, sizes) for each in kernel.body.block.args]


def _touched(buffer: SSAValue, sizes: dict[SSAValue, Dim]) -> Dim | None:
    """The bytes of one buffer."""
    places: dict[object, Dim] = {}
    for use in buffer.uses:
        match op := use.operation:
            case LoadOp() | StoreOp() if not _is_by_data(op):
                axes = _axes(op.indices, op, sizes)
                extent = product(sizes[each] for each in sizes if each in axes)
                places[(*op.indices, op.strides)] = extent
            case CheckIndexOp():
                # What is checked is loaded as well.
                pass
            case _:
                return None
    count: Dim = 0
    for each in places.values():
        count = count + each
    return count * byte_count(element_type(buffer))


def _is_by_data(op: Operation) -> bool:
    """Whether data decide how often an op runs, as in the key of a sort."""
    around = op.parent_op()
    while around is not None and not isinstance(around, ArgsortOp | ChooseOp):
        around = around.parent_op()
    return around is not None


def _extents(kernel: KernelOp) -> dict[SSAValue, Dim]:
    """The indices of all loops, and how many values each takes."""
    found: dict[SSAValue, Dim] = {}
    for op in kernel.walk():
        match op:
            case ForOp():
                found[op.index] = op.size
            case TileOp():
                for region in op.regions:
                    found |= dict(zip(region.block.args, op.sizes, strict=False))
            case _:
                pass
    return {each: size for each, size in found.items() if each.type == IndexType()}


def _around(op: Operation, sizes: dict[SSAValue, Dim]) -> list[SSAValue]:
    """The indices of the loops around an op."""
    found: list[SSAValue] = []
    block = op.parent_block()
    while block is not None:
        found += [each for each in block.args if each in sizes]
        block = block.parent_block()
    return found


def _axes(
    indices: Iterable[SSAValue], op: Operation, sizes: dict[SSAValue, Dim]
) -> set[SSAValue]:
    """The indices of loops that a subscript depends on; all where that is by data."""
    found: set[SSAValue] = set()
    waiting = [*indices]
    while waiting:
        value = waiting.pop()
        if value in sizes:
            found.add(value)
        elif isinstance(value.owner, Operation) and all(
            isinstance(each.type, IndexType) for each in value.owner.operands
        ):
            waiting += value.owner.operands
        else:
            found |= {*_around(op, sizes)}
    return found
