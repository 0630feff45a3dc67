"""`score_ray`: a module over a dataset of Ray Data, by `map_batches`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...runtime.call import StaticModule
from .scorer import BATCH_SIZE, Scorer, scorer_of

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset


class _Actor:
    """What an actor of Ray is made of, once in its process."""

    def __init__(self, scorer: Scorer):
        scorer.carried.module()
        self._scorer = scorer

    def __call__(self, table: pa.Table) -> pa.Table:
        return self._scorer.scored(table)


def score_ray(
    module: StaticModule,
    dataset: Dataset,
    *,
    columns: Mapping[str, str] | None = None,
    batch_size: int = BATCH_SIZE,
    workers: int = 1,
    **options: Any,
) -> Dataset:
    """
    The dataset, with a column for each output of the module, computed by `workers`
    actors when the dataset is used.

    Columns are inputs by name, or by `columns={"input": "column"}`; a call of the
    module takes up to `batch_size` rows. Further options are those of `map_batches`
    (`num_cpus`, `memory`, ...). Ray keeps the order of rows if `preserve_order` of its
    `DataContext` says so.

    Raises `ValueError` for other columns than the module takes, before any row is
    scored, and `TypeError` for a module that cannot be pickled.
    """
    import pyarrow as pa
    from ray.data import ActorPoolStrategy

    scorer = scorer_of(module, columns, batch_size)
    if (schema := dataset.schema()) is not None:
        # Of a type that is not Arrow's, the batches tell.
        types = [t if isinstance(t, pa.DataType) else pa.null() for t in schema.types]
        scorer.columns.check(pa.schema([*zip(schema.names, types, strict=True)]))
    return dataset.map_batches(
        _Actor,
        fn_constructor_args=(scorer,),
        batch_format="pyarrow",
        batch_size=batch_size,
        compute=ActorPoolStrategy(size=workers),
        **options,
    )
