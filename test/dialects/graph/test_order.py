"""
An op carried to operands in another order computes the same, in the order it says.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np
import pytest
from xdsl.ir import Block

from static_runtime.dialects.graph.op import GraphOp, SingleResultOp
from static_runtime.dialects.graph.order import (
    Carried,
    Order,
    inverse,
    then,
    widened,
    without,
)
from static_runtime.dialects.shape import Array, sizes, tensor, tensor_type

from .samples import Case, accepted, examples, make_inputs, resized
from .test_every_op import OPS

CARRIED = {
    *("conv", "max_pool", "sum_pool", "avg_pool", "pad", "concat", "slice", "permute"),
    *("expand", "reshape", "sum", "reduce_max", "mean", "argmax", "cumsum", "softmax"),
    *("relu", "add", "where", "cast", "clamp", "index_select", "copy", "greater"),
}
"""Some ops that an order goes through."""


def cases(op: type[GraphOp]) -> Iterator[Case]:
    """The examples of an op, and the same with axes of one element."""
    for case in examples(op):
        for each in (case, resized(case, {3: 1}), resized(case, {5: 1, 7: 1})):
            if accepted(each):
                yield each


def ways(case: Case) -> Iterator[tuple[int, Order, Carried]]:
    """For which operand, in which order, and how a case is carried."""
    op = case.build(Block(arg_types=case.operands).args)
    for number, type in enumerate(case.operands):
        plain = range(len(sizes(tensor_type(type))))
        for order in permutations(plain):
            carried = op.carry(number, order) if order != (*plain,) else None
            if carried is not None:
                yield number, order, carried


def put(array: Array, order: Order | None) -> Array:
    """The array in an order; axes that it lacks come first."""
    if order is None:
        return array
    wide = (1,) * (len(order) - array.ndim)
    return np.transpose(array.reshape(*wide, *array.shape), order)


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize(
    "op", [op for op in OPS if issubclass(op, SingleResultOp)], ids=lambda op: op.name
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_computes_the_same_in_another_order(op: type[GraphOp]):
    count = 0
    for case in cases(op):
        inputs = make_inputs(case, 1, special=False)
        if inputs is None:
            continue
        plain = case.build(Block(arg_types=case.operands).args)
        (want,) = plain.run_reference(inputs, {})
        for number, order, carried in ways(case):
            assert carried.operands[number] in (order, widened(order, want.ndim))
            moved = [
                put(array, to)
                for array, to in zip(inputs, carried.operands, strict=True)
            ]
            types = [
                tensor(tensor_type(type).element_type, *array.shape)
                for array, type in zip(moved, case.operands, strict=True)
            ]
            new = op(*Block(arg_types=types).args, **carried.properties)
            new.verify()
            (got,) = new.run_reference(moved, {})
            message = f"{case} in {order}"
            expected = np.transpose(want, carried.result)
            assert sizes(tensor_type(new.results[0])) == expected.shape, message
            np.testing.assert_allclose(
                got, expected, rtol=1e-5, atol=1e-5, err_msg=message
            )
            count += 1
    assert count > 0 or op.name.removeprefix("graph.") not in CARRIED


def test_orders_compose():
    last: Order = (0, 2, 3, 1)
    assert inverse(last) == (0, 3, 1, 2)
    assert then(last, inverse(last)) == (0, 1, 2, 3)
    assert widened((1, 0), 4) == (0, 1, 3, 2)
    assert without(last, [2, 3]) == (0, 1)
    array = np.arange(24).reshape(1, 2, 3, 4)
    twice = np.transpose(np.transpose(array, last), (3, 2, 0, 1))
    np.testing.assert_array_equal(twice, np.transpose(array, then(last, (3, 2, 0, 1))))
