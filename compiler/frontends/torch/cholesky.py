"""Cholesky's factors of matrices, and equations that are solved by them."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from ....dialects import tensor_type
from ....dialects.graph import EqOp, MatmulOp
from ....dialects.graph.compose import matrices, number, reshaped, shape_of
from .call import Call, Reader, Result
from .linear_algebra import as_results, broadcast_stacks, failures_of, stack_of


def _cholesky_or_failure(
    call: Call, a: SSAValue, upper: bool = False, check_errors: bool = False
) -> Result:
    """Cholesky's factors, and which step fails."""
    matrix = stack_of(a)
    found, holds = matrices.cholesky(matrices.transposed(matrix) if upper else matrix)
    failures = failures_of(EqOp(holds, number(False, i1)).result)
    return as_results(call, [matrices.transposed(found) if upper else found, failures])


def _cholesky(call: Call, a: SSAValue, upper: bool = False) -> Result:
    """Cholesky's factors."""
    matrix = stack_of(a)
    found, _ = matrices.cholesky(matrices.transposed(matrix) if upper else matrix)
    return reshaped(matrices.transposed(found) if upper else found, call.shape)


def _solve_by_cholesky(
    call: Call, b: SSAValue, factor: SSAValue, upper: bool = False
) -> Result:
    """The solutions of equations whose matrices are given by Cholesky's factors."""
    matrix, right = broadcast_stacks(call, factor, b)
    below = matrices.transposed(matrix) if upper else matrix
    middle = matrices.solved(below, right, is_upper=False, is_unit=False)
    above = matrices.transposed(below)
    value = matrices.solved(above, middle, is_upper=True, is_unit=False)
    return reshaped(value, call.shape)


def _inverse_by_cholesky(call: Call, factor: SSAValue, upper: bool = False) -> Result:
    """The inverses of matrices that are given by Cholesky's factors."""
    matrix = stack_of(factor)
    below = matrices.transposed(matrix) if upper else matrix
    stack, size, _ = shape_of(below)
    one = matrices.identity(stack, size, tensor_type(factor).element_type)
    half = matrices.solved(below, one, is_upper=False, is_unit=False)
    value = MatmulOp(matrices.transposed(half), half).result
    return reshaped(value, call.shape)


READERS: dict[str, Reader] = {
    "aten.linalg_cholesky_ex.default": _cholesky_or_failure,
    "aten.cholesky.default": _cholesky,
    "aten.cholesky_solve.default": _solve_by_cholesky,
    "aten.cholesky_inverse.default": _inverse_by_cholesky,
}
