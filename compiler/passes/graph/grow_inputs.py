"""
Let a cache that grows by concatenation be appended to where it is.

With `grow-inputs{sizes=past}`:

Before:

    func.func @main(%k: tensor<2x?xf32, ["past"]>, %row: tensor<2x1xf32>) {
      %0 = graph.concat %k, %row {axis = 1 : i64} : … ["past + 1"]>
      … %0 …
      func.return %0

After:

    func.func @main(%k: tensor<2x?xf32, ["capacity"]>, …, %past: tensor<i64>) {
      graph.define_symbol %past {symbol = "past", low = "0", high = "capacity"}
      %0 = graph.scatter_nd %k, %places, %row {axes = array<i64: 1>, …} : …
      %1 = graph.slice %0 {sizes = ["2", "past + 1"], …} : …
      … %1 …
      func.return %0

An input with such a size has room for more, and is used as far as it is filled; the
size itself becomes an input. So what a run plans depends on the capacity alone, and
`split-updates` and `analyze-donations` let the rows be written where the cache is. What
callers give and get stays as it was: the attribute `graph.growth` tells it, and the
runtime makes one of the other (`runtime/call/growing.py`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
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
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa

from ....dialects import (
    Dim,
    minimum,
    normalize_axis,
    sizes,
    symbol,
    symbols_of,
    tensor,
    tensor_type,
)
from ....dialects.graph import ConcatOp, DefineSymbolOp
from ....dialects.graph.compose import (
    cut,
    distinct,
    joined,
    part,
    progression,
    quantity,
)
from ....runtime.program import GROWTH, Cache, Growth
from ...ir import INPUT_NAMES, SYMBOLS
from ..defined_functions import defined_functions
from ..symbol_ranges import free_symbol, known_symbols, tensors_of

_ENDLESS = 2**62
"""What no size of a tensor reaches."""


@dataclass(frozen=True)
class GrowInputs(ModulePass):
    """Gives inputs of sizes that grow from call to call room for what is appended."""

    name = "grow-inputs"

    sizes: tuple[str, ...] = ()
    """The symbols that grow, such as `past`."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if not self.sizes:
            return
        for function in defined_functions(op):
            _Growing(function, self.sizes).grow()


class _Growing:
    """How the inputs of one function get room."""

    def __init__(self, function: func.FuncOp, names: Sequence[str]):
        """A function, and the symbols of it that grow; refuses unknown ones."""
        self.function, self.block, self.names = function, function.body.block, names
        shapes = [sizes(tensor_type(each)) for each in tensors_of(function)]
        known = {
            name
            for shape in shapes
            for size in shape
            if symbols_of(size) == {name := str(size)}
        }
        if unknown := [name for name in names if name not in known]:
            raise VerifyException(
                "expected sizes of the inputs that grow "
                f"({', '.join(sorted(known)) or 'none is open'}), got "
                f"{', '.join(unknown)}"
            )
        self.capacity = symbol(free_symbol("capacity", known_symbols(function)))

    def grow(self) -> None:
        """Changes the function."""
        end = self.block.last_op
        assert isinstance(end, func.ReturnOp), "a function ends with its results"
        given = [sizes(tensor_type(each)) for each in self.block.args]
        returned = [sizes(tensor_type(each)) for each in end.operands]
        parts = self.make_room()
        caches = [*self.append(end, parts)]
        if not caches:
            raise VerifyException(
                "expected an output that joins an input of size "
                f"{' or '.join(self.names)} and new rows, by one concatenation, "
                "got none"
            )
        growth = Growth(
            sizes=tuple(self.names),
            capacity=str(self.capacity),
            inputs=tuple(tuple(map(_plain, each)) for each in given),
            outputs=tuple(tuple(map(_plain, each)) for each in returned),
            caches=tuple(caches),
        )
        attributes = self.function.attributes
        attributes[GROWTH] = StringAttr(growth.to_json())
        self.name_inputs(len(given))
        self.function.update_function_type()

    def make_room(self) -> dict[SSAValue, BlockArgument]:
        """The filled part of each input that got room, with the input."""
        found: dict[SSAValue, BlockArgument] = {}
        lengths = [
            self.block.insert_arg(tensor(i64), len(self.block.args)) for _ in self.names
        ]
        before = Block()
        with ImplicitBuilder(before):
            for name, value in zip(self.names, lengths, strict=True):
                value.name_hint = name
                least, most = self.range_of(name)
                DefineSymbolOp(value, symbol=name, low=str(least), high=str(most))
            for argument in tensors_of(self.function):
                at = argument.index
                if (filled := self.widened(argument)) is not None:
                    found[filled] = self.block.args[at]
        Rewriter.inline_block(before, InsertPoint.at_start(self.block))
        return found

    def widened(self, argument: BlockArgument) -> SSAValue | None:
        """Builds the filled part of an input that gets room; None for others."""
        shape = sizes(tensor_type(argument))
        grown = {*self.names}
        wide = [self.capacity if symbols_of(s) & grown else s for s in shape]
        if wide == list(shape):
            return None
        element, at = tensor_type(argument).element_type, argument.index
        Rewriter.replace_value_with_new_type(argument, tensor(element, *wide))
        # Another value, since a value has its type for life.
        argument = self.block.args[at]
        uses = [*argument.uses]
        value = cut(argument, {at: (0, size, 1) for at, size in enumerate(shape)})
        for use in uses:
            use.operation.operands[use.index] = value
        return value

    def append(
        self, end: func.ReturnOp, parts: Mapping[SSAValue, BlockArgument]
    ) -> Iterator[Cache]:
        """Lets outputs that are inputs and more be written where the inputs are."""
        found = set[int]()
        for number, value in enumerate([*end.operands]):
            op = value.owner
            if not isinstance(op, ConcatOp) or len(op.operands) < 2:
                continue
            cache = parts.get(op.operands[0])
            axis = normalize_axis(op.axis.value.data, len(sizes(tensor_type(value))))
            if cache is None or cache.index in found or not self.fits(cache, op, axis):
                continue
            found.add(cache.index)
            whole = self.appended(cache, op, axis)
            end.operands[number] = whole
            yield Cache(cache.index, number, axis)

    def fits(self, cache: BlockArgument, op: ConcatOp, axis: int) -> bool:
        """Whether a concatenation has the shape of an input but along its axis."""
        room = sizes(tensor_type(cache))
        got = sizes(tensor_type(op.result))
        return room[axis] == self.capacity and all(
            at == axis or one == other
            for at, (one, other) in enumerate(zip(room, got, strict=True))
        )

    def appended(self, cache: BlockArgument, op: ConcatOp, axis: int) -> SSAValue:
        """The input with the rows after it; other users get the filled part."""
        before = Block()
        filled, *rows = op.operands
        shape = sizes(tensor_type(op.result))
        with ImplicitBuilder(before):
            new = joined(rows, axis)
            count = sizes(tensor_type(new))[axis]
            start = sizes(tensor_type(filled))[axis]
            places = progression(quantity(start, i64), 1, count)
            whole = distinct.combined_at(cache, places, new, "none", axis)
            result = part(whole, axis, 0, shape[axis])
        for each in before.ops:
            each.location = op.location
        Rewriter.inline_block(before, InsertPoint.before(op))
        op.result.replace_all_uses_with(result)
        Rewriter.erase_op(op)
        return whole

    def range_of(self, name: str) -> tuple[Dim, Dim]:
        """The least and the most of a symbol that grows, which is none of a call."""
        low, high = 0, self.capacity
        known = self.function.attributes.get(SYMBOLS)
        if not isinstance(known, DictionaryAttr):
            return low, high
        ranges = dict(known.data)
        match ranges.pop(name, None):
            case ArrayAttr(data=(IntegerAttr() as least, IntegerAttr() as most)):
                low = least.value.data
                if most.value.data < _ENDLESS:
                    high = minimum(high, most.value.data)
            case _:
                pass
        self.function.attributes[SYMBOLS] = DictionaryAttr(ranges)
        return low, high

    def name_inputs(self, given: int) -> None:
        """Names the inputs that were added, if the others have names."""
        known = self.function.attributes.get(INPUT_NAMES)
        if not isa(known, ArrayAttr[StringAttr]) or len(known) != given:
            return
        names = [each.data for each in known]
        for each in self.names:
            names.append(free_symbol(each, {*names}))
        self.function.attributes[INPUT_NAMES] = ArrayAttr(map(StringAttr, names))


def _plain(size: Dim) -> int | str:
    """A size as the runtime knows it."""
    return size if isinstance(size, int) else str(size)
