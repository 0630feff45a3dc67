"""Scoring: a compiled module over the tables of Ray Data, Dask, Spark and Parquet."""

from __future__ import annotations

from .dask_frame import score_dask
from .parquet_file import score_parquet
from .ray_data import score_ray
from .spark_frame import score_spark

__all__ = ["score_dask", "score_parquet", "score_ray", "score_spark"]
