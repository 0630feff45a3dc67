"""Operators that draw numbers at random, by the seed of the model."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from ....dialects.graph import AddOp, MulOp
from ....dialects.graph.compose import convert, expanded, number
from ....dialects.graph.compose.random import (
    choices,
    choices_once,
    exponential,
    happens,
    integers,
    normal,
    permutation,
    uniform_between,
)
from ..unsupported import Random, Unsupported
from .call import Call, Operand, Reader, Result


def _uniform(call: Call, *_: object) -> Result:
    """Numbers from 0 on and below 1."""
    return uniform_between(call.shape, 0, 1, call.element)


def _normal(call: Call, *_: object) -> Result:
    """Numbers of the standard normal distribution."""
    return normal(call.shape, 0, 1, call.element)


def _uniform_between(
    call: Call, _: Operand, low: float = 0.0, high: float = 1.0, *__: object
) -> Result:
    """Numbers from one on and below another."""
    return uniform_between(call.shape, float(low), float(high), call.element)


def _normal_of(
    call: Call, mean: Operand, deviation: Operand = 1.0, *_: object
) -> Result:
    """Numbers of normal distributions of means and deviations."""
    kind = f64 if call.element == f64 else f32
    drawn = normal(call.shape, 0, 1, kind)
    spread = MulOp(drawn, call.as_tensor(deviation, kind)).result
    return convert(AddOp(spread, call.as_tensor(mean, kind)).result, call.element)


def _normal_filled(
    call: Call, _: Operand, mean: float = 0.0, deviation: float = 1.0, *__: object
) -> Result:
    """Fills a tensor with numbers of a normal distribution."""
    return normal(call.shape, float(mean), float(deviation), call.element)


def _normal_shaped(call: Call, mean: float, deviation: float, *_: object) -> Result:
    """A tensor of a given shape, with numbers of a normal distribution."""
    return normal(call.shape, float(mean), float(deviation), call.element)


def _exponential(call: Call, _: Operand, rate: float = 1.0, *__: object) -> Result:
    """Numbers of an exponential distribution."""
    return exponential(call.shape, float(rate), call.element)


def _permutation(call: Call, *_: object) -> Result:
    """The integers below a size, in any order."""
    return permutation(call.shape[0], call.element)


def _whole(call: Call, low: Any, high: Any) -> Result:
    """Integers from one on and below another."""
    if not isinstance(low, int) or not isinstance(high, int):
        raise Unsupported(f"integers at random from {low} to {high}, which vary")
    if high - low > 1 << 53:
        raise Unsupported(f"integers at random of {high - low}, of more than 2**53")
    return integers(call.shape, low, high, call.element)


def _below(call: Call, high: Any, *_: object) -> Result:
    return _whole(call, 0, high)


def _below_like(call: Call, _: Operand, high: Any, *__: object) -> Result:
    return _whole(call, 0, high)


def _between(call: Call, low: Any, high: Any, *_: object) -> Result:
    return _whole(call, low, high)


def _between_like(call: Call, _: Operand, low: Any, high: Any, *__: object) -> Result:
    return _whole(call, low, high)


def _bernoulli(call: Call, probability: SSAValue, *_: object) -> Result:
    """Ones with the probabilities of a tensor, and zeros."""
    return convert(happens(probability), call.element)


def _bernoulli_of(call: Call, _: Operand, probability: float, *__: object) -> Result:
    """Ones with one probability, and zeros; nothing is drawn where all are the same."""
    if probability in (0, 1):
        return expanded(number(int(probability), call.element), call.shape)
    _must_draw(call)
    chance = expanded(number(float(probability), f64), call.shape)
    return convert(happens(chance), call.element)


def _bernoulli_of_each(
    call: Call, _: Operand, probability: SSAValue, *__: object
) -> Result:
    """Ones with the probability of each element, of a tensor that is broadcast."""
    chances = expanded(convert(probability, f64), call.shape)
    return convert(happens(chances), call.element)


def _multinomial(
    call: Call, weights: SSAValue, count: int, replacement: bool = False, *_: object
) -> Result:
    """Columns that are chosen by their weights."""
    if count != 1 and not replacement:
        return choices_once(weights, count, call.element)
    return choices(weights, count, call.element)


def _drawing(reader: Reader) -> Reader:
    """The reader where the model has a seed, and a refusal elsewhere."""

    def read(call: Call, *arguments: Any) -> Result:
        _must_draw(call)
        return reader(call, *arguments)

    return read


def _must_draw(call: Call) -> None:
    """Refuses an operator of a model that has no seed."""
    if not call.draws:
        raise Random("numbers at random, of no seed")


_READERS: dict[str, Reader] = {
    "aten.bernoulli.default": _bernoulli,
    "aten.bernoulli.Tensor": _bernoulli_of_each,
    "aten.exponential.default": _exponential,
    "aten.multinomial.default": _multinomial,
    "aten.normal.Tensor_Tensor": _normal_of,
    "aten.normal.Tensor_float": _normal_of,
    "aten.normal.float_Tensor": _normal_of,
    "aten.normal.float_float": _normal_shaped,
    "aten.normal_functional.default": _normal_filled,
    "aten.rand.default": _uniform,
    "aten.rand_like.default": _uniform,
    "aten.randint.default": _below,
    "aten.randint.low": _between,
    "aten.randint_like.default": _below_like,
    "aten.randint_like.low_dtype": _between_like,
    "aten.randn.default": _normal,
    "aten.randn_like.default": _normal,
    "aten.randperm.default": _permutation,
    "aten.uniform.default": _uniform_between,
}

_GIVEN = {
    "aten.rand.generator": _uniform,
    "aten.rand_like.generator": _uniform,
    "aten.randint.generator": _below,
    "aten.randint.low_generator": _between,
    "aten.randint_like.generator": _below_like,
    "aten.randint_like.low_generator_dtype": _between_like,
    "aten.randn.generator": _normal,
    "aten.randn_like.generator": _normal,
    "aten.randperm.generator": _permutation,
}
"""Forms that name a generator; torch exports them where that is None."""

READERS = {name: _drawing(each) for name, each in (_READERS | _GIVEN).items()}
READERS["aten.bernoulli.p"] = _bernoulli_of
