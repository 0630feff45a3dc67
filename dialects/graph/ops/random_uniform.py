"""`graph.random_uniform`: numbers that look random, of a counter and a key."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import Float64Type, IntegerAttr, TensorType, f32, f64, i64
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.utils.exceptions import VerifyException

from ...agreement import broadcast
from ...element_type import Element, ui64
from ...shape import Array, Tensor, tensor
from .. import scalar
from ..nest import Nest, elementwise
from ..op import SingleResultOp

_ROUNDS = 10
"""The rounds that Random123 gives Philox with four words of 32 bits."""

_MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
"""What the first and the third word are multiplied by in each round."""

_WEYL = 0x9E3779B9, 0xBB67AE85
"""What is added to the words of the key after each round."""

_LOW = (1 << 32) - 1
"""The bits of a word."""

_FRACTIONS = {f32: 24, f64: 53}
"""The bits of a number of each type that are drawn."""


def philox(counter: Sequence[Array], key: Sequence[Array]) -> list[Array]:
    """
    Philox-4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy
    as 1, 2, 3" (2011): four words of 32 bits, each in ui64[...], from four words of a
    counter and two of a key.
    """
    low, shift = np.uint64(_LOW), np.uint64(32)
    a, b, c, d = counter
    left, right = key
    for number in range(_ROUNDS):
        if number:
            left = (left + np.uint64(_WEYL[0])) & low
            right = (right + np.uint64(_WEYL[1])) & low
        one, other = a * np.uint64(_MULTIPLIERS[0]), c * np.uint64(_MULTIPLIERS[1])
        a, b, c, d = (
            (other >> shift) ^ b ^ left,
            other & low,
            (one >> shift) ^ d ^ right,
            one & low,
        )
    return [a, b, c, d]


@irdl_op_definition
class RandomUniformOp(SingleResultOp):
    """
    A number from 0 on and below 1 for each counter, by a key and the number of a
    stream; operands broadcast as in numpy. Equal ones give equal numbers; others are
    as good as independent.

    It is the first words of Philox-4x32-10 (Salmon, Moraes, Dror and Shaw, 2011), of
    the counter, the stream and zero: the upper 24 bits of one as f32, or 53 of two as
    f64.

    ```mlir
    %2 = graph.random_uniform %0, %1 {stream = 0, to = f32} : tensor<6xi64>, tensor<i64> -> tensor<6xf32>
    %3 = graph.random_uniform %0, %1 {stream = 3, to = f64} : tensor<2x1xi64>, tensor<5xi64> -> tensor<2x5xf64>
    ```
    """

    name = "graph.random_uniform"

    counter = operand_def(TensorType)
    key = operand_def(TensorType)
    stream = prop_def(IntegerAttr)
    to = prop_def(TypeAttribute)

    @classmethod
    def infer(cls, counter: Tensor, key: Tensor, stream: int, to: Element) -> Tensor:
        if (counter.element_type, key.element_type) != (i64, i64):
            raise VerifyException(
                f"expected a counter and a key of i64, got {counter} and {key}"
            )
        if not 0 <= stream <= _LOW:
            raise VerifyException(f"expected a stream of 0 to {_LOW}, got {stream}")
        if to not in _FRACTIONS:
            raise VerifyException(f"expected numbers of f32 or f64, got {to}")
        return tensor(to, *broadcast(counter, key))

    def reference(self, counter: Array, key: Array, stream: int, to: Element) -> Array:
        low, shift = np.uint64(_LOW), np.uint64(32)
        counter, key = np.broadcast_arrays(counter, key)
        counter, key = counter.astype(np.uint64), key.astype(np.uint64)
        place = np.full_like(counter, stream)
        words = counter & low, counter >> shift, place, np.zeros_like(counter)
        a, b, *_ = philox(words, (key & low, key >> shift))
        if isinstance(to, Float64Type):
            bits = (a << np.uint64(21)) | (b >> np.uint64(11))
            return bits.astype(np.float64) * 2.0**-53
        return (a >> np.uint64(8)).astype(np.float32) * np.float32(2.0**-24)

    def nests(self) -> Sequence[Nest]:
        return [elementwise(self.shape, self.operand_sizes(), self.scalar)]

    def scalar(self, counter: SSAValue, key: SSAValue) -> SSAValue:
        """Builds one number."""
        to: Attribute = self.to
        counter, key = scalar.cast(counter, ui64), scalar.cast(key, ui64)
        stream = _constant(self.stream.value.data)
        words = _low(counter), _high(counter, 32), stream, _constant(0)
        a, b = _philox(words, (_low(key), _high(key, 32)))
        bits, scale = _high(a, 8), 2.0**-24
        if to == f64:
            left = arith.ShLIOp(a, _constant(21)).result
            bits, scale = scalar.binary("or")(left, _high(b, 11)), 2.0**-53
        # As an integer with a sign, which is faster to convert, and never negative.
        number = scalar.cast(scalar.cast(bits, i64), to)
        return scalar.mul(number, scalar.constant(scale, to))


def _philox(
    counter: Sequence[SSAValue], key: Sequence[SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """Builds the first two words, as `philox` computes them."""
    xor, (a, b, c, d), (left, right) = scalar.binary("xor"), counter, key
    for number in range(_ROUNDS):
        if number:
            left = _low(scalar.add(left, _constant(_WEYL[0])))
            right = _low(scalar.add(right, _constant(_WEYL[1])))
        one = scalar.mul(a, _constant(_MULTIPLIERS[0]))
        other = scalar.mul(c, _constant(_MULTIPLIERS[1]))
        a = xor(xor(_high(other, 32), b), left)
        c = xor(xor(_high(one, 32), d), right)
        b, d = _low(other), _low(one)
    return a, b


def _constant(value: int) -> SSAValue:
    return scalar.constant(value, ui64)


def _low(x: SSAValue) -> SSAValue:
    """The lower 32 bits."""
    return scalar.binary("and")(x, _constant(_LOW))


def _high(x: SSAValue, by: int) -> SSAValue:
    """The bits from one on."""
    return arith.ShRUIOp(x, _constant(by)).result
