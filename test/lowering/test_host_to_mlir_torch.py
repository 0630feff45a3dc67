"""Models that the benchmarks time are planned and run alike in all ways."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("onnx")

from ..models.torch_models import OPEN, SUITE, export_onnx, export_open
from .host_programs import check_plans, check_text, lower
from .host_runs import check_runs

pytestmark = [pytest.mark.torch, pytest.mark.usefixtures("runs_host")]

SHORT = ("mlp_small_b64", "gru", "block.length")
"""The models that are not left to `make soak`."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in SHORT else [pytest.mark.soak])
        for name in {**SUITE, **OPEN}
    ],
)
def test_a_model_is_planned_and_runs_alike(name: str, tmp_path: Path):
    path = tmp_path / "model.onnx"
    if name in OPEN:
        export_open(OPEN[name], path)
    else:
        export_onnx(SUITE[name], path, dynamic=True)
    lowered = lower(path)
    check_text(lowered)
    assert 0 in check_plans(lowered, 100, 2, is_whole=False)
    assert 0 in check_runs(lowered, 100, 2)
