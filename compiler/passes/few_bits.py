"""
Weights of few bits: steps of KxN with scales for groups of rows, and what is built of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import ELEMENTS, Array, tensor, tensor_type
from ...dialects.graph import (
    CastOp,
    DequantizeOp,
    GraphOp,
    IndexSelectOp,
    LinearOp,
    MatmulOp,
    PermuteOp,
    WeightOp,
)
from ...dialects.graph.compose import number, shape_of
from ...dialects.graph.few_bits import (
    WORD_BITS,
    RoundBlocksOp,
    block_of,
    in_panels,
    multiplied,
    multiplied_bytes,
    numbers,
    packed,
)
from ..ir import WeightStore
from .steps import LEAST_SCALE, MOST_SCALE

BYTE_BITS = 8
"""Bits of a step that needs no word."""

LEAST_GROUP = 16
"""Rows of a group, at least: fewer have scales as large as their steps."""

_LEAST_ELEMENTS = 1 << 12
"""Elements below which a weight is f32: then it takes little memory; chosen by hand."""


@dataclass(frozen=True)
class FewBits:
    """Signed steps KxN, and the scale and the zero point GxN of their groups."""

    steps: Array
    scale: Array
    zero_point: Array
    bits: int
    panels: dict[int, Mapping[str, Array] | None] = field(
        default_factory=dict[int, Mapping[str, Array] | None]
    )
    """What a store holds for products of bytes, by the size of their blocks."""

    @staticmethod
    def steps_in_a_word(bits: int) -> int:
        """How many steps of successive rows share a word; one where they are bytes."""
        return WORD_BITS // bits if bits < BYTE_BITS else 1

    @property
    def pays(self) -> bool:
        """
        Whether each group has whole words and is not short, zero points are bytes, and
        scales are zero or such that no step times a scale is denormal or infinite.
        """
        group, size = len(self.steps) // len(self.scale), np.abs(self.scale)
        return (
            group >= LEAST_GROUP
            and group % self.steps_in_a_word(self.bits) == 0
            and -128 <= self.zero_point.min()
            and self.zero_point.max() < 128
            and bool(((size == 0) | (size >= LEAST_SCALE) & (size <= MOST_SCALE)).all())
        )

    @cached_property
    def stored(self) -> Mapping[str, Array]:
        """What a store holds: steps in words or as bytes, scales, zero points."""
        groups, columns = self.scale.shape
        is_word = self.bits < BYTE_BITS
        steps = packed(self.steps, self.bits) if is_word else self.steps
        # One axis more for the steps of a word.
        along = (groups, *((1, 1) if is_word else (1,)), columns)
        found = {
            "steps": steps.reshape(groups, -1, columns),
            "scales": self.scale.reshape(along),
        }
        if self.zero_point.any():
            found["zero_points"] = self.zero_point.astype(np.int8).reshape(along)
        return found

    @property
    def block(self) -> int:
        """The elements of a row of the other factor that may share a scale; or 0."""
        return block_of(len(self.steps) // len(self.scale))

    def panels_of(self, block: int) -> Mapping[str, Array] | None:
        """What a store holds for products of bytes in such blocks, if it can."""
        if block not in self.panels:
            parts = self.steps, self.scale, self.zero_point
            self.panels[block] = in_panels(*parts, self.bits, block)
        return self.panels[block]

    def build(
        self, x: SSAValue, key: str, weights: WeightStore, bytes: bool
    ) -> SSAValue:
        """
        Builds the product with the weight, whose parts become entries of a store: of
        bytes, where these are asked for or `x` is rounded to some.
        """
        rounded = x.owner if isinstance(x.owner, RoundBlocksOp) else None
        block = self.block if bytes else 0
        block = block if rounded is None else rounded.block.value.data
        if (found := self.panels_of(block)) is not None:
            return multiplied_bytes(
                x if rounded is None else rounded.input,
                *_stored(found, key, weights),
                bits=self.bits,
                block=block,
                columns=self.steps.shape[1],
            )
        return _multiplied(x, _stored(self.stored, key, weights), self.bits)


@dataclass(frozen=True)
class Stack:
    """Matrices KxN of few bits; each product of a batch takes one of them."""

    stored: Mapping[str, Array]
    """What a store holds: the parts of all matrices, as `FewBits.stored` has them."""
    bits: int

    @classmethod
    def of(cls, matrices: Sequence[FewBits]) -> Stack:
        """The stack of matrices of one shape, without zero points."""
        parts = [each.stored for each in matrices]
        stored = {name: np.stack([each[name] for each in parts]) for name in parts[0]}
        return cls(stored, matrices[0].bits)

    def build(
        self, x: SSAValue, lookup: IndexSelectOp, key: str, weights: WeightStore
    ) -> SSAValue:
        """
        Builds the products with the matrices that an op looks up, as it looks up steps
        and scales; these become entries of a store.
        """
        parts = [
            IndexSelectOp(each, lookup.indices, **lookup.properties).result
            for each in _stored(self.stored, key, weights)
        ]
        return _multiplied(x, parts, self.bits, batch=1)


def _multiplied(
    x: SSAValue, parts: Sequence[SSAValue], bits: int, batch: int = 0
) -> SSAValue:
    """Builds products with the numbers of steps, scales and, if any, zero points."""
    steps, scale, *zero = parts
    if bits < BYTE_BITS:
        return multiplied(x, numbers(steps, scale, *zero, bits=bits), batch)
    zero = zero or [number(0, tensor_type(steps).element_type)]
    return multiplied(x, DequantizeOp(steps, scale, *zero).result, batch)


def _stored(
    arrays: Mapping[str, Array], key: str, weights: WeightStore
) -> list[SSAValue]:
    """Builds the parts of a weight, which become entries of a store."""
    return [
        WeightOp(
            weights.put(f"{key}.{name}", array),
            tensor(ELEMENTS[array.dtype], *array.shape),
        ).result
        for name, array in arrays.items()
    ]


def factors_of(op: MatmulOp | LinearOp) -> tuple[SSAValue, SSAValue] | None:
    """The factors of a product of f32 with one large matrix, which comes second."""
    x, weight = op.operands
    is_large = len(shape_of(weight)) == 2 and _are_large(op)
    return (x, weight) if is_large else None


def lookup_of(
    op: MatmulOp | LinearOp,
) -> tuple[IndexSelectOp, Sequence[GraphOp]] | None:
    """
    What looks up the second factor of each product of a batch, a large matrix of f32,
    along the first axis of all of them; and the ops that turn or widen it then.
    """
    x, weight = map(shape_of, op.operands)
    if not len(x) == len(weight) == 3 or x[0] != weight[0] or not _are_large(op):
        return None
    movers: list[GraphOp] = []
    found = op.operands[1].owner
    while isinstance(found, CastOp) or (
        isinstance(found, PermuteOp) and found.order.get_values()[0] == 0
    ):
        movers.insert(0, found)
        found = found.operands[0].owner
    if not isinstance(found, IndexSelectOp) or found.axis.value.data != 0:
        return None
    ranks = [len(shape_of(each)) for each in found.operands]
    return (found, movers) if ranks == [3, 1] else None


def _are_large(op: MatmulOp | LinearOp) -> bool:
    """Whether a product is one of f32, and of large matrices that come second."""
    *_, rows, columns = shape_of(op.operands[1])
    is_plain = op.to is None and op.type.element_type == f32
    if not is_plain or not isinstance(rows, int) or not isinstance(columns, int):
        return False
    return rows * columns >= _LEAST_ELEMENTS


def replace(op: MatmulOp | LinearOp, build: Callable[[], SSAValue]) -> None:
    """Replaces a product by what is built, which has its location."""
    with ImplicitBuilder(block := Block()):
        result = build()
    for each in block.ops:
        each.location = op.location
    Rewriter.inline_block(block, InsertPoint.before(op))
    Rewriter.replace_op(op, [], [result])


def in_groups(values: Sequence[Array]) -> tuple[Array, ...]:
    """
    What KxN values are in groups of rows, GxN, where all rows of a group are alike; the
    fewest groups that are equally large.
    """
    rows = len(values[0])
    group = rows
    for each in values:
        changes = np.flatnonzero((each[1:] != each[:-1]).any(axis=1)) + 1
        group = int(np.gcd.reduce([group, *changes.tolist()]))
    return tuple(np.ascontiguousarray(each[::group]) for each in values)
