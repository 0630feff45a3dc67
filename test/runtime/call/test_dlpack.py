"""Tensors of other libraries come in by DLPack on their own memory, bf16 too."""

from __future__ import annotations

import gc
import weakref
from importlib import import_module
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.runtime.abi import BFLOAT16, dtype_of
from static_runtime.runtime.call.dlpack import read_tensor

DOUBLE = """
func.func @main(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %0 = graph.add %x, %x : tensor<2x3xbf16>, tensor<2x3xbf16> -> tensor<2x3xbf16>
  return %0 : tensor<2x3xbf16>
}
"""


@pytest.mark.parametrize("name", ["float16", "uint32", BFLOAT16])
def test_what_numpy_has_is_read_by_numpy(name: str):
    array = np.arange(6, dtype=np.uint32).reshape(2, 3)
    found = read_tensor(array, name)
    assert found.dtype == np.uint32
    assert np.shares_memory(found, array)


@pytest.mark.torch
def test_a_tensor_of_bf16_is_its_bits():
    import torch

    whole = torch.arange(24, dtype=torch.bfloat16).reshape(4, 6)
    for tensor in (whole, whole.T, whole[1:, ::2], whole[0, 0], whole[:0]):
        bits = read_tensor(tensor, BFLOAT16)
        assert bits.dtype == np.uint16
        wanted = tensor.contiguous().view(torch.int16).numpy().view(np.uint16)
        np.testing.assert_array_equal(bits, wanted)
    bits = read_tensor(whole, BFLOAT16)
    bits[0, 0] = 0x4000
    assert whole[0, 0] == 2


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", "float64", BFLOAT16])
def test_a_tensor_that_is_marked_as_negative_has_its_own_sign(dtype: str):
    import torch

    numbers = torch.arange(6, dtype=getattr(torch, dtype)).reshape(2, 3)
    marked = torch._neg_view(numbers)
    assert marked.is_neg()
    found = np.array(read_tensor(marked, dtype))
    wanted = np.array(read_tensor(numbers.neg(), dtype))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.torch
@pytest.mark.parametrize("dtype", ["float32", BFLOAT16])
def test_a_tensor_with_no_memory_is_refused(dtype: str):
    import torch

    fake: Any = import_module("torch._subclasses").FakeTensorMode
    numbers = torch.zeros(4, 3, dtype=getattr(torch, dtype))
    zeros = torch._efficientzerotensor((4, 3), dtype=numbers.dtype)
    given: list[Any] = [fake().from_tensor(numbers), zeros]
    for tensor in given:
        for part in (tensor, tensor[1:]):
            with pytest.raises((BufferError, RuntimeError)):
                read_tensor(part, dtype)
        assert read_tensor(tensor[:0], dtype).shape == (0, 3)


@pytest.mark.torch
def test_the_bits_keep_their_tensor():
    import torch

    tensor = torch.full((1000,), 3, dtype=torch.bfloat16)
    bits = read_tensor(tensor, BFLOAT16)
    alive = weakref.ref(tensor.untyped_storage())
    del tensor
    gc.collect()
    assert (bits == 0x4040).all()
    del bits, alive


@pytest.mark.torch
@pytest.mark.usefixtures("runs_host")
def test_a_call_takes_bf16_only_where_it_is_meant():
    import torch

    module = sr.compile(DOUBLE, options=sr.Options(cache=False))
    x = torch.tensor([[1, -2, 3], [0.5, 0, 1e30]], dtype=torch.bfloat16)
    result = module(x.requires_grad_())
    assert result.dtype == dtype_of(BFLOAT16)
    wanted = (x + x).detach().view(torch.int16).numpy()
    np.testing.assert_array_equal(result.view(np.int16), wanted)
    plain = sr.compile(DOUBLE.replace("bf16", "f32"), options=sr.Options(cache=False))
    with pytest.raises(TypeError, match="expected a tensor of float32 on the CPU"):
        plain(x)
