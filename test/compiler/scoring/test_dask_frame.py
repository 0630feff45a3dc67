from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from static_runtime.compiler.scoring import score_dask

from .model import assert_scored, module_of, table_of

pytest.importorskip("dask")
dd: Any = pytest.importorskip("dask.dataframe")
distributed: Any = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("default")


def frame_of(folder: Path, rows: int = 1000) -> Any:
    """The rows as ten files, a partition each."""
    import pyarrow.parquet as pq

    table = table_of(rows)
    for number in range(10):
        part = table.slice(number * rows // 10, rows // 10)
        pq.write_table(part, folder / f"{number}.parquet")
    return dd.read_parquet(folder)


def test_a_frame_is_scored_in_order(tmp_path: Path):
    scored: Any = score_dask(module_of(), frame_of(tmp_path), batch_size=70)
    assert_scored(scored.compute(scheduler="threads"))


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path):
    mark = str(tmp_path / "died")
    (folder := tmp_path / "rows").mkdir()

    # Pickled by value, as it is in a function.
    def dies_once(frame: Any) -> Any:
        if len(frame) and frame["id"].iloc[0] == 500 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return frame

    scored: Any = score_dask(module_of(), frame_of(folder))
    last = scored.map_partitions(dies_once, meta=scored._meta)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
    ):
        assert_scored(last.compute())
    assert os.path.exists(mark)


def test_a_wrong_column_is_refused_before_any_work(tmp_path: Path):
    frame = frame_of(tmp_path)
    with pytest.raises(ValueError, match=r"expected column id of lists of 6 .*, got i"):
        score_dask(module_of(), frame, columns={"x": "id"})
