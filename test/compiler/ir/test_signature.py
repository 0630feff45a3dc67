"""What the runtime is told of tensors and trees."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, f32

from static_runtime.compiler.ir.signature import structure_of, tensor_info
from static_runtime.dialects.dims import symbol
from static_runtime.dialects.shape import tensor


def test_sizes_are_numbers_or_texts():
    info = tensor_info(tensor(f32, 2, symbol("n") + 1), "x")
    assert (info.name, info.dtype, info.shape) == ("x", "float32", (2, "n + 1"))


def test_without_a_note_there_is_no_structure():
    assert structure_of(ModuleOp([]), {"x"}, 1) is None
