"""
Remove lists, tuples and dictionaries: their elements are used directly.

Before:

    %0 = graph.list_construct %a, %b : tensor<2xf32>, tensor<3xf32>
        -> !graph.list<tensor<2xf32>, tensor<3xf32>>
    %1 = graph.concat_list %0 {axis = 0 : i64}
        : !graph.list<tensor<2xf32>, tensor<3xf32>> -> tensor<5xf32>

After:

    %1 = graph.concat %a, %b {axis = 0 : i64}
        : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>

A container's type lists its elements, so every access to an element is resolved at
compile time. Containers among the arguments and results of a function are replaced by
their elements, in order. From here no value is a container; a remaining one is an
error.

This is list-construct elimination of PyTorch's Static Runtime (`UseVariadicCat` and its
kin), for containers of every kind and nesting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.transforms.dead_code_elimination import dce
from xdsl.utils.exceptions import VerifyException

from ....dialects.graph import (
    ConcatListOp,
    ConcatOp,
    DictConstructOp,
    DictGetOp,
    DictType,
    ListConstructOp,
    ListType,
    ListUnpackOp,
    TupleConstructOp,
    TupleGetOp,
    TupleType,
)
from ..defined_functions import defined_functions

_Container = ListType | TupleType | DictType


@dataclass(frozen=True)
class EliminateListConstructs(ModulePass):
    """Replaces every container by its elements."""

    name = "eliminate-list-constructs"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        defined = defined_functions(op)
        for function in defined:
            _flatten_arguments(function)
        for each in list(op.walk()):
            _replace_use(each)
        # By this point the construction of every returned container is visible.
        for function in defined:
            _flatten_results(function)
        dce(op)
        _verify_no_containers(op)


def _elements_of(value: SSAValue) -> Sequence[SSAValue]:
    """The elements of a container, whose construction must be visible."""
    owner = value.owner
    if isinstance(owner, ListConstructOp | TupleConstructOp | DictConstructOp):
        return list(owner.elements)
    raise VerifyException(f"expected a container that is constructed, got {value.type}")


def _replace_use(op: Operation) -> None:
    """Replaces an op on a container by an op on the elements."""
    match op:
        case ConcatListOp():
            values = _elements_of(op.list)
            new = ConcatOp(*values, axis=op.axis.value.data)
            new.location = op.location
            Rewriter.replace_op(op, new)
        case ListUnpackOp():
            Rewriter.replace_op(op, [], _elements_of(op.list))
        case TupleGetOp():
            element = _elements_of(op.tuple_)[op.index.value.data]
            Rewriter.replace_op(op, [], [element])
        case DictGetOp():
            assert isinstance(op.dict_.type, DictType)
            number = list(op.dict_.type.keys).index(op.key)
            Rewriter.replace_op(op, [], [_elements_of(op.dict_)[number]])
        case _:
            return


def _leaves(type: Attribute) -> Iterator[Attribute]:
    """The types of the elements of `type`, nested containers flattened."""
    if isinstance(type, _Container):
        for element in type.elements:
            yield from _leaves(element)
    else:
        yield type


def _flatten_arguments(function: func.FuncOp) -> None:
    """Replaces container arguments of the function by one argument per element."""
    block = function.body.block
    at = InsertPoint.at_start(block)
    for argument in list(block.args):
        if not isinstance(argument.type, _Container):
            continue
        inner = [
            block.insert_arg(type, argument.index + number)
            for number, type in enumerate(_leaves(argument.type))
        ]
        whole = _rebuild(argument.type, iter(inner), at)
        argument.replace_all_uses_with(whole)
        block.erase_arg(argument)
    function.update_function_type()


def _rebuild(type: Attribute, values: Iterator[SSAValue], at: InsertPoint) -> SSAValue:
    """Builds a container of this type from the values of its leaves."""
    if not isinstance(type, _Container):
        return next(values)
    elements = [_rebuild(each, values, at) for each in type.elements]
    match type:
        case ListType():
            op: Operation = ListConstructOp(*elements)
        case TupleType():
            op = TupleConstructOp(*elements)
        case DictType():
            keys = tuple(each.data for each in type.keys)
            op = DictConstructOp(*elements, keys=keys)
    Rewriter.insert_op(op, at)
    return op.results[0]


def _flatten_results(function: func.FuncOp) -> None:
    """Replaces container results of the function by their elements."""
    end = function.body.block.last_op
    assert isinstance(end, func.ReturnOp)

    def flat(value: SSAValue) -> Iterator[SSAValue]:
        if not isinstance(value.type, _Container):
            yield value
            return
        for element in _elements_of(value):
            yield from flat(element)

    Rewriter.replace_op(
        end, func.ReturnOp(*(each for value in end.operands for each in flat(value)))
    )
    function.update_function_type()


def _verify_no_containers(module: ModuleOp) -> None:
    """Raises `VerifyException` when a value is still a container."""
    for op in module.walk():
        for value in (*op.operands, *op.results):
            if isinstance(value.type, _Container):
                raise VerifyException(
                    f"expected no container after eliminate-list-constructs, got "
                    f"{value.type} at {op.name}"
                )
