"""What a program computes from sizes is below the bound that runs are checked by."""

from __future__ import annotations

import random

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.dialects.dims import evaluate
from static_runtime.dialects.magnitude import magnitude

from ...dialects.test_dims import expression

PRODUCT = """
func.func @main(%x: tensor<?x?xf32, ["n", "m"]>) -> tensor<?xf32, ["m * n"]> {
  %0 = graph.reshape %x {shape = ["m * n"]}
      : tensor<?x?xf32, ["n", "m"]> -> tensor<?xf32, ["m * n"]>
  %1 = graph.relu %0 : tensor<?xf32, ["m * n"]> -> tensor<?xf32, ["m * n"]>
  return %1 : tensor<?xf32, ["m * n"]>
}
"""


def compiled(text: str) -> sr.StaticModule:
    """The module of a text."""
    return sr.compile(text, options=sr.Options(cache=False))


def reaches(module: sr.StaticModule, **symbols: int) -> bool:
    """Whether a run with these sizes is refused as too large."""
    try:
        module.context.plans.plan_for(symbols)
    except ValueError as error:
        return "products stay below 2**62" in str(error)
    return False


@pytest.mark.parametrize("seed", range(100))
def test_a_magnitude_is_nowhere_less(seed: int):
    source = random.Random(seed)
    value, _ = expression(source, 3)
    bound = magnitude(value)
    for _ in range(5):
        symbols = {name: source.randint(1, 12) for name in ("n", "m", "seq")}
        found, most = evaluate(value, symbols), evaluate(bound, symbols)
        assert isinstance(found, int)
        assert isinstance(most, int)
        assert abs(found) <= most


def test_products_are_bounded_for_the_sizes_of_a_run():
    program = compiled(PRODUCT)
    assert not reaches(program, n=2**30, m=2**20)
    assert reaches(program, n=2**32, m=2**32)
    # Sizes that are zero count as one, as they do for numpy.
    assert reaches(program, n=2**61, m=0)


def test_a_number_of_zero_counts_as_one():
    program = compiled("""
        func.func @main(%x: tensor<?x?x0xf32, ["n", "m"]>)
            -> tensor<?x?x0xf32, ["n", "m"]> {
          %0 = graph.relu %x : tensor<?x?x0xf32, ["n", "m"]>
              -> tensor<?x?x0xf32, ["n", "m"]>
          return %0 : tensor<?x?x0xf32, ["n", "m"]>
        }
    """)
    assert not reaches(program, n=2**30, m=2**20)
    assert reaches(program, n=2**31, m=2**30)


def test_a_run_of_products_that_no_word_holds_is_refused():
    module = compiled(PRODUCT)
    empty = np.empty((2**40, 0), np.float32)
    assert module(empty).shape == (0,)
    # The entry knows the sizes of a plan, and of others nothing.
    assert module(empty).shape == (0,)
    assert module(np.ones((2, 3), np.float32)).shape == (6,)
    with pytest.raises(ValueError, match=r"expected sizes .* below 2\*\*62"):
        module(np.empty((0, 2**60 - 1), np.float32))
    with pytest.raises(ValueError, match=f"n = 0, m = {2**60 - 1}"):
        module(np.empty((0, 2**60 - 1), np.float32))


def test_a_size_of_a_symbol_that_a_run_defines_counts_for_the_most_it_can_be():
    program = compiled(
        """
        func.func @main(%x: tensor<?xf32, ["n"]>, %c: tensor<i64>)
            -> tensor<?xi64, ["5 * k"]> {
          graph.define_symbol %c {symbol = "k", low = "0", high = "n * n"} : tensor<i64>
          %0 = graph.iota {size = "5 * k"} : -> tensor<?xi64, ["5 * k"]>
          return %0 : tensor<?xi64, ["5 * k"]>
        }
        """
    )
    assert not reaches(program, n=2**20)
    assert reaches(program, n=2**30)


def test_what_is_too_great_whatever_the_symbols_is_refused_when_it_is_compiled():
    type = f'tensor<?xi64, ["{2**60} * n"]>'
    text = f"func.func @main(%x: {type}) -> {type} {{ return %x : {type} }}"
    with pytest.raises(sr.CompileError, match=r"less than 2\*\*62 bytes"):
        compiled(text)


def test_a_symbol_that_nothing_gives_a_value_is_refused():
    text = PRODUCT.replace("%1 =", 'graph.require {amount = "z", message = "z"} %1 =')
    with pytest.raises(sr.CompileError, match=r"symbol|expected"):
        compiled(text)
