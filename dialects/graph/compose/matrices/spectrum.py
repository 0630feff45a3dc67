"""Singular values, eigenvalues of symmetric matrices, and what follows from them."""

from __future__ import annotations

from xdsl.ir import SSAValue

from ...ops.arithmetic import AbsOp, SqrtOp
from ...ops.binary import AddOp, MulOp
from ...ops.compare import GeOp, LtOp
from ...ops.diagonal import DiagonalOp
from ...ops.gather import GatherOp
from ...ops.matmul import MatmulOp
from ...ops.reduce import SumOp
from ...ops.sort import SortOp
from ...ops.where import WhereOp
from ..number import element_of, number_like
from ..parts import joined, part
from ..shaping import expanded, shape_of
from .jacobi import orthogonalized
from .orthogonal import orthogonal
from .stepping import as_row, columns_of, rows_of
from .triangular import identity, transposed


def symmetric(x: SSAValue, from_upper: bool) -> SSAValue:
    """Builds a symmetric matrix of one of its triangles."""
    _, size, _ = shape_of(x)
    is_below = GeOp(rows_of(size), columns_of(size)).result
    turned = transposed(x)
    pair = (turned, x) if from_upper else (x, turned)
    return WhereOp(is_below, *pair).result


def _in_order(
    values: SSAValue, columns: SSAValue, descending: bool
) -> tuple[SSAValue, SSAValue]:
    """Builds numbers in order, and the indices of columns in the same order."""
    ordered, indices = SortOp(values, axis=1, descending=descending).results
    return ordered, expanded(as_row(indices), shape_of(columns))


def singular(
    x: SSAValue, is_square: bool = False
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """
    Builds U, the singular values in descending order, and V transposed, of a stack of
    matrices with no more columns than rows; with `is_square` U has all columns.

    Orthogonal columns are those of U times singular values; QR makes units of them, and
    finds more where a singular value is zero.
    """
    _, height, width = shape_of(x)
    assert isinstance(width, int), "the number of columns is known"
    scaled, turn = orthogonalized(x, width)
    squares = SumOp(MulOp(scaled, scaled), axes=(1,), keepdims=False)
    values, index = _in_order(SqrtOp(squares).result, turn, descending=True)
    turn = GatherOp(turn, index, axis=2, wraps=False).result
    stack = shape_of(x)[0]
    wide = expanded(part(index, 1, 0, 1), [stack, height, width])
    scaled = GatherOp(scaled, wide, axis=2, wraps=False).result
    q, triangle = orthogonal(scaled, is_square)
    diagonal = DiagonalOp(triangle, axes=(1, 2), offset=0).result
    one, other = number_like(1, x), number_like(-1, x)
    signs = WhereOp(LtOp(diagonal, number_like(0, x)), other, one).result
    own = MulOp(part(q, 2, 0, width), as_row(signs)).result
    columns = shape_of(q)[2]
    if columns != width:
        own = joined([own, part(q, 2, width, columns - width)], 2)
    return own, values, transposed(turn)


def eigen(x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """
    Builds the eigenvalues of symmetric matrices in ascending order, and the vectors.

    With a multiple of the identity added no eigenvalue is negative; then they are
    singular values.
    """
    stack, size, _ = shape_of(x)
    assert isinstance(size, int), "the number of columns is known"
    rows = SumOp(AbsOp(x), axes=(2,), keepdims=True).result
    bound = SumOp(rows, axes=(1,), keepdims=True)
    one = identity(stack, size, element_of(x))
    moved = AddOp(x, MulOp(one, bound)).result
    _, turn = orthogonalized(moved, size)
    products = MulOp(turn, MatmulOp(x, turn))
    values = SumOp(products, axes=(1,), keepdims=False).result
    ordered, index = _in_order(values, turn, descending=False)
    return ordered, GatherOp(turn, index, axis=2, wraps=False).result
