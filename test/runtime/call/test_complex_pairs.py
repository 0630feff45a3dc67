"""Complex numbers are their parts along a last axis, and back."""

from typing import Any

import numpy as np
import pytest

from static_runtime.runtime.call import flat_outputs
from static_runtime.runtime.call.complex_pairs import from_pairs, to_pairs
from static_runtime.runtime.call.structure import builder, match_tree
from static_runtime.runtime.program import Structure, TensorInfo, Tree

NUMBERS = np.array([[1 + 2j, -3j, 0], [4, 5 - 1j, 6]])


@pytest.mark.parametrize("kind", [np.complex64, np.complex128])
@pytest.mark.parametrize("numbers", [NUMBERS, NUMBERS.T, NUMBERS[:, :0], NUMBERS[0, 0]])
def test_there_and_back(kind: Any, numbers: Any):
    numbers = np.asarray(numbers, kind)
    parts = to_pairs(numbers, "x")
    assert parts.shape == (*numbers.shape, 2)
    np.testing.assert_array_equal(parts[..., 1], numbers.imag)
    np.testing.assert_array_equal(from_pairs(parts), numbers)


def test_other_numbers_are_refused():
    with pytest.raises(TypeError, match="input x: expected complex numbers, got float"):
        to_pairs(np.ones(3), "x")


def test_inputs_and_outputs():
    inputs = Tree("dict", (Tree("complex", name="x"),), ("x",))
    structure = Structure(inputs, Tree("complex", number=0))
    infos = [TensorInfo("x", "float64", (2, 3, 2))]
    (given,) = match_tree(structure, infos, [NUMBERS], {})
    build = builder(structure)
    assert build is not None
    result = build(given)
    np.testing.assert_array_equal(result, NUMBERS)
    np.testing.assert_array_equal(flat_outputs(structure, result)[0], given)
