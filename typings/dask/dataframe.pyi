"""Frames of Dask."""

from typing import Any

import pandas as pd

class DataFrame:
    @property
    def _meta(self) -> pd.DataFrame: ...
    def map_partitions(
        self, func: Any, *args: Any, meta: pd.DataFrame = ...
    ) -> DataFrame: ...
