"""Products of matrices in ONNX, `Gemm` and `MatMul`, and determinants."""

from __future__ import annotations

from collections.abc import Sequence

from ....dialects import Dim, is_float
from ....dialects import product as product_of
from ....dialects.graph import LinearOp, MatmulOp, PermuteOp
from ....dialects.graph.compose import (
    expanded,
    matrices,
    product,
    reshaped,
    shape_of,
)
from ..unsupported import Unsupported
from .node import Handler, Node, Result


def matmul(node: Node) -> Result:
    """
    numpy's matmul: batched matrices, a vector as a row on the left, a column on the
    right.
    """
    a, b = node.operands()
    if not node.rank(0) or not node.rank(1):
        raise node.error(
            f"expected operands of one axis or more, got {a.type} and {b.type}"
        )
    return product.matmul(a, b)


def _gemm(node: Node) -> Result:
    """`alpha * A * B + beta * C`, with A and B transposed or not."""
    a, b = node.operand(0), node.operand(1)
    for place in (0, 1):
        if node.rank(place) != 2:
            raise node.error(f"expected matrices, got {node.type(place)}")
    alpha, beta = node.number("alpha"), node.number("beta")
    if not is_float(node.type(0)) and not (alpha.is_integer() and beta.is_integer()):
        raise Unsupported(f"alpha {alpha} and beta {beta} for integers")
    if node.flag("transA"):
        a = PermuteOp(a, order=(1, 0)).result
    op = LinearOp(a, b) if node.flag("transB") else MatmulOp(a, b)
    c = node.operand(2) if node.has(2) and beta != 0 else None
    if c is not None and not _is_narrow(shape_of(c), op.shape):
        # Of the two, C alone broadcasts.
        c = expanded(c, op.shape)
    return product.combined(op.result, c, alpha, beta)


def _is_narrow(shape: Sequence[Dim], wide: Sequence[Dim]) -> bool:
    """Whether a tensor of a shape is known to broadcast to a wider one."""
    last = wide[len(wide) - len(shape) :]
    return len(shape) <= len(wide) and all(
        size in (1, whole) for size, whole in zip(shape, last, strict=True)
    )


def _determinant(node: Node) -> Result:
    """The determinants of square matrices."""
    if node.rank(0) < 2:
        raise node.error(f"expected matrices, got {node.type(0)}")
    *outer, height, width = node.shape(0)
    size = node.agreed(height, width, f"expected square matrices, got {node.type(0)}")
    stack = reshaped(node.operand(0), [product_of(outer), size, size])
    return reshaped(matrices.determinant(matrices.factored(stack)), outer)


HANDLERS: dict[str, Handler] = {"Det": _determinant, "Gemm": _gemm, "MatMul": matmul}
