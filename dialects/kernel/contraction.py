"""
Which axes of a contraction become the rows and the columns of a register tile.

The columns are the axis along which the result, and one operand, is contiguous; the
rows are an axis that reuses the operand read along the columns. An axis along which a
factor is looked up is neither: it is one of the loops around the tile.
"""

from __future__ import annotations

from collections.abc import Iterator

from .expression import Apply, Index, KernelNest, elements


def choose_rows_and_columns(
    nest: KernelNest, parallel: int
) -> tuple[int | None, int | None]:
    """The axes of a contraction that become rows and columns of a tile."""
    assert isinstance(nest.element, Apply)
    operands = [
        dict(each.at.factors) for op in nest.element.operands for each in elements(op)
    ]
    store = dict(nest.store.at.factors)
    looked_up = _looked_up(nest)

    def fit_as_column(axis: int) -> tuple[int, int]:
        steps = [each.get(axis, 0) for each in operands]
        score = 4 * (store.get(axis, 0) == 1) + 2 * (1 in steps) + (0 in steps)
        return score, axis

    free = [axis for axis in range(parallel) if axis not in looked_up]
    column = max(free, key=fit_as_column, default=None)
    if column is None:
        return None, None

    def fit_as_row(axis: int) -> tuple[int, int]:
        shared = any(each.get(axis, 0) == 0 and column in each for each in operands)
        varies = any(axis in each for each in operands)
        return 2 * shared + varies, axis

    rest = [axis for axis in free if axis != column]
    row, last = max(rest, key=fit_as_row, default=None), len(nest.bounds) - 1
    apart = any(
        each.get(last) == 1 and each.get(column, 0) not in (0, 1) for each in operands
    )
    if row is not None and apart and fit_as_row(row)[0] < 2:
        # A row of its own for each: what is apart is packed, which takes one factor.
        return None, column
    return row, column


def another_row(
    nest: KernelNest, parallel: int, row: int, column: int | None
) -> int | None:
    """
    A second axis that is joined to the rows of the tile, to fill more of the tile.

    The contraction must be a matrix product: one operand moves with the rows, the other
    with the columns. The operand that moves with the columns must not move along the
    axis.
    """
    assert isinstance(nest.element, Apply)
    operands = [{*dict(load.at.factors)} for load in elements(nest.element)]
    across = [each for each in operands if column in each]
    if len(across) == len(operands) or any(row in each for each in across):
        return None
    taken = {row, column, *_looked_up(nest)}
    return max(
        (
            axis
            for axis in range(parallel)
            if axis not in taken and not any(axis in each for each in across)
        ),
        default=None,
    )


def indices_of(nest: KernelNest) -> Iterator[Index]:
    """The indices at which the factors of a contraction are looked up."""
    for load in elements(nest.element):
        for index, _ in load.lookups:
            yield index


def _looked_up(nest: KernelNest) -> set[int]:
    """The axes along which a factor of a contraction is looked up."""
    return {axis for each in indices_of(nest) for axis, _ in each.load.at.factors}
