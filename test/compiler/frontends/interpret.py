"""A function of the graph dialect run op by op, each by its reference in numpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.utils.hints import isa

from static_runtime.compiler.ir.weights import WeightStore
from static_runtime.dialects.dims import evaluate
from static_runtime.dialects.graph.op import GraphOp
from static_runtime.dialects.graph.ops.containers import ListConstructOp
from static_runtime.dialects.graph.ops.get_attr import GetAttrOp
from static_runtime.dialects.graph.storage.stored import StoredOp
from static_runtime.dialects.multiples import affine
from static_runtime.dialects.shape import DTYPES, sizes, tensor_type

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


def interpret(
    module: ModuleOp, weights: WeightStore, inputs: Sequence[Array]
) -> list[Array]:
    """What the function computes; every value has the type that it says."""
    function, values = main(module), symbols(module, inputs)
    known: dict[SSAValue, Any] = dict(zip(function.args, inputs, strict=True))
    *ops, end = function.body.block.ops
    for op in ops:
        if isinstance(op, StoredOp):
            assert isinstance(op, GetAttrOp), "freezing comes later"
            known[op.result] = weights[op.key.data]
        elif isinstance(op, ListConstructOp):
            known[op.result] = [known[each] for each in op.operands]
            continue
        else:
            assert isinstance(op, GraphOp)
            check_requirements(op, values)
            operands = [known[each] for each in op.operands]
            with np.errstate(all="ignore"):
                results = op.run_reference(operands, values)
            values |= op.defines(operands)
            for result, found in zip(op.results, results, strict=True):
                is_tensor = isinstance(result.type, TensorType)
                known[result] = np.asarray(found) if is_tensor else found
        for result in op.results:
            if isinstance(result.type, TensorType):
                check(result, known[result], values)
    return [known[value] for value in end.operands]


def check(value: SSAValue, array: Array, symbols: dict[str, int]) -> None:
    """The array has the type that the value has."""
    type = tensor_type(value)
    assert array.dtype == DTYPES[type.element_type], value
    assert array.shape == tuple(evaluate(each, symbols) for each in sizes(type)), value


def check_requirements(op: GraphOp, symbols: dict[str, int]) -> None:
    """What must hold of the sizes holds, as it is checked before a run."""
    for each in op.all_requirements():
        if int(str(evaluate(each.value, symbols))) < 0:
            raise ValueError(each.message)
