"""
Compute a product with one constant column as a sum along each row.

Before:

    %1 = graph.matmul %x, %w : tensor<?x51xf32>, tensor<51x1xf32> -> tensor<?x1xf32>

After:

    %row = graph.reshape %w {shape = [51]} : tensor<51x1xf32> -> tensor<51xf32>
    %0 = graph.mul %x, %row : tensor<?x51xf32>, tensor<51xf32> -> tensor<?x51xf32>
    %1 = graph.sum %0 {axes = array<i64: 1>, keepdims = true} : … -> tensor<?x1xf32>

The register tile of a product has a lane for each column or row, and adds up along k in
order: one multiply-add after the other for one row, and loads of elements that are
apart for several. A sum reads each row in vectors, in as many partial sums
(`vectorize-loops`). A constant has the same sizes in every run, so the order of the sum
depends on nothing that a run, or a size given to a symbol, could change. Rows of an
open size have that of the column in every run that is valid, which is checked.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.builder import ImplicitBuilder
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, f32, f64
from xdsl.ir import Block
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from ....dialects import sizes, tensor_type
from ....dialects.graph import (
    ConstantOp,
    MatmulOp,
    MulOp,
    ReshapeOp,
    SumOp,
    WeightOp,
    to_names,
)
from ....dialects.graph.compose import retyped

_LEAST = 16
"""
Elements of a row, at least: of 8 a sum takes as long as the product, of 16 down to 0.72
of it (`docs/performance.md`).
"""


@dataclass(frozen=True)
class SumProducts(ModulePass):
    """Replaces products with one constant column by sums."""

    name = "sum-products"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for each in list(op.walk()):
            if isinstance(each, MatmulOp) and _is_column(each):
                _replace(each)


def _is_column(op: MatmulOp) -> bool:
    """Whether a product is one of rows with one constant column."""
    if tensor_type(op.result).element_type not in (f32, f64):
        return False
    if not isinstance(op.rhs.owner, ConstantOp | WeightOp):
        return False
    count, *columns = sizes(tensor_type(op.rhs))
    return isinstance(count, int) and count >= _LEAST and columns == [1]


def _replace(op: MatmulOp) -> None:
    """Replaces a product by a sum."""
    *rows, _ = sizes(tensor_type(op.lhs))
    count, _ = sizes(tensor_type(op.rhs))
    built = Block()
    with ImplicitBuilder(built):
        lhs = retyped(op.lhs, [*rows, count], op.name)
        row = ReshapeOp(op.rhs, shape=to_names([count]))
        terms = MulOp(lhs, row.result)
        total = SumOp(terms.result, axes=(len(rows),), keepdims=True)
    for each in built.ops:
        each.location = op.location
    Rewriter.inline_block(built, InsertPoint.before(op))
    Rewriter.replace_op(op, [], [total.result])
