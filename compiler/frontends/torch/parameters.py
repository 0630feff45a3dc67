"""Parameters, buffers and constant tensors of an exported program, as weights."""

from __future__ import annotations

from typing import Any

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import InputKind, InputSpec
from xdsl.ir import SSAValue

from ....dialects import DTYPES, Array, tensor
from ....dialects.graph import ConstantOp, GetAttrOp
from ...ir import WeightStore
from ..stored import is_small
from ..unsupported import Unsupported
from .call import Pair
from .computed import parts_of
from .dtypes import element_of, part_of, to_numpy

KINDS = (InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR)
"""The kinds of inputs of an exported program that its caller does not pass."""


class Parameters:
    """The tensors of a program; one that is held twice is stored once."""

    def __init__(self, program: ExportedProgram, weights: WeightStore):
        """The tensors of `program`, before any is stored."""
        self._tensors: dict[str, Any] = {**program.constants, **program.state_dict}
        self._weights = weights
        self._keys: dict[object, str] = {}

    def read(self, spec: InputSpec) -> SSAValue | Pair:
        """Builds the op of a stored tensor, two of complex ones; or `Unsupported`."""
        assert spec.target is not None, "what a program holds has a name"
        held = self._tensors[spec.target]
        if str(held.layout) != "torch.strided" or held.device.type == "meta":
            raise Unsupported(f"a tensor of layout {held.layout} on {held.device.type}")
        part_of(held.dtype)
        parts = parts_of(held)
        values = [self._read(spec, held, *each) for each in enumerate(parts)]
        return values[0] if len(values) == 1 else Pair(*values)

    def _read(
        self, spec: InputSpec, held: torch.Tensor, number: int, part: torch.Tensor
    ) -> SSAValue:
        """Builds the op of a part of a stored tensor, by its number."""
        array = _to_numpy(part)
        if spec.kind is InputKind.CONSTANT_TENSOR and is_small(array):
            return ConstantOp(value=array).result
        place = held.data_ptr(), held.shape, held.stride(), held.dtype
        signs = number, held.is_conj(), held.is_neg()
        identity = (*place, *signs) if held.numel() else (spec.target, number)
        if identity not in self._keys:
            self._keys[identity] = self._weights.put(str(spec.target), array)
        element = element_of(part.dtype)
        return GetAttrOp(self._keys[identity], tensor(element, *array.shape)).result


def _to_numpy(part: torch.Tensor) -> Array:
    """A part as a read-only array, without a copy."""
    array = to_numpy(part)
    assert array.dtype in DTYPES.values()
    array = array.view()
    array.flags.writeable = False
    return array
