"""Distributions of numbers at random, made of uniform ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects.builtin import bf16, f16, f32, f64, i64
from xdsl.ir import SSAValue

from ....dims import Dim, product
from ....element_type import Element
from ....shape import tensor
from ...ops.arithmetic import SqrtOp
from ...ops.binary import DivOp, MaximumOp, MulOp, SubOp
from ...ops.cast import CastOp
from ...ops.compare import LeOp, LtOp
from ...ops.cumulative import CumsumOp
from ...ops.exponential import LogOp
from ...ops.get_attr import GetAttrOp
from ...ops.iota import IotaOp
from ...ops.random_uniform import RandomUniformOp
from ...ops.reduce import SumOp
from ...ops.rounding import FloorOp
from ...ops.sort import SortOp
from ...ops.topk import TopkOp
from ...ops.trigonometric import CosOp
from ...ops.where import WhereOp
from .. import rounding
from ..number import affine, convert, element_of, number, plus, times
from ..parts import part
from ..shaping import expanded, reshaped, shape_of

SEED = "graph.seed"
"""The attribute of every model that numbers at random are drawn by."""


_BITS: dict[Element, int] = {f16: 11, bf16: 8}
"""The bits of a number below 1 that floats of 16 bits have: more would round it up."""

_SHORTEST = 2.0**-60
"""What takes the place of an exponential number that is 0."""


def uniform(
    shape: Sequence[Dim],
    element: Element = f32,
    own: int | None = None,
    stream: int = 0,
) -> SSAValue:
    """
    Builds numbers of f32 or f64 from 0 on and below 1: a stream of a seed of their
    `own`, or one of the model's, which `bind-seed` gives a number.
    """
    counter = reshaped(IotaOp(size=str(product(shape))).result, shape)
    if own is None:
        seed = GetAttrOp(SEED, tensor(i64)).result
    else:
        seed = number(own, i64)
    return RandomUniformOp(counter, seed, stream=stream, to=element).result


def uniform_between(
    shape: Sequence[Dim],
    low: float,
    high: float,
    element: Element,
    own: int | None = None,
) -> SSAValue:
    """
    Builds numbers of a float type from `low` on and up to `high`; from 0 to 1 they are
    below 1, also those of 16 bits.
    """
    drawn = uniform(shape, f64 if element == f64 else f32, own)
    if (bits := _BITS.get(element)) is not None:
        drawn = times(FloorOp(times(drawn, 2.0**bits)).result, 2.0**-bits)
    return convert(affine(drawn, high - low, low), element)


def normal(
    shape: Sequence[Dim],
    mean: float,
    deviation: float,
    element: Element,
    own: int | None = None,
) -> SSAValue:
    """
    Builds numbers of a normal distribution, of a float type: as Box and Muller, "A Note
    on the Generation of Random Normal Deviates" (1958), make them of two uniform ones.
    """
    kind = f64 if element == f64 else f32
    one, other = (uniform(shape, kind, own, stream) for stream in (0, 1))
    # From above 0 on, whose logarithm is finite, up to 1.
    above = SubOp(number(1, kind), one).result
    radius = SqrtOp(times(LogOp(above).result, -2)).result
    angle = CosOp(times(other, 2 * math.pi)).result
    return convert(affine(MulOp(radius, angle).result, deviation, mean), element)


def exponential(
    shape: Sequence[Dim], rate: float, element: Element, own: int | None = None
) -> SSAValue:
    """Builds numbers of an exponential distribution, of a float type: 0 and above."""
    kind = f64 if element == f64 else f32
    above = SubOp(number(1, kind), uniform(shape, kind, own)).result
    return convert(times(LogOp(above).result, -1 / rate), element)


def permutation(size: Dim, element: Element, own: int | None = None) -> SSAValue:
    """
    Builds the integers below a size in any order: that of numbers of 53 bits, which are
    all different but once in 2**54 / size**2 times.
    """
    order = SortOp(uniform([size], f64, own), axis=0, descending=False).indices
    return convert(order, element)


def happens(probability: SSAValue, own: int | None = None) -> SSAValue:
    """Builds whether events happen, each with a probability of a float type."""
    kind = f64 if element_of(probability) == f64 else f32
    drawn = uniform(shape_of(probability), kind, own)
    return LtOp(drawn, convert(probability, kind)).result


def dropped(
    x: SSAValue, ratio: float, own: int | None = None
) -> tuple[SSAValue, SSAValue]:
    """
    Builds which elements of `x` are kept, each with a probability of one minus a ratio
    below 1, and these over that probability, with zeros in the place of the others.
    """
    kind = rounding.wide(element_of(x))
    chance = expanded(number(1 - ratio, f32), shape_of(x))
    kept = happens(chance, own)
    scaled = times(convert(x, kind), 1 / (1 - ratio))
    found = WhereOp(kept, scaled, number(0, kind)).result
    return kept, convert(found, element_of(x))


def integers(shape: Sequence[Dim], low: int, high: int, element: Element) -> SSAValue:
    """Builds integers from `low` on and below `high`, as numbers of a type."""
    drawn = FloorOp(times(uniform(shape, f64), high - low)).result
    return convert(plus(CastOp(drawn, to=i64).result, low), element)


def choices(
    weights: SSAValue, count: int, element: Element, own: int | None = None
) -> SSAValue:
    """
    Builds the numbers of columns that are chosen, `count` of each row of weights, each
    with a probability of its weight over the sum: f[..., columns] -> [..., count].
    """
    *outer, columns = shape_of(weights)
    kind = f64 if element_of(weights) == f64 else f32
    up_to = CumsumOp(convert(weights, kind), axis=len(outer)).result
    last = part(up_to, len(outer), columns - 1, 1)
    # Below the sum, since all that is drawn is below 1 by a unit in the last place.
    drawn = MulOp(uniform((*outer, count), kind, own), last).result
    beside = LeOp(
        reshaped(up_to, (*outer, 1, columns)), reshaped(drawn, (*outer, count, 1))
    ).result
    found = SumOp(CastOp(beside, to=i64), axes=(len(outer) + 1,), keepdims=False)
    return convert(found.result, element)


def choices_once(weights: SSAValue, count: int, element: Element) -> SSAValue:
    """
    Builds the numbers of columns that are chosen, as `choices` does, each once: the
    greatest weights over exponential numbers, as Efraimidis and Spirakis, "Weighted
    random sampling with a reservoir" (2006), choose them.
    """
    shape = shape_of(weights)
    kind = f64 if element_of(weights) == f64 else f32
    # Above zero, so that a weight of zero comes after all others.
    waits = MaximumOp(exponential(shape, 1, kind), number(_SHORTEST, kind)).result
    keys = DivOp(convert(weights, kind), waits).result
    chosen = TopkOp(keys, axis=len(shape) - 1, k=str(count), largest=True).indices
    return convert(chosen, element)
