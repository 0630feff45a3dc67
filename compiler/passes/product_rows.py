"""How many rows a product has, for passes that ask before there are loops."""

from __future__ import annotations

from ...dialects import Dim, product
from ...dialects.graph import GraphOp
from ...dialects.kernel import KernelNest, choose_rows_and_columns, group_of
from ..cost import size_or_open


def product_of(op: GraphOp) -> KernelNest | None:
    """The loops of a kernel that is one product, if it is."""
    group = group_of(op)
    if group is None or len(group.nests) != 1 or not group.nests[0].is_contraction:
        return None
    return group.nests[0]


def depth_of(nest: KernelNest) -> Dim:
    """How many products each sum of a product has."""
    return product(nest.bounds[len(nest.bounds) - nest.reductions :])


def rows_of(nest: KernelNest) -> int:
    """The rows of a product; of open sizes those that are assumed."""
    parallel = len(nest.bounds) - nest.reductions
    _, column = choose_rows_and_columns(nest, parallel)
    rows = [each for axis, each in enumerate(nest.bounds[:parallel]) if axis != column]
    return size_or_open(product(rows))
