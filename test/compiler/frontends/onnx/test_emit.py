"""Known tensors of sizes in a region that defines these sizes."""

from __future__ import annotations

import numpy as np
import pytest
from onnx.reference import ReferenceEvaluator

import static_runtime as sr

from .interpreter import model

WEIGHED = """
      row = Range (zero, k, one)
      wide = Cast<to = 1> (row)
      size = Shape (wide)
      weight = Cast<to = 1> (size)
      weighed = Mul (wide, weight)
      {0} = ReduceSum<keepdims = 0> (weighed)"""

NUMBERS = "int64 zero = {0}, int64 one = {1}, bool yes = {1}"

LOOP = f"""
g (int64[n] counts) => (float[n] y) <{NUMBERS}> {{
  sizes = Shape (counts)
  n = Gather (sizes, zero)
  y = Loop (n, yes) <
    body = b (int64 i, bool c) => (bool on, float s) {{
      on = Identity (c)
      k = Gather (counts, i)
      {WEIGHED.format("s")}
    }}
  >
}}"""

IF = f"""
g (int64[1] count, bool c) => (float y) <{NUMBERS}> {{
  k = Squeeze (count)
  y = If (c) <
    then_branch = t () => (float a) {{ {WEIGHED.format("a")} }},
    else_branch = e () => (float b) {{ b = Cast<to = 1> (k) }}
  >
}}"""


@pytest.mark.parametrize("counts", [[3, 5, 1], [2], [0, 4, 4, 4]])
def test_a_size_that_a_trip_computes_is_a_number_of_that_trip(counts: list[int]):
    source = model(LOOP)
    module = sr.compile(source, options=sr.Options(cache=False, bounds={"y_count": 64}))
    given = {"counts": np.array(counts)}
    (wanted,) = ReferenceEvaluator(source).run(None, given)
    # The reference stacks numbers as columns.
    np.testing.assert_array_equal(module(**given), wanted.reshape(len(counts)))


@pytest.mark.parametrize("count", [0, 3, 5])
@pytest.mark.parametrize("chosen", [False, True])
def test_a_size_that_a_branch_computes_is_a_number_of_that_branch(
    count: int, chosen: bool
):
    source = model(IF)
    module = sr.compile(source, options=sr.Options(cache=False, bounds={"y_count": 64}))
    given = {"count": np.array([count]), "c": np.array(chosen)}
    (wanted,) = ReferenceEvaluator(source).run(None, given)
    np.testing.assert_array_equal(module(**given), wanted)
