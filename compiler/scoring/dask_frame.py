"""`score_dask`: a module over a DataFrame of Dask, by `map_partitions`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...runtime.call import StaticModule
from .scorer import BATCH_SIZE, Scorer, scorer_of

if TYPE_CHECKING:
    import dask.dataframe as dd
    import pandas as pd


def score_dask(
    module: StaticModule,
    frame: dd.DataFrame,
    *,
    columns: Mapping[str, str] | None = None,
    batch_size: int = BATCH_SIZE,
) -> dd.DataFrame:
    """
    The frame, with a column for each output of the module, computed by partitions when
    the frame is used; lists are columns of Arrow's types.

    Columns are inputs by name, or by `columns={"input": "column"}`; a call of the
    module takes up to `batch_size` rows.

    Raises `ValueError` for other columns than the module takes, before any row is
    scored, and `TypeError` for a module that cannot be pickled. Of columns of type
    `object` the partitions tell.
    """
    import dask
    import pyarrow as pa

    scorer = scorer_of(module, columns, batch_size)
    meta = frame._meta  # pyright: ignore[reportPrivateUsage]
    scorer.columns.check(pa.Schema.from_pandas(meta, preserve_index=False))
    # As a value of its own it is sent to a worker once, not with each partition.
    once = dask.delayed(scorer, pure=False)
    return frame.map_partitions(_scored, once, meta=_scored(meta, scorer))


def _scored(frame: pd.DataFrame, scorer: Scorer) -> pd.DataFrame:
    """One partition with the columns of the outputs."""
    import pandas as pd
    import pyarrow as pa

    names = [*scorer.columns.names]
    table = pa.Table.from_pandas(frame[names], preserve_index=False)
    added = {
        name: pd.Series(
            pd.arrays.ArrowExtensionArray(column)
            if pa.types.is_fixed_size_list(column.type)
            else column.to_numpy(zero_copy_only=False),
            index=frame.index,
        )
        for name, column in scorer.results(table).items()
    }
    return frame.assign(**added)
