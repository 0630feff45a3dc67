from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from static_runtime.compiler.scoring import score_ray

from .model import assert_scored, module_of, table_of

ray: Any = pytest.importorskip("ray")
ray_data: Any = pytest.importorskip("ray.data")
pytestmark = pytest.mark.filterwarnings("default")

PIECE = 100


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    """A cluster of this machine, in which rows keep their order."""
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    context = ray_data.DataContext.get_current()
    context.execution_options.preserve_order = True
    yield
    ray.shutdown()


def dataset_of(rows: int) -> Any:
    """The rows in pieces, a task each."""
    table = table_of(rows)
    return ray_data.from_arrow(
        [table.slice(start, PIECE) for start in range(0, rows, PIECE)]
    )


def test_a_dataset_is_scored_in_order():
    scored = score_ray(module_of(), dataset_of(1000), batch_size=70)
    assert_scored(scored.to_pandas())


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path):
    mark = str(tmp_path / "died")

    # Pickled by value, as it is in a function; and run in the actors of the module.
    def dies_once(table: Any) -> Any:
        if table["id"][0].as_py() == 500 and not os.path.exists(mark):
            open(mark, "w").close()
            os.kill(os.getpid(), signal.SIGKILL)
        return table

    rows = dataset_of(1000).map_batches(
        dies_once, batch_format="pyarrow", batch_size=None
    )
    scored: Any = score_ray(module_of(), rows, workers=2)
    assert_scored(scored.to_pandas())
    assert os.path.exists(mark)


def test_a_wrong_column_is_refused_before_any_work():
    with pytest.raises(ValueError, match=r"expected column id of lists of 6 .*, got i"):
        score_ray(module_of(), dataset_of(1), columns={"x": "id"})
