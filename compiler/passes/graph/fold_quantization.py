"""
Compute contractions of two dequantised factors in integers.

Before:

    %1 = graph.dequantize %x, %s, %p : tensor<4x64xui8>, … -> tensor<4x64xf32>
    %2 = graph.dequantize %w, %t, %q : tensor<64x8xsi8>, … -> tensor<64x8xf32>
    %3 = graph.matmul %1, %2 : tensor<4x64xf32>, tensor<64x8xf32> -> tensor<4x8xf32>
    %4 = graph.quantize %3, %u, %r : tensor<4x8xf32>, … -> tensor<4x8xui8>

After:

    %1 = graph.matmul %x, %w {to = i32} : tensor<4x64xui8>, tensor<64x8xsi8> -> …
    %2 = graph.sub %1, (%p * (sum of %w - 64 * %q))
    %3 = graph.cast %2 {to = f32} : tensor<4x8xi32> -> tensor<4x8xf32>
    %4 = graph.mul %3, (%s * %t)
    %5 = graph.quantize %4, %u, %r : tensor<4x8xf32>, … -> tensor<4x8xui8>

The sum of products of differences from the zero points is exact, as it is proven to fit
into 32 bits: so what is folded has fewer roundings than the products of floats, and
`fuse` makes an epilogue of the rest. The terms of zero points are outside of the loop
(`compose/integer_product.py`), and constants where the weights are. Scales are the same
for all that is summed; constant ones are numbers whose product is normal.

It does not fire where a sum may not fit, where scales differ along what is summed, or
where only one factor is quantised. Other users of a dequantised factor keep it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import AnyFloat, ModuleOp, i32
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.transforms.dead_code_elimination import dce

from ....dialects import ELEMENT_TYPES, tensor_type
from ....dialects.graph import (
    ConvOp,
    DequantizeOp,
    LinearOp,
    MatmulOp,
    MulOp,
)
from ....dialects.graph.compose import (
    Window,
    convert,
    integer_product,
    permuted,
    reshaped,
    shape_of,
)
from ...ir import weights_of
from ..steps import (
    LEAST_SCALE,
    MOST_SCALE,
    MOST_SUM,
    Steps,
    dequantized,
    is_one,
    summed,
)


@dataclass(frozen=True)
class FoldQuantization(ModulePass):
    """Computes in integers what the model says of dequantised tensors."""

    name = "fold-quantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        found = list(op.walk())
        if not any(isinstance(each, DequantizeOp) for each in found):
            return
        folder = _Folder(weights_of(ctx))
        for each in found:
            if isinstance(each, MatmulOp | LinearOp | ConvOp):
                folder.rewrite(each)
        dce(op)


@dataclass(frozen=True)
class _Folder(Steps):
    """Rewrites contractions of one module."""

    def rewrite(self, op: MatmulOp | LinearOp | ConvOp) -> None:
        """Folds a contraction of two dequantised factors, if that is exact."""
        a, b = map(dequantized, op.operands)
        if a is not None and b is not None and self.is_exact(op, a, b):
            self.fold_contraction(op, a, b)

    def is_exact(
        self, op: MatmulOp | LinearOp | ConvOp, a: DequantizeOp, b: DequantizeOp
    ) -> bool:
        """Whether the sums fit into 32 bits, and have one scale for each result."""
        kind = op.type.element_type
        if not isinstance(kind, AnyFloat) or kind.bitwidth < 32 or op.to is not None:
            return False
        count, places = summed(op)
        if not isinstance(count, int):
            return False
        bound = count
        for steps, axes in zip((a, b), places, strict=True):
            row = ELEMENT_TYPES[tensor_type(steps.input).element_type]
            if not row.is_widened or row.compute != i32 or row.is_stored:
                return False
            rank = len(shape_of(steps.input))
            for each in (steps.scale, steps.zero_point):
                shape = shape_of(each)
                wide = [*(1 for _ in range(rank - len(shape))), *shape]
                if any(wide[axis] != 1 for axis in axes):
                    return False
            bound *= self.greatest_difference(steps)
        return bound <= MOST_SUM and self.has_normal_factor(a, b)

    def greatest_difference(self, steps: DequantizeOp) -> int:
        """The greatest distance of a step from the zero point."""
        least, most = ELEMENT_TYPES[tensor_type(steps.input).element_type].limits
        zero = self.known(steps.zero_point)
        if zero is None:
            return int(most - least)
        return int(max(most - int(zero.min()), int(zero.max()) - least))

    def has_normal_factor(self, a: DequantizeOp, b: DequantizeOp) -> bool:
        """Whether the product of two scales is normal, as far as it is known."""
        scales = [self.known(each.scale) for each in (a, b)]
        known = [np.abs(each) for each in scales if each is not None and each.size]
        least, most = (
            float(np.prod([float(pick(each)) for each in known]))
            for pick in (np.min, np.max)
        )
        return LEAST_SCALE <= least and most <= MOST_SCALE

    def zero_of(self, steps: DequantizeOp) -> SSAValue | None:
        """A zero point; None where it is known to be zero."""
        known = self.known(steps.zero_point)
        return None if known is not None and not known.any() else steps.zero_point

    def fold_contraction(
        self, op: MatmulOp | LinearOp | ConvOp, a: DequantizeOp, b: DequantizeOp
    ) -> None:
        """Multiplies steps, and scales the sums."""

        def numbers() -> SSAValue:
            if isinstance(op, ConvOp):
                total, *scales = self.convolve(op, a, b)
            else:
                total, *scales = self.multiply(op, a, b)
            result = convert(total, op.type.element_type)
            if all(self.known(each.scale) is not None for each in (a, b)):
                scales = [MulOp(*scales).result]
            # A product of scales that a run finds may be denormal: so one at a time.
            for each in scales:
                result = MulOp(result, each).result
            return result

        self.replace(op, numbers)

    def multiply(
        self, op: MatmulOp | LinearOp, a: DequantizeOp, b: DequantizeOp
    ) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Builds the products of matrices of steps; returns the scales, too."""
        steps, scale, zero = b.input, b.scale, self.zero_of(b)
        if isinstance(op, LinearOp):
            # The weight is transposed, and so are its scales.
            steps = permuted(steps, (1, 0))
            scale, zero = _as_row(scale), None if zero is None else _as_row(zero)
        total = integer_product.integer_matmul(a.input, steps, self.zero_of(a), zero)
        return total, a.scale, scale

    def convolve(
        self, op: ConvOp, a: DequantizeOp, b: DequantizeOp
    ) -> tuple[SSAValue, SSAValue, SSAValue]:
        """Builds the convolution of an image of steps; returns the scales, too."""
        zeros = self.zero_of(a), self.zero_of(b)
        known = self.known(a.zero_point)
        total = integer_product.integer_convolution(
            a.input,
            b.input,
            None if zeros[0] is None else reshaped(zeros[0], []),
            None if zeros[1] is None else _as_row(zeros[1]),
            op.values()["groups"],
            _window(op),
            None if known is None else int(known.item()),
        )
        of_filter = _as_row(b.scale)
        count = len(shape_of(total)) - 2
        of_filter = reshaped(
            of_filter, [*shape_of(of_filter), *(1 for _ in range(count))]
        )
        return total, reshaped(a.scale, []), of_filter


def _as_row(value: SSAValue) -> SSAValue:
    """Builds what varies along the first axis alone as a vector, or as a scalar."""
    return reshaped(value, [] if is_one(value) else shape_of(value)[:1])


def _window(op: ConvOp) -> Window:
    """The window of a convolution."""
    values = op.values()
    _, _, *kernel = shape_of(op.weight)
    padding = values["padding"]
    half = len(padding) // 2
    taps = tuple(size for size in kernel if isinstance(size, int))
    sides = padding[:half], padding[half:]
    return Window(taps, values["strides"], values["dilation"], *sides, (0,) * half)
