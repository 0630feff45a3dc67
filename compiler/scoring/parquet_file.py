"""`score_parquet`: a module from one Parquet file to another, in this process."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ...runtime.call import StaticModule
from ...runtime.files import atomic_file
from .scorer import BATCH_SIZE, scorer_of

_ROW_GROUP = 1 << 16
"""Rows that are written at once, or a batch of them if that is more."""


def score_parquet(
    module: StaticModule,
    source: Path | str,
    target: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    batch_size: int = BATCH_SIZE,
) -> int:
    """
    Writes the rows of a Parquet file, with a column for each output of the module, to
    another file, and returns how many rows there are. `target` is seen whole or not at
    all; memory is that of 65536 rows and of a row group of `source`.

    Columns are inputs by name, or by `columns={"input": "column"}`. Raises `ValueError`
    for other columns than the module takes, before `target` is opened.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    scorer = scorer_of(module, columns, batch_size)
    with pq.ParquetFile(source) as file:
        schema = file.schema_arrow
        scorer.columns.check(schema)
        whole = scorer.scored(schema.empty_table()).schema
        with atomic_file(Path(target)) as out, pq.ParquetWriter(out, whole) as writer:
            for batch in file.iter_batches(max(batch_size, _ROW_GROUP)):
                writer.write_table(scorer.scored(pa.Table.from_batches([batch])))
        return file.metadata.num_rows
