"""
Bind symbols of the inputs to dimensions, and infer the type of every result again.

With `infer-shapes{bind="batch=8"}` the batch of a model becomes 8.

Before:

    func.func @main(%x: tensor<?x3xf32, ["batch"]>) {
      %1 = graph.relu %x : tensor<?x3xf32, ["batch"]> -> tensor<?x3xf32, ["batch"]>

After:

    func.func @main(%x: tensor<8x3xf32>) {
      %1 = graph.relu %x : tensor<8x3xf32> -> tensor<8x3xf32>

A symbol may be bound to a number, or to another dimension. Each op infers its types
from its operands, so that results are known as exactly as the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    ModuleOp,
    TensorType,
)
from xdsl.ir import Attribute, Block
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.utils.exceptions import VerifyException

from ....dialects import Dim, dim, evaluate, sizes, tensor, tensor_type
from ....dialects.graph import (
    DictType,
    GraphOp,
    ListType,
    RegionOp,
    TupleType,
    texts,
    to_attribute,
    to_names,
)
from ...ir import SYMBOLS
from ..defined_functions import defined_functions


@dataclass(frozen=True)
class InferShapes(ModulePass):
    """Sets the type of each result to the one that its op infers."""

    name = "infer-shapes"

    bind: tuple[str, ...] = ()
    """Bindings of symbols, such as `batch=8`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        symbols = dict(_parse_binding(each) for each in self.bind)
        for function in defined_functions(op):
            bind_symbols(function, symbols)


def _parse_binding(text: str) -> tuple[str, Dim]:
    """The symbol and the dimension that `batch=8` names."""
    name, equals, value = text.partition("=")
    try:
        if equals:
            return name.strip(), dim(value)
    except ValueError as error:
        raise VerifyException(str(error)) from error
    raise VerifyException(f"expected a binding such as batch=8, got {text}")


def bind_symbols(function: func.FuncOp, symbols: Mapping[str, Dim]) -> None:
    """Binds the symbols of a function, and infers the types in its body."""
    block = function.body.block
    for argument in block.args:
        Rewriter.replace_value_with_new_type(argument, _bind(argument.type, symbols))
    infer_block(block, symbols)
    function.update_function_type()
    ranges = function.attributes.get(SYMBOLS)
    if isinstance(ranges, DictionaryAttr):
        left = {name: each for name, each in ranges.data.items() if name not in symbols}
        function.attributes[SYMBOLS] = DictionaryAttr(left)


def infer_block(block: Block, symbols: Mapping[str, Dim]) -> None:
    """Infers the types of the results of each op, in order."""
    for op in block.ops:
        if not isinstance(op, GraphOp):
            continue
        for name in {*op.DIM_PROPERTIES} & op.properties.keys():
            op.properties[name] = _bind_property(op, name, symbols)
        if isinstance(op, RegionOp):
            for inner in op.blocks:
                for argument, type in zip(inner.args, op.argument_types(), strict=True):
                    Rewriter.replace_value_with_new_type(argument, type)
                infer_block(inner, symbols)
            types = op.result_types_for()
        else:
            types = op.infer_types(op.operand_types, op.properties)
        for result, type in zip(op.results, types, strict=True):
            if result.type != type:
                Rewriter.replace_value_with_new_type(result, type)


def _bind(type: Attribute, symbols: Mapping[str, Dim]) -> Attribute:
    """The type with symbols replaced by their bindings, in containers too."""
    if isinstance(type, ListType | TupleType | DictType):
        elements = ArrayAttr([_bind(each, symbols) for each in type.elements])
        if isinstance(type, DictType):
            return DictType(type.keys, elements)
        return type.__class__(elements)
    if not isinstance(type, TensorType):
        return type
    known = tensor_type(cast(Attribute, type))
    shape = [evaluate(each, symbols) for each in sizes(known)]
    return tensor(known.element_type, *shape)


def _bind_property(op: GraphOp, name: str, symbols: Mapping[str, Dim]) -> Attribute:
    """A property that holds dimensions, with symbols replaced by their bindings."""
    value = op.values()[name]
    bound = [evaluate(dim(each), symbols) for each in texts(value)]
    return to_attribute(str(bound[0])) if isinstance(value, str) else to_names(bound)
