"""
Operators that multiply groups of rows with a matrix each, as mixtures of experts do.

`transformers.grouped_mm_fallback` is what the package transformers calls where the
operator of PyTorch does not take the elements. It is known here by its meaning: a model
that was exported needs no more of that package.
"""

from __future__ import annotations

from xdsl.ir import SSAValue

from ....dialects.graph import AddOp
from ....dialects.graph.compose import (
    convert,
    grouped_product,
    permuted,
    product,
    shape_of,
)
from ..unsupported import Unsupported
from .call import Call, Reader, Result


def _grouped(
    call: Call,
    a: SSAValue,
    b: SSAValue,
    ends: SSAValue | None = None,
    bias: SSAValue | None = None,
    out_dtype: object = None,
) -> Result:
    """
    The products of a stack, or of groups of the rows of `a` or of the columns of `b`
    that stand one after the other and end at `ends`.
    """
    ranks = len(shape_of(a)), len(shape_of(b))
    if ranks == (3, 3):
        result = product.matmul(a, b)
    elif ends is None or ranks == (2, 2):
        raise Unsupported("a product whose summed axis is in groups")
    elif ranks == (2, 3):
        result = grouped_product(a, b, ends)
    else:
        rows, matrices = permuted(b, (1, 0)), permuted(a, (0, 2, 1))
        result = permuted(grouped_product(rows, matrices, ends), (1, 0))
    if bias is not None:
        result = AddOp(result, bias).result
    return convert(result, call.element)


READERS: dict[str, Reader] = {
    "aten._grouped_mm.default": _grouped,
    "transformers.grouped_mm_fallback.default": _grouped,
}
