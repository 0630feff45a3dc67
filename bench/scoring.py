"""
Score rows of Parquet over an engine of two workers, one of them killed in mid-run.

    python -m bench.scoring --engine ray --rows 10000000
    python -m bench.scoring --engine dask|spark|parquet --rows 1000000 --peer

Prints rows per second, with what the kill costs, after it has checked that every row
came once, in order, with the bits of calls in this process. `--peer` then runs ONNX
Runtime in the same harness. The model is that of examples/digits; a batch has 4096
rows, a file 100000. A run over one file goes before. In `parquet` one process does all,
and none is killed.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import static_runtime as sr
from static_runtime.compiler import scoring
from static_runtime.compiler.scoring import scorer

from .sessions import CarriedSession

ROOT = Path(__file__).resolve().parent.parent
DIGITS = ROOT / "examples" / "digits" / "digits.onnx"
FILE_ROWS = 100_000
WORKERS = 2


def images(number: int, rows: int) -> Any:
    """The images of a file, 64 numbers each."""
    return np.random.default_rng(number).random((rows, 64), np.float32)


def sizes(rows: int) -> list[int]:
    """The rows of each file."""
    return [min(FILE_ROWS, rows - each) for each in range(0, rows, FILE_ROWS)]


def write(folder: Path, rows: int) -> None:
    """Writes the files, with a number for each row."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    arrow: Any = pa
    for number, count in enumerate(sizes(rows)):
        lists = arrow.FixedSizeListArray.from_arrays(
            arrow.array(images(number, count).reshape(-1)), 64
        )
        ids = np.arange(count) + number * FILE_ROWS
        table = arrow.table({"id": ids, "image": lists})
        pq.write_table(table, folder / f"{number:06}.parquet", row_group_size=20_000)


def killer(mark: str, row: int) -> Callable[[Any], None]:
    """What kills the first process that has a batch with this row, given its ids."""

    def kill_once(ids: Any) -> None:
        values = np.asarray(ids)
        if len(values) and values[0] <= row <= values[-1] and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)

    return kill_once


@contextmanager
def on_ray() -> Generator[Callable[..., Any]]:
    """A cluster of Ray, and what runs a module over files in it."""
    import ray

    ray_: Any = ray
    # Tasks that read need processors too: with all in actors, Ray waits for ever.
    ray_.init(num_cpus=WORKERS + 2, include_dashboard=False, logging_level="ERROR")
    context = ray_.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    # The reader that Ray 2.60 has by default packs row groups in an order of its own.
    if hasattr(context, "use_datasource_v2"):
        context.use_datasource_v2 = False
    context.enable_progress_bars = False

    def run(module: sr.StaticModule, folder: Path, kill: Callable[[Any], None]) -> Any:
        def dies(table: Any) -> Any:
            # What only looks for the schema is no actor.
            if ray_.get_runtime_context().get_actor_id() is not None:
                kill(table["id"])
            return table

        # Fused into the actors of the module.
        rows = ray_.data.read_parquet(str(folder)).map_batches(
            dies, batch_format="pyarrow", batch_size=None
        )
        scored: Any = scoring.score_ray(module, rows, workers=WORKERS)
        kept = scored.select_columns(["id", "logits"])
        import pyarrow as pa

        batches = kept.iter_batches(batch_size=None, batch_format="pyarrow")
        arrow: Any = pa
        return arrow.concat_tables([*batches])

    yield run
    ray_.shutdown()


@contextmanager
def on_dask() -> Generator[Callable[..., Any]]:
    """A cluster of Dask, and what runs a module over files in it."""
    import dask.dataframe as dd
    import distributed
    import pyarrow as pa

    frames: Any = dd
    tools: Any = distributed

    def run(module: sr.StaticModule, folder: Path, kill: Callable[[Any], None]) -> Any:
        def dies(frame: Any) -> Any:
            kill(frame["id"])
            return frame

        rows = frames.read_parquet(str(folder))
        rows = rows.map_partitions(dies, meta=rows._meta)
        scored: Any = scoring.score_dask(module, rows)
        return pa.Table.from_pandas(scored[["id", "logits"]].compute())

    cluster = tools.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=None
    )
    with cluster, tools.Client(cluster):
        yield run


@contextmanager
def on_spark() -> Generator[Callable[..., Any]]:
    """A session of Spark, and what runs a module over files in it."""
    from pyspark import sql

    spark_sql: Any = sql
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # A task may fail four times, as in clusters; of this machine's, none may.
    builder = spark_sql.SparkSession.builder.master(f"local[{WORKERS},4]")
    for name in ("spark.ui.enabled", "spark.ui.showConsoleProgress"):
        builder = builder.config(name, "false")
    spark = builder.config("spark.driver.maxResultSize", "0").getOrCreate()
    spark.sparkContext.setLogLevel("OFF")

    def run(module: sr.StaticModule, folder: Path, kill: Callable[[Any], None]) -> Any:
        def dies(tables: Any) -> Any:
            for table in tables:
                kill(table["id"])
                yield table

        rows = spark.read.parquet(str(folder))
        rows = rows.mapInArrow(dies, rows.schema)
        scored: Any = scoring.score_spark(module, rows)
        # A frame of Spark has no order but by its values.
        return scored.select("id", "logits").orderBy("id").toArrow()

    yield run
    spark.stop()


@contextmanager
def on_parquet() -> Generator[Callable[..., Any]]:
    """What runs a module over files in this process."""
    import pyarrow.parquet as pq

    def run(module: sr.StaticModule, folder: Path, _: Callable[[Any], None]) -> Any:
        target = folder / "scored"
        target.mkdir()
        for each in sorted(folder.glob("*.parquet")):
            scoring.score_parquet(module, each, target / each.name)
        return pq.read_table(target)

    yield run


ENGINES = {"ray": on_ray, "dask": on_dask, "spark": on_spark, "parquet": on_parquet}


def check(table: Any, rows: int, module: sr.StaticModule, tolerance: float) -> None:
    """Every row came once, in order; within a tolerance of what a call gives."""
    np.testing.assert_array_equal(table["id"].to_numpy(), np.arange(rows))
    for number, count in enumerate(sizes(rows)):
        part = table["logits"].slice(number * FILE_ROWS, count).combine_chunks()
        got = part.flatten().to_numpy().reshape(count, -1)
        wanted = module(images(number, count).reshape(-1, 1, 8, 8))
        if tolerance:
            np.testing.assert_allclose(got, wanted, tolerance, tolerance)
        else:
            np.testing.assert_array_equal(got.view(np.int32), wanted.view(np.int32))


def scorer_of_session(*arguments: Any) -> scorer.Scorer:
    """What scores by ONNX Runtime in the place of the module."""
    carried: Any = CarriedSession(DIGITS.read_bytes())
    return replace(scorer.scorer_of(*arguments), carried=carried)


def main(given: Sequence[str] | None = None) -> None:
    """Prints rows per second of ours, and of the peer."""
    parser = argparse.ArgumentParser("python -m bench.scoring", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--peer", action="store_true", help="ONNX Runtime too")
    found = parser.parse_args(given)
    # The workers import what this process does.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), *sys.path]))
    module = sr.compile(DIGITS, options=sr.Options(threads=1))
    with (
        tempfile.TemporaryDirectory() as name,
        ENGINES[found.engine]() as run,
    ):
        for who in ("ours", *(["onnxruntime"] if found.peer else [])):
            (folder := Path(name) / who).mkdir()
            (warm := Path(name) / f"{who} warm").mkdir()
            write(folder, found.rows)
            write(warm, min(found.rows, FILE_ROWS))
            mark = Path(name) / f"{who} died"
            kill = killer(str(mark), found.rows // 2)
            files = ("ray_data", "dask_frame", "spark_frame", "parquet_file")
            places = [f"{scoring.__name__}.{each}.scorer_of" for each in files]
            patches = [patch(each, scorer_of_session) for each in places]
            for each in patches if who != "ours" else ():
                each.start()
            run(module, warm, killer(str(mark), -1))
            start = time.perf_counter()
            table = run(module, folder, kill)
            seconds = time.perf_counter() - start
            patch.stopall()
            check(table, found.rows, module, 0 if who == "ours" else 1e-4)
            killed = "one worker killed" if mark.exists() else "none killed"
            print(
                f"{found.engine:8} {who:12} {found.rows} rows in {seconds:.1f} s: "
                f"{found.rows / seconds:.0f} rows/s, all once and in order, {killed}",
                flush=True,
            )


if __name__ == "__main__":
    main()
