"""Tables of transforms make what numpy's transforms do."""

import numpy as np
import pytest

from static_runtime.compiler.frontends import fourier

LENGTHS = [1, 2, 5, 8, 12]


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("inverse", [False, True])
def test_of_complex_numbers(length: int, inverse: bool):
    table = fourier.table(length, length, 2, inverse=inverse, onesided=False)
    x = np.arange(length) ** 2 - 1j * np.arange(length)
    parts = np.stack([x.real, x.imag], -1)
    got = np.einsum("tp,tpcr->cr", parts, table) @ [1, 1j]
    expected = np.fft.ifft(x) * length if inverse else np.fft.fft(x)
    np.testing.assert_allclose(got, expected, atol=1e-12 * length**3)


@pytest.mark.parametrize("length", LENGTHS)
def test_of_one_side_and_back(length: int):
    x = np.cos(np.arange(length))
    table = fourier.table(length, length, 1, inverse=False, onesided=True)
    side = np.einsum("t,tpcr->cr", x, table)
    np.testing.assert_allclose(side @ [1, 1j], np.fft.rfft(x), atol=1e-13)
    back = fourier.table(length, len(side), 2, inverse=True, onesided=True)
    found = np.einsum("tp,tpcr->c", side, back) / length
    np.testing.assert_allclose(found, x, atol=1e-13)


def test_quarters_of_a_turn_are_exact():
    cosine, sine = fourier.turned(np.arange(8), 4)
    np.testing.assert_array_equal(cosine, [1, 0, -1, 0] * 2)
    np.testing.assert_array_equal(sine, [0, 1, 0, -1] * 2)


def test_long_tables_are_told():
    assert not fourier.is_long(1024, 1024, 2, inverse=False, onesided=False)
    assert fourier.is_long(4096, 4096, 2, inverse=False, onesided=False)
