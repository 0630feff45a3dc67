"""Dask, whose frames are scored."""

from typing import Any

from . import dataframe as dataframe

def delayed(obj: Any, *, pure: bool | None = None) -> Any: ...
