"""Make inputs of a module of the graph dialect the constants that the user gives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, BlockArgument
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ..dialects import Array, dtype, shown, sizes, symbols_of, tensor_type
from ..runtime.call import to_array
from ..runtime.program import TensorInfo
from .frontends import constant
from .ir import INPUT_NAMES, WeightStore
from .passes import bind_symbols
from .session import CompileError


def pin_inputs(
    module: ModuleOp, constants: Mapping[str, Any], weights: WeightStore
) -> ModuleOp:
    """The module with these inputs as constants; it is changed."""
    for function in module.ops:
        if isinstance(function, func.FuncOp):
            for name, value in constants.items():
                try:
                    _pin(function, name, value, weights)
                except VerifyException as error:
                    raise CompileError(f"constant {name!r}: {error}") from error
    return module


def _pin(function: func.FuncOp, name: str, value: Any, weights: WeightStore) -> None:
    """Makes one input of a function a constant."""
    attribute = function.attributes.get(INPUT_NAMES)
    assert isa(attribute, ArrayAttr[StringAttr]), "front ends name the inputs"
    names = [each.data for each in attribute]
    if name not in names:
        raise CompileError(
            f"expected constants for inputs of the model ({', '.join(names)}), got "
            f"{name}"
        )
    at = names.index(name)
    array = _array(function.args[at], name, value)
    found = {
        str(size): actual
        for size, actual in zip(
            sizes(tensor_type(function.args[at])), array.shape, strict=False
        )
        if symbols_of(size) == {str(size)}
    }
    if found:
        bind_symbols(function, found)
    # Another value, since a value has its type for life.
    argument = function.args[at]
    expected = sizes(tensor_type(argument))
    if expected != array.shape:
        raise CompileError(
            f"constant {name!r}: expected shape [{shown(expected, ', ')}], got "
            f"{[*array.shape]}"
        )
    block = function.body.block
    before = Block()
    with ImplicitBuilder(before):
        made = constant(array, name, weights)
    Rewriter.inline_block(before, InsertPoint.at_start(block))
    argument.replace_all_uses_with(made)
    block.erase_arg(argument)
    del names[at]
    function.attributes[INPUT_NAMES] = ArrayAttr(map(StringAttr, names))
    function.update_function_type()


def _array(argument: BlockArgument, name: str, value: Any) -> Array:
    """The value as an array with elements of the type of the argument."""
    try:
        return to_array(value, TensorInfo(name, dtype(tensor_type(argument)).name, ()))
    except (TypeError, ValueError) as error:
        raise CompileError(f"constant for {error}") from error
