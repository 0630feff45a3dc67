from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from static_runtime.compiler.scoring import score_spark

from .model import assert_scored, module_of, table_of

sql: Any = pytest.importorskip("pyspark.sql")
pytestmark = [
    pytest.mark.filterwarnings("default"),
    pytest.mark.skipif(shutil.which("java") is None, reason="Spark needs Java"),
]


CAST = """
func.func @main(%x: tensor<?xf32, ["n"]>) -> tensor<?xui8, ["n"]>
    attributes {graph.output_names = ["y"]} {
  %0 = graph.cast %x {to = ui8} : tensor<?xf32, ["n"]> -> tensor<?xui8, ["n"]>
  return %0 : tensor<?xui8, ["n"]>
}
"""


@pytest.fixture(scope="module", name="spark")
def session() -> Iterator[Any]:
    """A cluster of this machine, whose workers are processes of this Python."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = sql.SparkSession.builder.master("local[2]")
    spark = builder.config("spark.ui.enabled", "false").getOrCreate()
    yield spark
    spark.stop()


def frame_of(spark: Any, folder: Path, rows: int = 1000) -> Any:
    """The rows as a file of Parquet."""
    import pyarrow.parquet as pq

    pq.write_table(table_of(rows), folder / "rows.parquet")
    return spark.read.parquet(str(folder / "rows.parquet"))


def test_a_frame_is_scored(spark: Any, tmp_path: Path):
    frame = frame_of(spark, tmp_path)
    scored: Any = score_spark(module_of(), frame, batch_size=70)
    assert scored.columns == ["id", "x", "scale", "y", "size"]
    assert_scored(scored.toPandas())


def test_a_wrong_column_is_refused_before_any_work(spark: Any, tmp_path: Path):
    frame = frame_of(spark, tmp_path, 1)
    with pytest.raises(ValueError, match=r"expected column id of lists of 6 .*, got i"):
        score_spark(module_of(), frame, columns={"x": "id"})


@pytest.mark.parametrize("row", [None, [1.0, None, 1.0, 1.0, 1.0, 1.0]])
def test_missing_values_are_refused(row: Any, spark: Any):
    frame = spark.createDataFrame([(row, 1.0)], "x array<float>, scale float")
    scored: Any = score_spark(module_of(), frame)
    with pytest.raises(Exception, match="expected column x without missing values"):
        scored.collect()


def test_an_output_that_spark_has_no_type_for_is_refused(spark: Any):
    module = module_of(CAST)
    frame = spark.createDataFrame([(1.0,)], "x float")
    with pytest.raises(ValueError, match=r"expected outputs of float32, .*, got y: ui"):
        score_spark(module, frame)
