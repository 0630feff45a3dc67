"""The only function of a module run by references, on inputs that tell its sizes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy.typing as npt
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
)
from xdsl.utils.hints import isa

from static_runtime.compiler.ir.interpret import interpret as run
from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.dialects.dims import evaluate
from static_runtime.dialects.multiples import affine
from static_runtime.dialects.shape import DTYPES, sizes, tensor_type
from static_runtime.runtime.abi import DTYPE_NAMES, bits_of, dtype_of, stored_dtype

Array = npt.NDArray[Any]


def main(module: ModuleOp) -> func.FuncOp:
    """The only function of a module."""
    (function,) = module.ops
    assert isinstance(function, func.FuncOp)
    return function


def names(module: ModuleOp, key: str) -> list[str]:
    """The names of the inputs or of the outputs."""
    attribute = main(module).attributes[f"graph.{key}_names"]
    assert isa(attribute, ArrayAttr[StringAttr])
    return [each.data for each in attribute]


def ranges(module: ModuleOp) -> dict[str, tuple[int, int]]:
    """The range of every symbol."""
    attribute: Any = main(module).attributes.get("graph.symbols", DictionaryAttr({}))
    found: dict[str, tuple[int, int]] = {}
    for name, bounds in attribute.data.items():
        assert isa(bounds, ArrayAttr[IntegerAttr])
        low, high = (each.value.data for each in bounds)
        found[name] = (low, high)
    return found


def symbols(module: ModuleOp, inputs: Sequence[Array]) -> dict[str, int]:
    """What every symbol is for these inputs, which must fit."""
    values: dict[str, int] = {}
    types = [tensor_type(each) for each in main(module).args]
    for type, array in zip(types, inputs, strict=True):
        for size, actual in zip(sizes(type), array.shape, strict=True):
            if (form := affine(size)) is not None:
                # A symbol that no size is by itself is found by a multiple of it.
                name, factor, offset = form
                count, rest = divmod(actual - offset, factor)
                assert not rest
                assert values.setdefault(name, count) == count
    for type, array in zip(types, inputs, strict=True):
        assert DTYPES[type.element_type] == array.dtype
        assert tuple(evaluate(size, values) for size in sizes(type)) == array.shape
    for name, (low, high) in ranges(module).items():
        # No input need have a size of that name.
        assert low <= values.get(name, low) <= high
    return values


_INSIDE = {dtype_of(each): stored_dtype(each) for each in DTYPE_NAMES if bits_of(each)}
"""For each dtype of calls that numpy lacks, the one of arrays in the compiler."""


def interpret(
    module: ModuleOp, weights: WeightStore, inputs: Sequence[Array]
) -> list[Array]:
    """What the function computes; every value has the type that it says."""
    given = [each.view(_INSIDE.get(each.dtype, each.dtype)) for each in inputs]
    found = run(main(module), weights, given, symbols(module, given))
    outside = {here: dtype for dtype, here in _INSIDE.items()}
    return [each.view(outside.get(each.dtype, each.dtype)) for each in found]
