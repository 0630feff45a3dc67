"""Check that readers build the types that torch inferred."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from ....dialects import evaluate, shape, symbols_of
from ....dialects.graph.compose import joining, retyped
from ..unsupported import Unsupported
from .call import Pair, Result
from .sizes import Sizes


def checked(result: Result, foreseen: Any, sizes: Sizes, op: str) -> Result:
    """
    The results, each of the type that torch infers.

    Two texts may mean one size, such as `floordiv(n - 2, 2) + 1` and `floordiv(n, 2)`,
    so sizes are compared by their values. Where they may differ in a run, as those of
    data do, `op` requires that they do not.
    """
    if isinstance(result, SSAValue):
        return _checked(result, sizes.type(foreseen), op)
    if isinstance(result, Pair):
        return _checked_pair(result, sizes.part_type(foreseen), op)
    return [
        _checked_pair(value, sizes.part_type(tensor), op)
        if isinstance(value, Pair)
        else value and _checked(value, sizes.type(tensor), op)
        for value, tensor in zip(result, foreseen, strict=True)
    ]


def _checked_pair(value: Pair, expected: shape.Tensor, op: str) -> Pair:
    """A pair whose parts are of the type that torch infers for them."""
    return Pair(*(_checked(each, expected, op) for each in value.parts))


def _checked(value: SSAValue, expected: shape.Tensor, op: str) -> SSAValue:
    """A value of the type that torch infers; raises `Unsupported` for another."""
    got = shape.tensor_type(value)
    if _agree(got, expected):
        return value
    if not joining.may_be(value, expected):
        # As of a convolution of no channels, which has no filters in torch.
        raise Unsupported(f"a result that torch says is {expected}, and not {got}")
    return retyped(value, shape.sizes(expected), op)


def _agree(a: shape.Tensor, b: shape.Tensor) -> bool:
    """
    Whether two types are equal for several widely different values of their symbols.
    """
    if a == b:
        return True
    if a.element_type != b.element_type or len(a.shape) != len(b.shape):
        return False
    return all(
        len({evaluate(each, values(pair, seed)) for each in pair}) == 1
        for pair in zip(shape.sizes(a), shape.sizes(b), strict=True)
        for seed in (10, 33)
    )


def values(dims: Sequence[Any], seed: int) -> dict[str, int]:
    """A value for each symbol of some dimensions."""
    names = sorted({name for each in dims for name in symbols_of(each)})
    return {name: seed + 7 * place for place, name in enumerate(names)}
