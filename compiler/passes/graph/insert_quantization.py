"""
Quantise what products read, by a profile of the model's activations.

With `insert-quantization{profile="m.yaml"}`:

Before:

    %1 = graph.relu %0 : tensor<4x64xf32> -> tensor<4x64xf32>
    %2 = graph.linear %1, %w : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>

After:

    %1 = graph.relu %0 : tensor<4x64xf32> -> tensor<4x64xf32>
    %3 = graph.quantize %1, %s, %p : tensor<4x64xf32>, … -> tensor<4x64xui8>
    %4 = graph.dequantize %3, %s, %p : tensor<4x64xui8>, … -> tensor<4x64xf32>
    %w = graph.weight "w.bytes" : tensor<8x64xsi8>
    %5 = graph.dequantize %w, %t, %q : tensor<8x64xsi8>, tensor<8x1xf32>, … -> …
    %2 = graph.linear %4, %5 : tensor<4x64xf32>, tensor<8x64xf32> -> tensor<4x8xf32>

The scale and the zero point of a value follow from what the profile has seen of it. A
weight is symmetric, with a scale for each channel of the result: so it is off by half a
scale at most. `sink-dequantize` and `fold-quantization` then make products of bytes. A
value is quantised once, behind the op that makes it, or before a concatenation, for its
users in the same block: so it is stored in bytes. Results of the model and products
that are kept read it as it was.

The pass changes numbers, and runs only where a user has a profile. It leaves products
as they are that no bytes could compute (`quantizable.py`), that the profile keeps, or
of whose values it has seen nothing; a value that it does not know is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce
from xdsl.utils.exceptions import VerifyException

from ....dialects import ELEMENTS, Array, tensor
from ....dialects.graph import (
    ConcatOp,
    ConstantOp,
    ConvOp,
    DequantizeOp,
    LinearOp,
    MatmulOp,
    QuantizeOp,
    WeightOp,
)
from ....dialects.graph.compose import shape_of
from ...ir import WeightStore, weights_of
from ...quantizing import (
    LEAST_SCALE,
    Profile,
    StepsOf,
)
from ..by_profile import ByProfile
from ..quantizable import Product, Quantizable, quantizable
from ..steps import Steps


@dataclass(frozen=True)
class InsertQuantization(ByProfile):
    """Quantises values and weights that products read."""

    name = "insert-quantization"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        weights = weights_of(ctx)
        found = quantizable(op, weights)
        _Quantizer(weights, found, self.read()).rewrite()
        dce(op)


def reason_against(product: Product, profile: Profile) -> str:
    """Why a product stays in floats by a profile, or nothing."""
    if product.refusal:
        return product.refusal
    if product.name in profile.settings.kept:
        return "it is kept"
    for name in filter(None, product.read):
        if name not in profile.values:
            raise VerifyException(
                f"expected a profile of the value {name!r}, got one without it, of "
                "another model or version; make it anew by sr-quantize"
            )
        if why := profile.why_not(name):
            return f"of {name!r}: {why}"
    return ""


class _Quantizer:
    """Rewrites the products of one module."""

    def __init__(self, weights: WeightStore, found: Quantizable, profile: Profile):
        self.weights, self.found, self.profile = weights, found, profile
        self.steps = Steps(weights)
        self._weights: dict[tuple[int, tuple[int, ...]], tuple[Array, ...]] = {}

    def rewrite(self) -> None:
        """Quantises what products read that do not stay in floats."""
        why = [reason_against(each, self.profile) for each in self.found.products]
        pairs = zip(self.found.products, why, strict=True)
        chosen = [each for each, reason in pairs if not reason]
        quantised = {id(each.op) for each in chosen}
        floats = [
            each.op for each in self.found.products if id(each.op) not in quantised
        ]
        for name in dict.fromkeys(name for each in chosen for name in each.read):
            if name is not None:
                steps = self.profile.steps_of(name)
                assert steps is not None, "there is no reason against it"
                self.quantise(self.found.values[name], steps, floats)
        for each in chosen:
            for operand in (0, 1):
                if each.read[operand] is None:
                    self.quantise_weight(each.op, operand)

    def quantise(
        self, value: SSAValue, steps: StepsOf, floats: Sequence[Operation]
    ) -> None:
        """Lets the users of a value read its steps, but for products in floats."""
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        users = [
            use
            for use in value.uses
            if use.operation.parent is block
            and not isinstance(use.operation, func.ReturnOp)
            and not any(use.operation is each for each in floats)
        ]
        if isinstance(owner, ConcatOp) and len(users) == len([*value.uses]):
            # Concatenated steps are the steps of what is concatenated.
            for at, each in enumerate(owner.operands):
                made, result = _pair(each, steps)
                _insert(made, InsertPoint.before(owner), owner)
                owner.operands[at] = result
            return
        made, result = _pair(value, steps)
        if isinstance(owner, Block):
            _insert(made, InsertPoint.at_start(owner))
        else:
            _insert(made, InsertPoint.after(owner), owner)
        for use in users:
            use.operation.operands[use.index] = result

    def quantise_weight(self, op: Operation, operand: int) -> None:
        """Lets a product read a constant factor in steps."""
        assert isinstance(op, MatmulOp | LinearOp | ConvOp)
        weight = op.operands[operand]
        array = self.steps.known(weight)
        assert array is not None, "the factor is constant"
        steps, scale = self.steps_of_weight(array, _summed_axes(op, operand))
        key = weight.owner.key.data if isinstance(weight.owner, WeightOp) else "weight"
        with ImplicitBuilder(made := Block()):
            parts = [
                WeightOp(
                    self.weights.put(f"{key}.{name}", each),
                    tensor(ELEMENTS[each.dtype], *each.shape),
                ).result
                for name, each in (("bytes", steps), ("scales", scale))
            ]
            zero = ConstantOp(value=np.array(0, np.int8)).result
            result = DequantizeOp(*parts, zero).result
        _insert(made, InsertPoint.before(op), op)
        op.operands[operand] = result

    def steps_of_weight(
        self, weight: Array, axes: tuple[int, ...]
    ) -> tuple[Array, Array]:
        """The steps of a weight, which products may share, and their scales."""
        key = id(weight), axes
        if key not in self._weights:
            bits = self.profile.settings.weight_bits
            # With the weight, so that no other gets its identity.
            self._weights[key] = (*_quantised_weight(weight, axes, bits), weight)
        steps, scale, _ = self._weights[key]
        return steps, scale


def _pair(value: SSAValue, steps: StepsOf) -> tuple[Block, SSAValue]:
    """Builds the numbers of the steps of a value."""
    with ImplicitBuilder(made := Block()):
        scale = ConstantOp(value=np.array(steps.scale, np.float32)).result
        kind = np.int8 if steps.signed else np.uint8
        zero = ConstantOp(value=np.array(steps.zero_point, kind)).result
        quantised = QuantizeOp(value, scale, zero).result
        return made, DequantizeOp(quantised, scale, zero).result


def _insert(made: Block, point: InsertPoint, of: Operation | None = None) -> None:
    """Inserts ops, with the location of the op that they are for."""
    if of is not None:
        for each in made.ops:
            each.location = of.location
    Rewriter.inline_block(made, point)


def _summed_axes(op: MatmulOp | LinearOp | ConvOp, operand: int) -> tuple[int, ...]:
    """The axes of a constant factor along which its scale is one."""
    rank = len(shape_of(op.operands[operand]))
    if operand == 0:
        return tuple(range(rank))
    return (rank - 2,) if isinstance(op, MatmulOp) else tuple(range(1, rank))


def _quantised_weight(
    weight: Array, axes: tuple[int, ...], bits: int
) -> tuple[Array, Array]:
    """
    Bytes, and their scales in f32: an element is the byte times the scale. The greatest
    magnitude along axes becomes the greatest step of these bits, 127 or 63. Scales
    have as many axes as the weight; that of a matrix by columns has one.
    """
    greatest = np.float32((1 << (bits - 1)) - 1)
    most = np.abs(weight).max(axis=axes, keepdims=True, initial=0)
    least = np.float32(LEAST_SCALE)
    scale = np.where(most > 0, np.maximum(most / greatest, least), np.float32(1))
    scale = scale.astype(np.float32)
    steps = np.clip(np.rint(weight / scale), -greatest, greatest).astype(np.int8)
    return steps, scale.reshape(-1) if axes == (0,) else scale
