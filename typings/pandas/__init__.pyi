"""Frames of pandas, which are the partitions of Dask."""

from typing import Any

from . import arrays as arrays

class Series:
    def __init__(self, data: Any = None, index: Any = None) -> None: ...

class DataFrame:
    index: Any
    def __getitem__(self, key: list[str]) -> DataFrame: ...
    def assign(self, **kwargs: Any) -> DataFrame: ...
