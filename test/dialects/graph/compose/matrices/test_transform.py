"""`transform_table` gives the factors of numpy's transforms of the same length."""

import numpy as np
import numpy.typing as npt
import pytest
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import SSAValue

from static_runtime.dialects.dims import floordiv, symbol
from static_runtime.dialects.graph.compose.matrices import transform_table
from static_runtime.dialects.graph.ops.define_symbol import DefineSymbolOp

from ..run import Array, run

LENGTHS = (1, 2, 3, 4, 7, 8, 60)


def table(length: int, parts: int, *, inverse: bool, onesided: bool) -> Array:
    """The factors of all elements of a transform whose length is data."""
    count = symbol("n")
    taken = floordiv(count, 2) + 1 if inverse and onesided else count

    def build(value: SSAValue) -> SSAValue:
        DefineSymbolOp(value, symbol="n", low="1", high="100")
        how = {"inverse": inverse, "onesided": onesided}
        return transform_table(count, taken, parts, f64, **how)

    return run(build, np.array(length))


def apart(values: npt.NDArray[np.complex128]) -> Array:
    """The real parts of complex columns, then the imaginary ones."""
    return np.concatenate([values.real, values.imag], 1)


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("inverse", [False, True])
def test_complex_elements(length: int, inverse: bool):
    got = table(length, 2, inverse=inverse, onesided=False)
    one = np.fft.fft(np.eye(length))
    one = one.conj() if inverse else one
    np.testing.assert_allclose(
        got, np.concatenate([apart(one), apart(1j * one)]), atol=1e-13
    )


@pytest.mark.parametrize("length", LENGTHS)
def test_real_elements(length: int):
    got = table(length, 1, inverse=False, onesided=True)
    expected = apart(np.fft.rfft(np.eye(length)))
    np.testing.assert_allclose(got, expected, atol=1e-13)


@pytest.mark.parametrize("length", LENGTHS)
def test_real_results(length: int):
    got = table(length, 2, inverse=True, onesided=True)
    one = np.eye(length // 2 + 1)
    expected = [np.fft.irfft(each, length, norm="forward") for each in (one, 1j * one)]
    np.testing.assert_allclose(got, np.concatenate(expected), atol=1e-13)


def test_quarters_of_a_turn_are_exact():
    got = table(4, 1, inverse=False, onesided=False)
    assert np.isin(got, (-1, 0, 1)).all()


def test_elements_are_rounded_at_the_end():
    count = symbol("n")

    def build(value: SSAValue) -> SSAValue:
        DefineSymbolOp(value, symbol="n", low="1", high="100")
        how = {"inverse": False, "onesided": False}
        return transform_table(count, count, 1, f32, **how)

    got = run(build, np.array(7))
    assert got.dtype == np.float32
    exact = table(7, 1, inverse=False, onesided=False)
    np.testing.assert_array_equal(got, exact.astype(np.float32))
