"""
Weights of few bits: steps of KxN with scales for groups of rows, and what is built of
them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from ...dialects import ELEMENTS, Array, tensor
from ...dialects.graph import DequantizeOp, LinearOp, MatmulOp, WeightOp
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
        steps, scale, *zero = _stored(self.stored, key, weights)
        if self.bits < BYTE_BITS:
            return multiplied(x, numbers(steps, scale, *zero, bits=self.bits))
        zero = zero or [number(0, ELEMENTS[self.steps.dtype])]
        return multiplied(x, DequantizeOp(steps, scale, *zero).result)


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
    shape = shape_of(weight)
    is_plain = op.to is None and op.type.element_type == f32
    known = [each for each in shape if isinstance(each, int)]
    if not is_plain or len(shape) != 2 or len(known) != 2:
        return None
    return (x, weight) if known[0] * known[1] >= _LEAST_ELEMENTS else None


def replace(
    op: MatmulOp | LinearOp,
    x: SSAValue,
    found: FewBits,
    key: str,
    weights: WeightStore,
    bytes: bool,
) -> None:
    """Replaces a product by one with a weight of few bits, of `bytes` if it can be."""
    with ImplicitBuilder(block := Block()):
        result = found.build(x, key, weights, bytes)
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
