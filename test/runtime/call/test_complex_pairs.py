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


def test_what_takes_the_dtype_of_the_input():
    listed = [[1 + 2j, -3], [0.5, True]]
    for given in (listed, np.array(listed, np.complex64), np.array(listed, ">c8")):
        parts = to_pairs(given, "x", "float32")
        assert parts.dtype == np.float32
        np.testing.assert_array_equal(from_pairs(parts), listed)
    real = np.array([1, 2], np.float32)
    np.testing.assert_array_equal(from_pairs(to_pairs(real, "x", "float32")), real)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (NUMBERS, TypeError, r"expected complex64, got complex128; .*'complex64'"),
        (["a"], TypeError, "expected complex numbers, got <U1"),
        ([[1j], [1j, 2]], ValueError, "expected rows of one length"),
        ([1e300j], ValueError, "expected numbers that complex64 can hold"),
    ],
)
def test_what_is_no_complex64(given: Any, kind: type[Exception], said: str):
    with pytest.raises(kind, match=f"input x: {said}"):
        to_pairs(given, "x", "float32")


@pytest.mark.torch
def test_tensors_of_torch():
    import torch

    z = torch.from_numpy(NUMBERS)
    for each in (z, z.conj(), z.conj().T, z.clone().requires_grad_()):
        wanted = each.detach().resolve_conj().numpy()
        np.testing.assert_array_equal(
            from_pairs(to_pairs(each, "x", "float64")), wanted
        )
    with pytest.raises(TypeError, match="input x: expected complex numbers, got "):
        to_pairs(z.to("meta"), "x", "float64")
