"""`Scorer`: what runs in a worker: columns in, columns out, by a module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ...runtime.call import StaticModule, flat_outputs
from .call_size import rows_of_call
from .carried import Carried
from .columns import Array, Columns, columns_of, row_shape

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_SIZE = 4096
"""Rows that are computed at a time, at most, if nothing else is said."""


@dataclass(frozen=True)
class Scorer:
    """
    A module that any process can have, the columns of it, and how many rows are
    computed at a time, at most; a call may have fewer (`rows_of_call`).
    """

    carried: Carried
    columns: Columns
    batch_size: int

    def outputs(self, inputs: Sequence[Array]) -> list[Array]:
        """The outputs for inputs with any number of rows, none included."""
        module = self.carried.module()
        rows = len(inputs[0])
        most = min(self.batch_size, self.columns.most)
        step = rows_of_call(module, min(most, max(rows, 1)))
        found = [
            flat_outputs(
                module.program.structure,
                module(**dict(zip(module.input_names, part, strict=True))),
            )
            for start in range(0, rows, step)
            for part in [[each[start : start + step] for each in inputs]]
        ]
        if not found:
            infos = self.columns.outputs
            return [np.empty((0, *row_shape(each)), each.dtype) for each in infos]
        if len(found) == 1:
            return found[0]
        return [np.concatenate(parts) for parts in zip(*found, strict=True)]

    def results(self, table: pa.Table) -> dict[str, pa.Array]:
        """The columns of the outputs for the rows of a table."""
        columns = self.columns
        if not len(table):
            infos = columns.inputs
            empty = [np.empty((0, *row_shape(each)), each.dtype) for each in infos]
            return columns.as_columns(self.outputs(empty))
        return columns.as_columns(self.outputs(columns.inputs_of(table)))

    def scored(self, table: pa.Table) -> pa.Table:
        """The table, with the columns of the outputs after its own."""
        for name, column in self.results(table).items():
            table = table.append_column(name, column)
        return table


def scorer_of(
    module: StaticModule, columns: Mapping[str, str] | None, batch_size: int
) -> Scorer:
    """
    What scores tables by a module; raises `ValueError` unless it is a model of rows,
    and `TypeError` if it cannot be pickled.
    """
    if batch_size < 1:
        raise ValueError(f"expected batch_size of 1 or more, got {batch_size}")
    found = columns_of(module.program, columns)
    return Scorer(Carried(module), found, batch_size)
