"""Dtypes have one name in numpy and one in safetensors files."""

import numpy as np

from static_runtime.runtime.abi import DTYPE_NAMES, SAFETENSORS


def test_a_name_of_a_file_says_kind_and_bits():
    for name, dtype in SAFETENSORS.items():
        kind = {"b": "BOOL", "f": "F", "i": "I", "u": "U"}[dtype.kind]
        bits = "" if kind == "BOOL" else str(8 * dtype.itemsize)
        assert name == kind + bits


def test_files_hold_what_calls_take():
    assert {*map(np.dtype, DTYPE_NAMES)} <= {*SAFETENSORS.values()}
