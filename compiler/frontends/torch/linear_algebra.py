"""
Linear algebra: factors of matrices, determinants, inverses, solutions of equations.

Matrices of a batch are one stack. Where PyTorch raises an error, as for a matrix that
has no inverse, results have infinities and NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import Tensor
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from ....dialects import Dim, minimum, product, sizes, tensor_type
from ....dialects.graph import (
    DiagonalOp,
    EqOp,
    GtOp,
    LogOp,
    LtOp,
    NegOp,
    ProdOp,
    ReduceMinOp,
    SubOp,
    SumOp,
    WhereOp,
)
from ....dialects.graph.compose import (
    convert,
    counted,
    expanded,
    matrices,
    number,
    number_like,
    part,
    plus,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result

_NEVER = 2**31 - 1
"""The number of a step that there is not."""


def stack_of(x: SSAValue) -> SSAValue:
    """A batch of matrices as one stack."""
    *outer, height, width = shape_of(x)
    return reshaped(x, [product(outer), height, width])


def broadcast_stacks(call: Call, a: SSAValue, b: SSAValue) -> tuple[SSAValue, SSAValue]:
    """Two batches of matrices as stacks of one length, that of the result."""
    outer = call.sizes.shape(_first_of(call))[:-2]
    return tuple(  # pyright: ignore[reportReturnType]
        stack_of(expanded(each, [*outer, *shape_of(each)[-2:]])) for each in (a, b)
    )


def _first_of(call: Call) -> Tensor:
    """What torch says of the first result."""
    value: Any = call.node.meta["val"]
    return value if isinstance(value, Tensor) else value[0]


def as_results(call: Call, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Values as the results of a call, in their shapes and types."""
    types = call.types
    return [
        convert(reshaped(each, sizes(type)), type.element_type)
        for each, type in zip(values, types, strict=True)
    ]


def _numbers_of(places: SSAValue) -> SSAValue:
    """Rows that were exchanged as LAPACK numbers them."""
    return plus(places, 1)


def failures_of(singular: SSAValue) -> SSAValue:
    """The number of the first step that fails for each matrix, or zero."""
    _, count = shape_of(singular)
    numbers = plus(counted(count, 1, 2), 1)
    none = number(0, i64)
    if count == 0:
        return SumOp(convert(singular, i64), axes=(1,), keepdims=False).result
    first = WhereOp(singular, numbers, number(_NEVER, i64)).result
    last = ReduceMinOp(first, axes=(1,), keepdims=False).result
    return WhereOp(EqOp(last, number(_NEVER, i64)), none, last).result


def _zero_pivots(both: SSAValue) -> SSAValue:
    """Which of the pivots of a stack are zero."""
    diagonal = DiagonalOp(both, axes=(1, 2), offset=0).result
    return EqOp(diagonal, number_like(0, both)).result


def _lu_factor(
    call: Call, a: SSAValue, pivot: bool = True, check_errors: bool = False
) -> Result:
    """L and U in one, the rows that were exchanged, and where a pivot is zero."""
    if not pivot:
        raise Unsupported("factors without exchanges of rows")
    found = matrices.factored(stack_of(a))
    failures = failures_of(_zero_pivots(found.both))
    return as_results(call, [found.both, _numbers_of(found.exchanged), failures])


def _lu(call: Call, a: SSAValue, pivot: bool = True) -> Result:
    """The matrices P, L and U whose product is a matrix."""
    if not pivot:
        raise Unsupported("factors without exchanges of rows")
    found = matrices.factored(stack_of(a))
    order = matrices.permutation(found.order, a)
    return as_results(call, [order, *_triangles(found.both)])


def _triangles(both: SSAValue) -> tuple[SSAValue, SSAValue]:
    """L and U of the matrix that has both."""
    _, height, width = shape_of(both)
    least = minimum(height, width)
    below = part(both, 2, 0, least)
    return matrices.lower(below, is_unit=True), matrices.upper(part(both, 1, 0, least))


def _unpacked(
    call: Call,
    both: SSAValue,
    pivots: SSAValue,
    unpack_data: bool = True,
    unpack_pivots: bool = True,
) -> Result:
    """P, L and U of factors in one matrix and of the rows that were exchanged."""
    nothing = expanded(number_like(0, both), [0])
    order, below, above = nothing, nothing, nothing
    if unpack_pivots:
        height = shape_of(both)[-2]
        order = matrices.permutation(_order(pivots, height), both)
    if unpack_data:
        below, above = _triangles(stack_of(both))
    return as_results(call, [order, below, above])


def _order(pivots: SSAValue, height: Dim) -> SSAValue:
    """The order of rows of the exchanges that LAPACK numbers."""
    *outer, count = shape_of(pivots)
    places = plus(convert(reshaped(pivots, [product(outer), count]), i64), -1)
    return matrices.order_of(places, height)


def _determinant(call: Call, a: SSAValue) -> Result:
    """The determinants, and the factors that they were found by."""
    found = matrices.factored(stack_of(a))
    value = matrices.determinant(found)
    return as_results(call, [value, found.both, _numbers_of(found.exchanged)])


def _sign_and_log(call: Call, a: SSAValue) -> Result:
    """The sign and the logarithm of the size of determinants, and the factors."""
    found = matrices.factored(stack_of(a))
    diagonal = DiagonalOp(found.both, axes=(1, 2), offset=0).result
    zero = number_like(0, diagonal)
    signs = SubOp(
        convert(GtOp(diagonal, zero).result, tensor_type(a).element_type),
        convert(LtOp(diagonal, zero).result, tensor_type(a).element_type),
    ).result
    sizes_of = WhereOp(LtOp(diagonal, zero), NegOp(diagonal), diagonal)
    logs = LogOp(sizes_of).result
    sign = ProdOp(signs, axes=(1,), keepdims=False).result
    sign = WhereOp(matrices.is_odd(found.exchanged), NegOp(sign), sign).result
    log = SumOp(logs, axes=(1,), keepdims=False).result
    return as_results(call, [sign, log, found.both, _numbers_of(found.exchanged)])


def _is_vector(a: SSAValue, b: SSAValue) -> bool:
    """Whether what equations shall make is a vector for each matrix, as torch says."""
    return len(shape_of(b)) == 1 or (
        len(shape_of(b)) == len(shape_of(a)) - 1 and shape_of(b) == shape_of(a)[:-1]
    )


def _solve(
    call: Call, a: SSAValue, b: SSAValue, left: bool = True, check_errors: bool = False
) -> Result:
    """The solutions of equations, and the factors that they were found by."""
    matrix = stack_of(a)
    is_vector = _is_vector(a, b)
    right = reshaped(b, [*shape_of(b), 1]) if is_vector else b
    outer = shape_of(a)[:-2]
    if len(call.types[0].shape) > 1:
        own = sizes(call.types[0])
        outer = own[:-1] if is_vector else own[:-2]
    matrix, right = (
        stack_of(expanded(each, [*outer, *shape_of(each)[-2:]])) for each in (a, right)
    )
    if left:
        found = matrices.factored(matrix)
        value = matrices.solution(found, right)
    else:
        found = matrices.factored(matrices.transposed(matrix))
        value = matrices.transposed(
            matrices.solution(found, matrices.transposed(right))
        )
    own = matrices.factored(stack_of(a)) if shape_of(a)[:-2] != outer else found
    failures = failures_of(_zero_pivots(own.both))
    both = own.both if left else matrices.transposed(own.both)
    factors = [both, _numbers_of(own.exchanged), failures]
    return as_results(call, [value, *factors])


def _inverse(call: Call, a: SSAValue, check_errors: bool = False) -> Result:
    """The inverses, and where a pivot is zero."""
    found = matrices.factored(stack_of(a))
    failures = failures_of(_zero_pivots(found.both))
    return as_results(call, [matrices.inverse(found), failures])


def _solve_by_factors(
    call: Call,
    both: SSAValue,
    pivots: SSAValue,
    b: SSAValue,
    left: bool = True,
    adjoint: bool = False,
) -> Result:
    """The solutions of equations whose matrices are given by their factors."""
    outer = call.shape[:-2]
    count = shape_of(pivots)[-1]
    order = _order(expanded(pivots, [*outer, count]), count)
    factors, right = (
        stack_of(expanded(each, [*outer, *shape_of(each)[-2:]])) for each in (both, b)
    )
    if not left:
        right = matrices.transposed(right)
    if left != adjoint:
        found = matrices.Factors(factors, order, order)
        value = matrices.solution(found, right)
    else:
        turned = matrices.transposed(factors)
        middle = matrices.solved(turned, right, is_upper=False, is_unit=False)
        rows = matrices.solved(turned, middle, is_upper=True, is_unit=True)
        value = matrices.exchanged(rows, matrices.inverse_order(order))
    if not left:
        value = matrices.transposed(value)
    return reshaped(value, call.shape)


def _triangle(
    a: SSAValue, b: SSAValue, upper: bool, left: bool, is_unit: bool
) -> SSAValue:
    """The solutions of equations whose matrices are triangles."""
    if left:
        return matrices.solved(a, b, upper, is_unit)
    matrix, right = (matrices.transposed(each) for each in (a, b))
    return matrices.transposed(matrices.solved(matrix, right, not upper, is_unit))


def _solve_triangle(
    call: Call,
    a: SSAValue,
    b: SSAValue,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Result:
    """The solutions of equations whose matrices are triangles."""
    value = _triangle(*broadcast_stacks(call, a, b), upper, left, unitriangular)
    return reshaped(value, call.shape)


def _triangular_solve(
    call: Call,
    b: SSAValue,
    a: SSAValue,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Result:
    """The solutions of equations whose matrices are triangles, and these."""
    matrix, right = broadcast_stacks(call, a, b)
    if transpose:
        matrix, upper = matrices.transposed(matrix), not upper
    value = matrices.solved(matrix, right, upper, unitriangular)
    shape = sizes(call.types[1])
    return [reshaped(value, sizes(call.types[0])), expanded(a, shape)]


READERS: dict[str, Reader] = {
    "aten.linalg_lu_factor_ex.default": _lu_factor,
    "aten.linalg_lu.default": _lu,
    "aten.lu_unpack.default": _unpacked,
    "aten._linalg_det.default": _determinant,
    "aten._linalg_slogdet.default": _sign_and_log,
    "aten._linalg_solve_ex.default": _solve,
    "aten.linalg_lu_solve.default": _solve_by_factors,
    "aten.linalg_inv_ex.default": _inverse,
    "aten.linalg_solve_triangular.default": _solve_triangle,
    "aten.triangular_solve.default": _triangular_solve,
}
