"""
Make every symbol of the inputs follow from a size that a call shows.

Before:

    func.func @main(%x: tensor<?x3xf32, ["2 * batch"]>) {
      %1 = graph.relu %x : tensor<?x3xf32, ["2 * batch"]> -> ...

After:

    func.func @main(%x: tensor<?x3xf32, ["x_dim0"]>) {
      graph.require {amount = "min(x_dim0 - even, -x_dim0 + even)", ...}
      %0 = graph.reshape %x {shape = ["even", "3"]} : ...
      %1 = graph.relu %0 : tensor<?x3xf32, ["even"]> -> ...

There `even` is short for `2 * floordiv(x_dim0, 2)`, and no input has the size `batch`.

A size `c * n + k` determines `n`, and a new symbol stands for the size. All of the
function is written in the new symbol, so that sizes which were equal still are; the
requirement ends a call with a size that is no `c * n + k`. A symbol that no size
determines in this way stays, and is refused later.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    i64,
)
from xdsl.ir import BlockArgument
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.hints import isa

from ....dialects import (
    Dim,
    affine,
    floordiv,
    maximum,
    minimum,
    sizes,
    symbol,
    tensor,
    tensor_type,
)
from ....dialects.graph import RequireOp, ReshapeOp, to_names
from ...ir import INPUT_NAMES, SYMBOLS
from ..defined_functions import defined_functions
from ..symbol_ranges import free_symbol, known_symbols, tensors_of
from .infer_shapes import bind_symbols

_GREATEST = 2**63 - 1


@dataclass(frozen=True)
class Axis:
    """The axis of an argument whose size is `factor * name + offset`."""

    argument: BlockArgument
    place: int
    name: str
    factor: int
    offset: int

    @property
    def size(self) -> Dim:
        """The size in the symbol."""
        return sizes(tensor_type(self.argument))[self.place]

    def solved(self, whole: Dim) -> Dim:
        """The symbol, where the size is `whole`."""
        rest = whole - self.offset
        return floordiv(maximum(rest, 0) if self.offset > 0 else rest, self.factor)


@dataclass(frozen=True)
class SolveSymbols(ModulePass):
    """Writes symbols that are no size of an input in terms of the sizes of inputs."""

    name = "solve-symbols"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in defined_functions(op):
            while (axis := next(_axes(function), None)) is not None:
                _solve(function, axis)


def _axes(function: func.FuncOp) -> Iterator[Axis]:
    """The axes whose sizes determine a symbol that is no size itself."""
    shapes = [(each, sizes(tensor_type(each))) for each in tensors_of(function)]
    whole = {str(size) for _, shape in shapes for size in shape}
    for argument, shape in shapes:
        for place, size in enumerate(shape):
            if (form := affine(size)) is None:
                continue
            name, factor, offset = form
            if name not in whole and factor > 0:
                yield Axis(argument, place, name, factor, offset)


def _solve(function: func.FuncOp, axis: Axis) -> None:
    """Replaces the symbol of `axis` by what the size of the axis says of it."""
    block, at = function.body.block, axis.argument.index
    source = _name_of(function, axis.argument)
    fresh = symbol(free_symbol(f"{source}_dim{axis.place}", known_symbols(function)))
    stated = axis.size
    _bound(function, axis, str(fresh))
    bind_symbols(function, {axis.name: axis.solved(fresh)})
    # Another value, since a value has its type for life.
    argument = block.args[at]
    type = tensor_type(argument)
    shape = list(sizes(type))
    expected = shape[axis.place]
    builder = Builder(InsertPoint.at_start(block))
    builder.insert(
        RequireOp(
            amount=str(minimum(fresh - expected, expected - fresh)),
            message=f"a size {stated} along axis {axis.place}",
            op=f"input {source}",
        )
    )
    view = builder.insert(ReshapeOp(argument, shape=to_names(shape)))
    argument.replace_uses_with_if(view.result, lambda use: use.operation is not view)
    shape[axis.place] = fresh
    Rewriter.replace_value_with_new_type(argument, tensor(type.element_type, *shape))
    function.update_function_type()


def _bound(function: func.FuncOp, axis: Axis, fresh: str) -> None:
    """Gives the new symbol the range of the size that it stands for."""
    known = function.attributes.get(SYMBOLS)
    ranges = dict(known.data) if isinstance(known, DictionaryAttr) else {}
    match ranges.get(axis.name):
        case ArrayAttr(data=(IntegerAttr() as least, IntegerAttr() as most)):
            limits = (least.value.data, most.value.data)
        case _:
            limits = (0, _GREATEST)
    low, high = (
        max(0, min(each * axis.factor + axis.offset, _GREATEST)) for each in limits
    )
    ranges[fresh] = ArrayAttr([IntegerAttr(low, i64), IntegerAttr(high, i64)])
    function.attributes[SYMBOLS] = DictionaryAttr(ranges)


def _name_of(function: func.FuncOp, argument: BlockArgument) -> str:
    """The name of an input."""
    names = function.attributes.get(INPUT_NAMES)
    if isa(names, ArrayAttr[StringAttr]) and argument.index < len(names):
        return names.data[argument.index].data
    return argument.name_hint or f"input_{argument.index}"
