"""Steps are packed as `graph.dequantize_words` reads them."""

from __future__ import annotations

import numpy as np
import pytest

from static_runtime.dialects.graph.few_bits import STEP_BITS, WORD_BITS, packed
from static_runtime.dialects.graph.literal import to_attribute
from static_runtime.dialects.graph.ops.constant import ConstantOp
from static_runtime.dialects.graph.ops.dequantize_words import DequantizeWordsOp


@pytest.mark.parametrize("bits", STEP_BITS)
def test_each_step_is_read_where_it_was_put(bits: int):
    half, many = 1 << (bits - 1), WORD_BITS // bits
    steps = (np.arange(3 * many * 5) % (2 * half) - half).reshape(3 * many, 5)
    words, scale = packed(steps.astype(np.int8), bits), np.float32(0.5)
    assert words.shape == (3, 5)
    op = DequantizeWordsOp(
        ConstantOp(value=words), ConstantOp(value=np.array(scale)), bits=bits
    )
    assert op.properties["bits"] == to_attribute(bits)
    (numbers,) = op.run_reference([words, np.array(scale)], {})
    np.testing.assert_array_equal(numbers.reshape(steps.shape), steps * scale)
