"""Products of matrices in ONNX: `Gemm` and `MatMul`."""

from __future__ import annotations

from ....dialects.graph.literal import to_names
from ....dialects.graph.ops.binary import AddOp
from ....dialects.graph.ops.linear import LinearOp
from ....dialects.graph.ops.matmul import MatmulOp
from ....dialects.graph.ops.permute import PermuteOp
from ....dialects.graph.ops.reshape import ReshapeOp
from ....dialects.shape import is_float, sizes, tensor_type
from .element import Unsupported
from .expression import times
from .node import Handler, Node, Result


def matmul(node: Node) -> Result:
    """The product of two stacks of matrices; a vector is a row, then a column."""
    a, b = node.operands()
    left, right = node.shape(0), node.shape(1)
    if not left or not right:
        raise node.error(
            f"expected operands of one axis or more, got {a.type} and {b.type}"
        )
    if len(left) == 1:
        a = ReshapeOp(a, shape=to_names([1, *left])).result
    if len(right) == 1:
        b = ReshapeOp(b, shape=to_names([*right, 1])).result
    product = MatmulOp(a, b).result
    shape = list(sizes(tensor_type(product)))
    if len(left) == 1:
        del shape[-2]
    if len(right) == 1:
        del shape[-1]
    if len(shape) == len(sizes(tensor_type(product))):
        return product
    return ReshapeOp(product, shape=to_names(shape))


def gemm(node: Node) -> Result:
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
    product = LinearOp(a, b) if node.flag("transB") else MatmulOp(a, b)
    result = times(product.result, alpha)
    if not node.has(2) or beta == 0:
        return result
    added = AddOp(result, times(node.operand(2), beta))
    if added.shape != product.shape:
        raise node.error(f"expected a C that broadcasts, got {node.type(2)}")
    return added


HANDLERS: dict[str, Handler] = {"Gemm": gemm, "MatMul": matmul}
