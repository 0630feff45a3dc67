"""`graph.multiply_steps`: the product of bytes and of steps of few bits, by blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, TensorType, f32, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...element_type import ui8
from ...scalar import BYTE_BITS, DotBytesOp
from ...shape import Array, Tensor, sizes, tensor
from .. import scalar
from ..nest import Linear, Nest, Read, axes
from ..op import SingleResultOp

_BITS = (2, 4, 8)
"""How many bits a step may have."""


@irdl_op_definition
class MultiplyStepsOp(SingleResultOp):
    """
    The product of rows of bytes and panels of unsigned steps, whose k are in blocks.

    Of a row and a column the sum over blocks of
    `(bytes * steps + offset * zero) * scale * step_scale`: the sum of the products in a
    block, and an `offset` of that block of the row times the `zero` point of the
    column, one where there is none, is an i32. It becomes an f32, and is multiplied by
    the product of the scale of the block of the row and that of the column, which
    successive blocks share.

    Bytes have signs, and lie in words of four. Steps are in words as well: a byte of a
    word has `8 / bits` of them, the k-th four of a block before the next from the
    lowest bits on. So words of a block multiply as many words of bytes each.

    ```mlir
    %5 = graph.multiply_steps %0, %1, %2, %3, %4 {bits = 4 : i64} : tensor<7x16xi32>, tensor<7x2xf32>, tensor<7x2xi32>, tensor<3x2x4x16xi32>, tensor<3x1x16xf32> -> tensor<7x3x16xf32>
    %6 = graph.multiply_steps %0, %1, %2, %3, %4, %5 {bits = 8 : i64} : tensor<2x7x8xi32>, tensor<2x7x2xf32>, tensor<2x7x2xi32>, tensor<3x2x4x5xi32>, tensor<3x2x5xf32>, tensor<3x2x5xui8> -> tensor<2x7x3x5xf32>
    ```
    """

    name = "graph.multiply_steps"

    bytes = operand_def(TensorType)
    scale = operand_def(TensorType)
    offset = operand_def(TensorType)
    steps = operand_def(TensorType)
    step_scale = operand_def(TensorType)
    zero = opt_operand_def(TensorType)
    bits = prop_def(IntegerAttr.constr(i64))

    @classmethod
    def infer(
        cls,
        bytes: Tensor,
        scale: Tensor,
        offset: Tensor,
        steps: Tensor,
        step_scale: Tensor,
        *zero: Tensor,
        bits: int,
    ) -> Tensor:
        given = bytes, scale, offset, steps, step_scale, *zero
        found = tuple(each.element_type for each in given)
        if found != (i32, f32, i32, i32, f32, ui8)[: len(found)] or bits not in _BITS:
            raise VerifyException(
                f"expected bytes in i32, f32, i32, steps of {_BITS} bits in i32, f32 "
                f"and ui8, got {', '.join(map(str, found))} and {bits} bits"
            )
        match (*map(sizes, given),):
            case (
                (*rows, int() as words),
                (*others, int() as blocks),
                own,
                (panels, count, int() as each, columns),
                (*_, int() as groups, _) as beside,
                *zeros,
            ) if (
                rows == others
                and own == (*others, blocks)
                and count == blocks > 0
                and words == blocks * each * (BYTE_BITS // bits)
                and beside == (panels, groups, columns)
                and groups > 0
                and blocks % groups == 0
                and all(shape == beside for shape in zeros)
            ):
                return tensor(f32, *rows, panels, columns)
            case shapes:
                raise VerifyException(
                    "expected rows of words, of scales and of offsets, panels of "
                    "blocks of words of columns, and panels of groups of columns, got "
                    + ", ".join(map(str, shapes))
                )

    def reference(
        self,
        bytes: Array,
        scale: Array,
        offset: Array,
        steps: Array,
        step_scale: Array,
        *zero: Array,
        bits: int,
    ) -> Array:
        *rows, blocks = scale.shape
        panels, groups, columns = step_scale.shape
        a = np.ascontiguousarray(bytes).view(np.int8).astype(np.int32)
        down = np.arange(0, BYTE_BITS, bits, dtype=np.int32)[:, None, None]
        at = np.arange(0, 32, BYTE_BITS, dtype=np.int32)[:, None]
        apart = steps[:, :, :, None, None] >> (down + at) & ((1 << bits) - 1)
        count = np.prod(apart.shape[2:5], dtype=int)
        b = apart.reshape(panels, blocks, count, columns)
        a = a.reshape(np.prod(rows, dtype=int), blocks, count)
        sums = np.einsum("rbk,pbkc->rpbc", a, b)
        each = blocks // groups
        zeros = np.repeat(zero[0], each, axis=1).astype(np.int32) if zero else 1
        sums = sums + offset.reshape(len(a), 1, blocks, 1) * zeros
        scales = np.repeat(step_scale, each, axis=1)
        with np.errstate(all="ignore"):
            by = scale.reshape(len(a), 1, blocks, 1) * scales
            found = (sums.astype(np.float32) * by).sum(axis=2, dtype=np.float32)
        return found.reshape(*rows, panels, columns)

    @property
    def counts(self) -> tuple[int, int, int, int]:
        """Groups, blocks of a group, words of a block, and steps of a byte."""
        _, _, _, (_, blocks, words, _), (_, groups, _), *_ = self.operand_sizes()
        assert isinstance(blocks, int), "blocks are counted"
        assert isinstance(words, int), "so are words"
        assert isinstance(groups, int), "and groups"
        return groups, blocks // groups, words, BYTE_BITS // int(self.values()["bits"])

    def nests(self) -> Sequence[Nest]:
        groups, each, words, fields = self.counts
        *rows, panels, columns = self.shape
        panel, column, group, inside = axes(4, len(rows))
        own, block = axes(len(rows)), group * each + inside
        many, first = words * fields, block * (words * fields)
        beside = (panel, group, column)
        zero = (Read(5, beside),) if self.zero is not None else ()
        return [
            Nest(
                (*rows, panels, columns, groups, each),
                (
                    *(Read(0, (*own, first + at)) for at in range(many)),
                    *(Read(number, (*own, block)) for number in (1, 2)),
                    *(
                        Read(3, (panel, block, Linear(offset=at), column))
                        for at in range(words)
                    ),
                    *(Read(4, beside), *zero),
                ),
                scalar.Products(self.factors),
                axes(len(rows) + 2),
                2,
                "add",
            )
        ]

    def factors(self, *scalars: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Builds the sum of a block as a float, and the product of its scales."""
        _, _, words, fields = self.counts
        bytes, rest = scalars[: words * fields], scalars[words * fields :]
        scale, total, *steps = rest[: words + 2]
        step_scale, *zero = rest[words + 2 :]
        for each in zero:
            total = scalar.mul(total, scalar.cast(each, i32))
        bits = BYTE_BITS // fields
        mask = scalar.constant(((1 << bits) - 1) * 0x01010101, i32)
        for number, word in enumerate(steps):
            for field in range(fields):
                part = word
                if fields > 1:
                    down = scalar.constant(field * bits, i32)
                    part = scalar.binary("and")(arith.ShRUIOp(word, down).result, mask)
                byte = bytes[number * fields + field]
                total = DotBytesOp(total, part, byte, bits).result
        return scalar.cast(total, f32), scalar.mul(scale, step_scale)
