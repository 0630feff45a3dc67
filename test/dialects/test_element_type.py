"""The rows of the table of element types say what numpy, ONNX and PyTorch say."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto, helper
from xdsl.dialects.builtin import AnyFloat, i1, i32, i64

from static_runtime.dialects.element_type import (
    ELEMENT_TYPES,
    ElementType,
    compute_type,
)
from static_runtime.runtime.abi import DTYPE_NAMES

ROWS = [*ELEMENT_TYPES.values()]
COMPUTED = [row for row in ROWS if row.is_computed]


def test_calls_take_what_ops_take():
    assert {row.numpy for row in COMPUTED} == {*DTYPE_NAMES}


def test_each_column_names_one_type():
    for column in ("type", "numpy", "onnx", "torch", "scalar_type", "scalar_number"):
        assert len({getattr(row, column) for row in ROWS}) == len(ROWS), column


@pytest.mark.parametrize("row", COMPUTED, ids=lambda row: str(row.type))
def test_numbers_of_onnx(row: ElementType):
    assert helper.tensor_dtype_to_np_dtype(row.onnx) == row.dtype
    name = TensorProto.DataType.Name(row.onnx).lower()
    assert name in (row.numpy, "float", "double")


@pytest.mark.parametrize("row", COMPUTED, ids=lambda row: str(row.type))
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


def test_what_is_no_element_is_computed_as_it_is():
    assert [compute_type(each) for each in (i32, i64)] == [i32, i64]


@pytest.mark.torch
@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row.type))
def test_names_of_pytorch(row: ElementType):
    import torch

    dtype = getattr(torch, row.torch)
    assert dtype.itemsize == row.dtype.itemsize
    assert torch.zeros(1, dtype=dtype).type() == f"torch.{row.scalar_type}Tensor"
