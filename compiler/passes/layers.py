"""
Find layers with constant weights and their biases, and scale their weights by channel.

A layer is a convolution or a matrix product; each of its filters computes one channel
of the result.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from xdsl.ir import SSAValue

from ...dialects import Dim, sizes, tensor_type
from ...dialects.graph import (
    AddOp,
    ConstantOp,
    ConvOp,
    ConvTransposeOp,
    DivOp,
    LinearOp,
    MatmulOp,
    MulOp,
    NegOp,
    ReciprocalOp,
    ReshapeOp,
    SqrtOp,
    SubOp,
    SumOp,
    WeightOp,
    to_names,
)
from ...dialects.graph.compose import rounding

Layer = ConvOp | ConvTransposeOp | LinearOp | MatmulOp

_BUILT = (AddOp, DivOp, MulOp, NegOp, ReciprocalOp, ReshapeOp, SqrtOp, SubOp, SumOp)
"""What weights that this pass made are made of."""


class Constants:
    """
    The values that are the same in every run, as far as one need see here; each is
    looked at once, however many ops ask, and however deep what makes it is.
    """

    def __init__(self) -> None:
        """Nothing is known yet. What is found stays true of a value being rewritten."""
        self.known: dict[SSAValue, bool] = {}

    def __contains__(self, value: SSAValue) -> bool:
        waiting = [value]
        while waiting:
            op = waiting[-1].owner
            made = op.operands if isinstance(op, _BUILT) else ()
            if unknown := [each for each in made if each not in self.known]:
                waiting += unknown
                continue
            is_stored = isinstance(op, ConstantOp | WeightOp)
            is_built = isinstance(op, _BUILT) and all(self.known[each] for each in made)
            self.known[waiting.pop()] = is_stored or is_built
        return self.known[value]

    def have(self, values: Iterable[SSAValue]) -> bool:
        """Whether all of `values` are constant."""
        return all(each in self for each in values)


def shape_of(value: SSAValue) -> tuple[Dim, ...]:
    """The dimensions of `value`."""
    return sizes(tensor_type(value))


def is_layer(op: object, constants: Constants) -> bool:
    """Whether `op` is a layer with a weight that is known."""
    if not isinstance(op, Layer) or op.operands[1] not in constants:
        return False
    if rounding.is_half(op.result):
        return False  # what is folded would round less than the model does
    return not isinstance(op, MatmulOp) or len(shape_of(op.rhs)) == 2


def channel_axis(layer: Layer) -> int:
    """The axis of the result that each filter has one element on."""
    return len(layer.shape) - 1 if isinstance(layer, LinearOp | MatmulOp) else 1


def layer_before(
    value: SSAValue, constants: Constants
) -> tuple[Layer, SSAValue | None] | None:
    """The layer that computes `value`, and the constant added to it, if any."""
    owner, bias = value.owner, None
    if isinstance(owner, AddOp) and value.has_one_use():
        a, b = owner.operands
        if b in constants:
            a, b = b, a
        if a in constants and owner.type == b.type:
            owner, bias, value = b.owner, a, b
    if not isinstance(owner, Layer) or not is_layer(owner, constants):
        return None
    if not value.has_one_use():
        return None
    if bias is not None and not is_per_channel(bias, owner):
        return None
    return owner, bias


def is_per_channel(constant: SSAValue, layer: Layer) -> bool:
    """Whether `constant` broadcasts along all axes but that of the layer's channels."""
    shape, rank = shape_of(constant), len(layer.shape)
    if len(shape) > rank:
        # Then the axis of the channels is another one in the sum.
        return False
    axes = range(rank - len(shape), rank)
    channels = channel_axis(layer)
    return all(size == 1 or at == channels for at, size in zip(axes, shape))


def _reshaped(value: SSAValue, *shape: Dim) -> SSAValue:
    """Builds `value` under another shape."""
    return ReshapeOp(value, shape=to_names(shape)).result


def vector(constant: SSAValue) -> SSAValue:
    """Builds a constant as a tensor of C, or of one element that is for all."""
    count = prod(size for size in shape_of(constant) if isinstance(size, int))
    return _reshaped(constant, *([] if count == 1 else [count]))


def per_channel(value: SSAValue, after: int) -> SSAValue:
    """Builds the tensor of C as a tensor of C x 1 x ..., with `after` axes of 1."""
    if not shape_of(value) or not after:
        return value
    return _reshaped(value, *shape_of(value), *(1 for _ in range(after)))


def by_output(layer: Layer, factor: SSAValue) -> SSAValue:
    """Builds the weight with each filter times the factor of its channel."""
    weight = layer.operands[1]
    shape = shape_of(weight)
    if not shape_of(factor) or isinstance(layer, MatmulOp):
        return MulOp(weight, factor).result
    if not isinstance(layer, ConvTransposeOp):
        return MulOp(weight, per_channel(factor, len(shape) - 1)).result
    groups: int = layer.values()["groups"]
    inputs, outputs, *kernel = shape
    assert isinstance(inputs, int), "the op knows how many channels it reads"
    grouped = _reshaped(weight, groups, inputs // groups, outputs, *kernel)
    factors = _reshaped(factor, groups, 1, outputs, *(1 for _ in kernel))
    return _reshaped(MulOp(grouped, factors).result, *shape)


def by_input(layer: Layer, factor: SSAValue) -> SSAValue:
    """Builds the weight with each filter times the factors of what it reads."""
    weight = layer.operands[1]
    shape = shape_of(weight)
    if not isinstance(layer, ConvOp):
        after = 1 if isinstance(layer, MatmulOp) else 0
        return MulOp(weight, per_channel(factor, after)).result
    groups: int = layer.values()["groups"]
    outputs, inputs, *kernel = shape
    assert isinstance(outputs, int), "the op knows how many channels it writes"
    grouped = _reshaped(weight, groups, outputs // groups, inputs, *kernel)
    factors = _reshaped(factor, groups, 1, inputs, *(1 for _ in kernel))
    return _reshaped(MulOp(grouped, factors).result, *shape)
