"""
Orthogonal factors, singular values and eigenvalues, pseudoinverses, exponentials.

Singular vectors and eigenvectors may have the other sign than LAPACK's. They are found
in f64, whatever the type of the matrix is.
"""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from ....dialects import DTYPES, Dim, minimum, product, tensor_type
from ....dialects.graph import DivOp, GtOp, MatmulOp, MaximumOp, MulOp, WhereOp
from ....dialects.graph.compose import (
    convert,
    expanded,
    matrices,
    number_like,
    part,
    permuted,
    reshaped,
    shape_of,
    times,
)
from ..unsupported import Varies
from .call import Call, Reader, Result
from .linear_algebra import as_results, stack_of


def _qr(call: Call, a: SSAValue, mode: str = "reduced") -> Result:
    """Q and R; with mode `r` only that."""
    q, triangle = matrices.orthogonal(stack_of(a), mode == "complete")
    if mode == "r":
        q = expanded(number_like(0, a), [0])
    return as_results(call, [q, triangle])


def _packed(call: Call, a: SSAValue) -> Result:
    """R with reflections below its diagonal, and their factors."""
    return as_results(call, matrices.packed(stack_of(a)))


def _rows_of(factors: SSAValue) -> SSAValue:
    """The factors of reflections, a row for each reflection."""
    *outer, count = shape_of(factors)
    stack = product(outer)
    return reshaped(
        permuted(reshaped(factors, [stack, count]), (1, 0)), [count, stack, 1]
    )


def _product_of_reflections(call: Call, a: SSAValue, factors: SSAValue) -> Result:
    """The first columns of the product of reflections that lie in a matrix."""
    matrix = stack_of(a)
    stack, height, width = shape_of(matrix)
    *_, count = shape_of(factors)
    vectors = part(matrices.vectors_of(matrix), 0, 0, count)
    one = matrices.identity(stack, height, tensor_type(a).element_type)
    value = matrices.reflected(vectors, _rows_of(factors), part(one, 2, 0, width))
    return reshaped(value, call.shape)


def _multiplied(
    call: Call,
    a: SSAValue,
    factors: SSAValue,
    x: SSAValue,
    left: bool = True,
    transpose: bool = False,
) -> Result:
    """The product of reflections that lie in a matrix, times another matrix."""
    *_, count = shape_of(factors)
    vectors = part(matrices.vectors_of(stack_of(a)), 0, 0, count)
    other = stack_of(x) if left else matrices.transposed(stack_of(x))
    backward = transpose != left
    value = matrices.reflected(vectors, _rows_of(factors), other, backward)
    return reshaped(value if left else matrices.transposed(value), call.shape)


def _known_width(size: Dim) -> None:
    """Raises `Varies` unless the number of columns is known."""
    if not isinstance(size, int):
        raise Varies(f"rotations of {size} columns, a number that varies", size)


def _singular_values(
    a: SSAValue, is_full: bool = False
) -> tuple[SSAValue, SSAValue, SSAValue]:
    """U, the singular values and V transposed of a stack of matrices, in f64."""
    matrix = convert(a, f64)
    _, height, width = shape_of(matrix)
    _known_width(height)
    _known_width(width)
    if 0 in (height, width):
        return _of_nothing(matrix, is_full)
    if minimum(height, width) == width:
        return matrices.singular(matrix, is_full)
    u, values, v = matrices.singular(matrices.transposed(matrix), is_full)
    return matrices.transposed(v), values, matrices.transposed(u)


def _of_nothing(matrix: SSAValue, is_full: bool) -> tuple[SSAValue, SSAValue, SSAValue]:
    """U, no singular values, and V transposed of a stack of empty matrices."""
    stack, *sides = shape_of(matrix)
    u, v = (matrices.identity(stack, each, f64) for each in sides)
    none = expanded(number_like(0, matrix), [stack, 0])
    return u if is_full else part(u, 2, 0, 0), none, v if is_full else part(v, 1, 0, 0)


def _svd(
    call: Call,
    a: SSAValue,
    full_matrices: bool = False,
    compute_uv: bool = True,
    driver: str | None = None,
) -> Result:
    """U, the singular values, and V transposed."""
    u, values, v = _singular_values(stack_of(a), full_matrices)
    if not compute_uv:
        u = v = expanded(number_like(0, a), [0])
    return as_results(call, [u, values, v])


def _eigh(
    call: Call, a: SSAValue, triangle: str = "L", compute_v: bool = True
) -> Result:
    """The eigenvalues of symmetric matrices, and the vectors."""
    _known_width(shape_of(a)[-1])
    whole = matrices.symmetric(convert(stack_of(a), f64), triangle in "Uu")
    values, vectors = matrices.eigen(whole)
    if not compute_v:
        vectors = expanded(number_like(0, a), [0])
    return as_results(call, [values, vectors])


def _pseudoinverse(
    call: Call,
    a: SSAValue,
    atol: SSAValue | None = None,
    rtol: SSAValue | None = None,
    hermitian: bool = False,
) -> Result:
    """The pseudoinverses, for which smaller singular values than a limit are zero."""
    element = tensor_type(a).element_type
    *_, height, width = shape_of(a)
    if 0 in (height, width):
        return expanded(number_like(0, a), call.shape)
    matrix = matrices.symmetric(stack_of(a), False) if hermitian else stack_of(a)
    u, values, v = _singular_values(matrix)
    greatest = part(values, 1, 0, 1)
    if rtol is None:
        longest = max(each for each in (height, width) if isinstance(each, int))
        unit = float(np.finfo(DTYPES[element]).eps)
        # A limit that is given is the only one, unless it is zero.
        limit = times(greatest, longest * unit)
        if atol is not None:
            given = GtOp(_column(atol, call), number_like(0, greatest))
            limit = WhereOp(given, number_like(0, greatest), limit).result
    else:
        limit = MulOp(greatest, _column(rtol, call)).result
    if atol is not None:
        limit = MaximumOp(limit, _column(atol, call)).result
    zero, one = number_like(0, values), number_like(1, values)
    inverse = WhereOp(GtOp(values, limit), DivOp(one, values), zero).result
    stack, count = shape_of(values)
    scaled = MulOp(matrices.transposed(v), reshaped(inverse, [stack, 1, count]))
    value = MatmulOp(scaled, matrices.transposed(u)).result
    return reshaped(convert(value, element), call.shape)


def _column(limit: SSAValue, call: Call) -> SSAValue:
    """A limit for each matrix of a batch, as a column of f64."""
    outer = call.shape[:-2]
    return reshaped(expanded(convert(limit, f64), outer), [product(outer), 1])


def _exponential(call: Call, a: SSAValue) -> Result:
    """The exponentials of matrices."""
    value = matrices.exponential(convert(stack_of(a), f64))
    return reshaped(convert(value, call.element), call.shape)


READERS: dict[str, Reader] = {
    "aten.linalg_qr.default": _qr,
    "aten.geqrf.default": _packed,
    "aten.linalg_householder_product.default": _product_of_reflections,
    "aten.ormqr.default": _multiplied,
    "aten._linalg_svd.default": _svd,
    "aten._linalg_eigh.default": _eigh,
    "aten.linalg_pinv.atol_rtol_tensor": _pseudoinverse,
    "aten.linalg_matrix_exp.default": _exponential,
}
