from __future__ import annotations

import numpy as np
import pytest

from static_runtime.compiler.scoring.scorer import scorer_of

from .model import ROWS, inputs_of, module_of

BOUNDED = """
func.func @main(%x: tensor<?xf32, ["n"]>) -> tensor<?xf32, ["n"]>
    attributes {graph.symbols = {n = [0, 7]}} {
  %0 = graph.exp %x : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0 : tensor<?xf32, ["n"]>
}
"""


@pytest.mark.parametrize("batch_size", [1, 7, 512, ROWS, 2 * ROWS])
def test_bits_do_not_depend_on_the_rows_of_a_call(batch_size: int):
    found = scorer_of(module_of(), None, batch_size).outputs(inputs_of())
    for one, other in zip(found, module_of()(*inputs_of()), strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_rows_have_no_outputs():
    y, size = scorer_of(module_of(), None, 8).outputs(inputs_of(0))
    assert (y.shape, y.dtype, size.shape) == ((0, 2, 3), np.float32, (0,))


def test_a_call_has_no_more_rows_than_the_model_takes():
    x = inputs_of()[1]
    (y,) = scorer_of(module_of(BOUNDED), None, 512).outputs([x])
    assert len(y) == ROWS


def test_refuses_a_call_of_no_rows():
    with pytest.raises(ValueError, match="expected batch_size of 1 or more, got 0"):
        scorer_of(module_of(), None, 0)
