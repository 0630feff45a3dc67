"""Dtypes have one name in numpy and one in safetensors files."""

import sys

import numpy as np
import pytest

from static_runtime.runtime.abi import (
    DTYPE_NAMES,
    SAFETENSORS,
    bits_of,
    dtype_of,
    stored_dtype,
)


def test_a_name_of_a_file_says_kind_and_bits():
    for name, dtype in SAFETENSORS.items():
        kind = {"b": "BOOL", "f": "F", "i": "I", "u": "U", "V": "BF"}[dtype.kind]
        bits = "" if kind == "BOOL" else str(8 * dtype.itemsize)
        if kind == "BF" and dtype.itemsize == 1:
            assert name.startswith(("F8_", "U8_"))
        else:
            assert name == kind + bits


def test_files_hold_what_calls_take():
    assert {*map(stored_dtype, DTYPE_NAMES)} == {*SAFETENSORS.values()}


@pytest.mark.parametrize("name", [each for each in DTYPE_NAMES if bits_of(each)])
def test_what_numpy_lacks_is_of_a_package_or_bits(
    name: str, monkeypatch: pytest.MonkeyPatch
):
    package = pytest.importorskip("ml_dtypes")
    dtype_of.cache_clear()
    assert dtype_of(name) == np.dtype(getattr(package, name))
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "ml_dtypes", None)
        dtype_of.cache_clear()
        assert dtype_of(name) == bits_of(name)
    dtype_of.cache_clear()
