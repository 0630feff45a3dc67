"""Tell which ops a kernel may compute inside of its own loops, where it reads them."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field

from ...dialects import Dim, sizes, tensor_type
from ...dialects.graph import (
    CastOp,
    ConstantOp,
    CopyOp,
    GraphOp,
    IndexSelectOp,
    Linear,
    Nest,
    PermuteOp,
    Read,
    RearrangeOp,
    WeightOp,
    axis,
    same,
)
from ...dialects.graph.few_bits import makes_factor
from ...dialects.kernel import can_place, is_contraction, is_own, is_plain, own_axes
from .moved_factors import reads_before_moved, reads_looked_up

LIMIT = 64
"""The most ops in a group, so that a kernel keeps its values in registers."""


_LEAST_LINE = 16
"""Elements, at least, that are side by side where they are to be stored in vectors."""


@dataclass
class Candidate:
    """Ops that become one kernel; the result of the last is stored."""

    ops: list[GraphOp]
    nests: Sequence[Nest]
    """The nests of the last op."""

    reducing: set[int] = field(default_factory=set[int])
    """
    The numbers of those nests that reduce, whose points store tiles, that rearrange
    what they read, or that such an op feeds.
    """

    is_staged: bool = False
    """
    Whether the group is computed in stages: with several reductions, or a wide result.
    """
    looks_up: bool = False
    """Whether it reads at indices, which are in memory, and what it reads there too."""

    parts: Sequence[Nest] = ()
    """The nests of an op before the last, in which what comes after is computed."""

    @property
    def joined_parts(self) -> Sequence[Nest]:
        """The nests that ops after this may be computed in, if these are several."""
        if len(self.nests) == 1:
            return self.parts
        return () if self.parts else self.nests


def candidate_of(op: GraphOp) -> Candidate | None:
    """The candidate of one op; None when the op cannot be fused."""
    nests = op.nests()
    if not nests or isinstance(op, CopyOp):
        return None
    looks_up = _looks_up(nests)
    if looks_up and not only_reads(op):
        return None
    reducing = {n for n, nest in enumerate(nests) if nest.reductions or nest.also}
    if isinstance(op, RearrangeOp):
        reducing = {0}
    return Candidate([op], nests, reducing, looks_up=looks_up)


def _looks_up(nests: Sequence[Nest]) -> bool:
    """Whether any position of nests is looked up."""
    return any(True for nest in nests for _ in nest.lookups)


def reads(nests: Sequence[Nest], operand: int) -> list[tuple[int, Read]]:
    """The reads of an operand, each with the number of its nest."""
    return [
        (number, source)
        for number, nest in enumerate(nests)
        for source in nest.sources
        if isinstance(source, Read) and source.operand == operand
    ]


def reads_once(nest: Nest, read: Read) -> bool:
    """Whether no element is read twice, as every axis moves a position of its own."""
    moved: list[int] = []
    for position in read.at:
        if not isinstance(position, Linear) or not _is_apart(position, nest):
            return False
        moved += [axis for axis, _ in position.factors]
    wide = [axis for axis, bound in enumerate(nest.bounds) if bound != 1]
    return len(moved) == len(set(moved)) and set(wide) <= set(moved)


def _is_apart(position: Linear, nest: Nest) -> bool:
    """
    Whether no two points along the axes of a position have the same one: it has one
    axis, or all of a grid. Windows that are reduced are not looked at closer.
    """
    left, step = dict(position.factors), 1
    if len(left) < 2:
        return True
    while left and not nest.reductions:
        axis = next((each for each, factor in left.items() if factor == step), None)
        if axis is None:
            return False
        del left[axis]
        step = step * nest.bounds[axis]
    return not left


def is_line(size: Dim) -> bool:
    """Whether elements of this number, side by side, are stored in vectors."""
    return isinstance(size, int) and size >= _LEAST_LINE


def _stores_lines(user: Candidate, producer: Candidate) -> bool:
    """
    Whether a candidate only rearranges the result of a product, so that lines of its
    columns stay lines, and of each element of it there is one.
    """
    (*before, op), (nest, *more) = user.ops, user.nests
    if before or more or not isinstance(op, RearrangeOp):
        return False
    found = [each for one in producer.ops for each in one.nests() or ()]
    reduced = [each for each in found if each.reductions]
    if len(reduced) != 1 or any(each.also or each.onto for each in found):
        return False
    (product,), (read,) = reduced, nest.sources
    if not is_contraction(product) or own_axes(product) is None:
        return False
    assert isinstance(read, Read), "what is rearranged is read"
    last, line = len(nest.bounds) - 1, nest.bounds[-1]
    in_line = (
        isinstance(read.at[-1], Linear) and dict(read.at[-1].factors).get(last) == 1
    )
    return is_line(line) and in_line and reads_once(nest, read)


def taker(
    user: Candidate, producer: Candidate, operand: int, defined: Set[str]
) -> int | None:
    """
    The nest of the last op of `user` that can compute `producer` inside, if any; a run
    finds the symbols that are `defined`.
    """
    found = reads(user.nests, operand)
    if _looks_up(user.nests):
        return None
    if len(user.ops) + len(producer.ops) > LIMIT or len(found) != 1:
        return None
    ((number, read),) = found
    nest = user.nests[number]
    if producer.looks_up and not (
        _looks_up_steps(nest, read, producer) or _looks_up_rows(nest, read, producer)
    ):
        return None
    if len(producer.nests) > 1:
        shape = sizes(tensor_type(producer.ops[-1].results[0]))
        # What is rearranged has one nest, and may be read by others.
        can = not isinstance(user.ops[-1], RearrangeOp)
        return number if can and can_place(nest, shape, producer.nests) else None
    if producer.parts:
        can = len(user.nests) > 1 and not user.parts and is_plain(nest)
        can = can and _reads_at_own_point(nest, read, producer)
        return number if can else None
    if producer.reducing:
        # The epilogue of a reduction reads each accumulator once, at its own index.
        free = number not in user.reducing and not nest.is_scattered
        is_total = not producer.is_staged
        can = free and is_total and _reads_at_own_point(nest, read, producer)
        can = can or (is_total and _stores_lines(user, producer))
    else:
        can = producer.nests[0].is_pointwise and (
            all(map(_widens, producer.ops))  # as a load of its operand does
            or _makes_numbers(producer)
            or (
                reads_before_moved(nest, read, producer.ops, defined)
                if is_contraction(nest)
                else reads_once(nest, read) or _looks_up_for(user, producer)
            )
        )
    return number if can else None


def _looks_up_steps(nest: Nest, read: Read, producer: Candidate) -> bool:
    """
    Whether each product of a batch takes numbers of the steps of one matrix, which is
    looked up among constants, with its scales.
    """
    *_, op = producer.ops
    steps = op.operands[0].owner
    return (
        _makes_numbers(producer)
        and is_contraction(nest)
        and isinstance(steps, IndexSelectOp)
        and reads_looked_up(nest, read, [steps, op])
    )


def _looks_up_for(user: Candidate, producer: Candidate) -> bool:
    """
    Whether a candidate looks up constant steps, or their scales, for an op that makes
    numbers of them: it reads each often, but in the registers of a product.
    """
    return makes_factor(user.ops[-1]) and all(
        isinstance(each, IndexSelectOp)
        and isinstance(each.operands[0].owner, ConstantOp | WeightOp)
        for each in producer.ops
    )


def _looks_up_rows(nest: Nest, read: Read, producer: Candidate) -> bool:
    """
    Whether an elementwise nest goes along rows of what a candidate looks up: each of
    them is at an index, and in vectors.
    """
    shape = sizes(tensor_type(producer.ops[-1].results[0]))
    wide = [n for n, size in enumerate(shape) if size != 1]
    ends = [n for n, bound in enumerate(nest.bounds) if bound != 1]
    if not nest.is_pointwise or not wide or not ends:
        return False
    if read.at[wide[-1]] != axis(ends[-1]):
        return False
    looked_up = [each for found in producer.nests for each in found.lookups]
    return all(
        wide[-1] not in {axis for axis, _ in at.factors}
        for each in looked_up
        for at in each.at
    )


def only_reads(op: GraphOp) -> bool:
    """Whether each element of a result is that of an operand, as a load makes it."""
    nests = op.nests() or ()
    is_read = _widens(op) or all(each.body is same for each in nests)
    return len(nests) == 1 and nests[0].is_pointwise and is_read


def turns_rows(op: GraphOp) -> bool:
    """
    Whether an op permutes a tensor so that elements of a row were apart. By itself it
    moves squares in registers; rows that are computed in stages would be stored apart.
    """
    if not isinstance(op, PermuteOp):
        return False
    shape, order = sizes(tensor_type(op.input)), op.order.get_values()
    wide = [axis for axis in order if shape[axis] != 1]
    return bool(wide) and wide[-1] != max(wide)


def _widens(op: GraphOp) -> bool:
    """Whether an op computes what a load of its operand has anyway."""
    return isinstance(op, CastOp) and op.only_widens


def _makes_numbers(producer: Candidate) -> bool:
    """
    Whether a candidate makes numbers of constant steps, which take less memory, or of
    those that it looks up among constants.
    """
    *lookups, op = producer.ops
    return (
        makes_factor(op)
        and all(isinstance(each, IndexSelectOp) for each in lookups)
        and all(
            isinstance(source := each.operands[0].owner, ConstantOp | WeightOp)
            or source in lookups
            for each in producer.ops
        )
    )


def _reads_at_own_point(nest: Nest, read: Read, producer: Candidate) -> bool:
    """Whether a nest runs over all of a value, and reads it at the nest's own point."""
    shape = sizes(tensor_type(producer.ops[-1].results[0]))
    return nest.bounds == shape and is_own(read.at, shape)
