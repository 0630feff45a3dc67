from __future__ import annotations

from pathlib import Path

import pytest

from static_runtime.compiler.scoring import score_parquet

from .model import ROWS, assert_scored, module_of, table_of

pytest.importorskip("pyarrow")

import pyarrow.parquet as pq


def test_a_file_is_scored(tmp_path: Path):
    source, target = tmp_path / "rows.parquet", tmp_path / "scored.parquet"
    pq.write_table(table_of(), source, row_group_size=300)
    count = score_parquet(module_of(), source, target, batch_size=70)
    assert count == ROWS
    assert_scored(pq.read_table(target).to_pandas())


def test_a_wrong_column_leaves_the_target_as_it_is(tmp_path: Path):
    source, target = tmp_path / "rows.parquet", tmp_path / "scored.parquet"
    pq.write_table(table_of(), source)
    target.write_text("old")
    with pytest.raises(
        ValueError, match=r"expected column scale of lists .*, got float"
    ):
        score_parquet(module_of(), source, target, columns={"x": "scale"})
    assert target.read_text() == "old"
