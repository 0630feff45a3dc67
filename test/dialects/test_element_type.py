"""The rows of the table of element types say what numpy, ONNX and PyTorch say."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import AnyFloat, bf16, f16, i1, i32, i64

from static_runtime.dialects.element_type import (
    ELEMENT_TYPES,
    ElementType,
    compute_type,
    loaded_type,
    si8,
)
from static_runtime.runtime.abi import DTYPE_NAMES, stored_dtype

ROWS = [*ELEMENT_TYPES.values()]
NUMPY = [row for row in ROWS if row.type != bf16 and not row.is_stored]
"""The types that numpy has arrays of."""

STORED = [row for row in ROWS if row.is_stored]

_PLAIN = ("float", "double")


def test_calls_take_what_ops_take():
    assert {row.numpy: row.dtype for row in ROWS} == {
        name: stored_dtype(name) for name in DTYPE_NAMES
    }


def test_each_column_names_one_type():
    for column in ("type", "numpy", "onnx", "torch", "scalar_type", "scalar_number"):
        found = [each for row in ROWS if (each := getattr(row, column)) != ""]
        assert len({*found}) == len(found) >= len(ROWS) - (column == "torch"), column


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.type))
def test_numbers_of_onnx(row: ElementType):
    assert helper.tensor_dtype_to_np_dtype(row.onnx).name == row.numpy
    name = TensorProto.DataType.Name(row.onnx).lower()
    # ml_dtypes says in a name which special values a float lacks.
    numpy = row.numpy.replace("_", "") if row.format is not None else row.numpy
    assert name in (numpy, numpy.removesuffix("fn"), numpy.removesuffix("fnu"), *_PLAIN)


@pytest.mark.parametrize("row", NUMPY, ids=lambda row: str(row.type))
def test_limits_are_those_of_numpy(row: ElementType):
    if isinstance(row.type, AnyFloat):
        assert row.limits == (-np.inf, np.inf)
    elif row.type == i1:
        assert row.limits == (0, 1)
    else:
        info = np.iinfo(row.dtype)
        assert row.limits == (info.min, info.max)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.type))
def test_a_compute_type_is_computed_with(row: ElementType):
    wide = ELEMENT_TYPES[row.compute]
    assert not wide.is_widened
    assert wide.limits[0] <= row.limits[0] <= row.limits[1] <= wide.limits[1]


@pytest.mark.parametrize("row", STORED, ids=lambda row: str(row.type))
def test_limits_of_what_is_stored_are_those_of_ml_dtypes(row: ElementType):
    package = pytest.importorskip("ml_dtypes")
    kind = getattr(package, row.numpy)
    assert row.dtype.itemsize == np.dtype(kind).itemsize == 1
    if row.format is not None:
        assert row.bits == row.format.bits == package.finfo(kind).bits
        assert row.format.greatest == float(package.finfo(kind).max)
    else:
        assert row.limits == (package.iinfo(kind).min, package.iinfo(kind).max)


def test_what_is_no_element_is_computed_as_it_is():
    assert [compute_type(each) for each in (i32, i64)] == [i32, i64]


def test_a_float_is_widened_by_an_op_of_its_own():
    assert [loaded_type(each) for each in (f16, bf16, si8)] == [f16, bf16, i32]


@pytest.mark.torch
@pytest.mark.parametrize(
    "row", [each for each in ROWS if each.torch], ids=lambda row: str(row.type)
)
def test_names_of_pytorch(row: ElementType):
    import torch

    dtype = getattr(torch, row.torch)
    assert dtype.itemsize == row.dtype.itemsize
    if row.bits >= 8 or row.type == i1:  # others cannot be filled
        assert torch.zeros(1, dtype=dtype).type() == f"torch.{row.scalar_type}Tensor"
