"""`graph.define_symbol`: a size that is computed at run time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr, TensorType, i64
from xdsl.ir import Block
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, traits_def
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, dim, symbol, symbols_of
from ...ranges import Ranges, resolved
from ...shape import Array, Tensor, sizes, tensor, tensor_type
from ..op import GraphOp


@irdl_op_definition
class DefineSymbolOp(GraphOp):
    """
    Gives a symbol the value of an integer, for the ops after this one.

    An integer outside of `low` to `high`, both included, is a `ValueError` when the
    model runs. Memory of tensors with this size is planned for `high`, which may depend
    on the sizes of inputs, and on symbols that were defined before.

    ```mlir
    graph.define_symbol %0 {symbol = "count", low = "0", high = "2 * batch"} : tensor<i64>
    ```
    """

    name = "graph.define_symbol"

    DIM_PROPERTIES: ClassVar = ("low", "high")

    value = operand_def(TensorType)
    symbol = prop_def(StringAttr)
    low = prop_def(StringAttr)
    high = prop_def(StringAttr)

    # It has no result, but later types depend on the symbol.
    traits = traits_def(MemoryWriteEffect())

    @classmethod
    def infer(cls, value: Tensor, symbol: str, low: str, high: str) -> tuple[()]:
        if value != tensor(i64):
            raise VerifyException(f"expected one number tensor<i64>, got {value}")
        _verify_name(symbol)
        for each in (low, high):
            dim(each)
        return ()

    @property
    def range(self) -> tuple[Dim, Dim]:
        """The least and the greatest value of the symbol."""
        return dim(self.low.data), dim(self.high.data)

    def defines(self, operands: Sequence[Array]) -> Mapping[str, int]:
        return {self.symbol.data: int(operands[0])}

    def reference(
        self, value: Array, symbol: str, low: tuple[int, ...], high: tuple[int, ...]
    ) -> tuple[Array, ...]:
        if not low[0] <= value <= high[0]:
            raise ValueError(f"expected a size from {low[0]} to {high[0]}, got {value}")
        return ()


def _verify_name(name: str) -> None:
    """Raises `VerifyException` for an invalid name of a symbol."""
    try:
        symbol(name)
    except ValueError as error:
        raise VerifyException(str(error)) from error


def defined_symbols(block: Block) -> Ranges:
    """
    The symbols that a block and its regions define, with their ranges, which depend on
    other symbols only.

    Raises `VerifyException` for a symbol that is defined twice, or is a size of an
    argument: it would have two values, and memory planned for one of them.
    """
    known = {
        name
        for each in block.args
        if isinstance(each.type, TensorType)
        for size in sizes(tensor_type(each))
        for name in symbols_of(size)
    }
    found: dict[str, tuple[Dim, Dim]] = {}
    for op in block.walk():
        if isinstance(op, DefineSymbolOp):
            name = op.symbol.data
            if name in found or name in known:
                raise VerifyException(
                    f"expected a new symbol to be defined, got {name} again"
                )
            found[name] = op.range
    return resolved(found)
