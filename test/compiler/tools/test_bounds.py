"""Commands take the bounds of sizes that only a run knows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import parser

from static_runtime.compiler.tools.build import main as build
from static_runtime.compiler.tools.run import main as run

pytestmark = pytest.mark.usefixtures("runs_host")

RANGE = """
<ir_version: 10, opset_import: ["" : 20]>
g (int64 n) => (int64[k] y) <int64 zero = {0}, int64 one = {1}> {
  y = Range(zero, n, one)
}"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model with a size that an input's value is."""
    path = tmp_path / "range.onnx"
    path.write_bytes(parser.parse_model(RANGE).SerializeToString())
    return path


def test_a_bound_lets_a_model_compile(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    np.savez(tmp_path / "n.npz", allow_pickle=False, n=np.int64(3))
    given = [str(model), "--input", str(tmp_path / "n.npz")]
    with pytest.raises(SystemExit, match="bounds"):
        run(given)
    run([*given, "--bound", "y_count=8"])
    assert "y: int64[3]" in capsys.readouterr().out
    np.savez(tmp_path / "n.npz", allow_pickle=False, n=np.int64(9))
    with pytest.raises(SystemExit, match="expected a size from 0 to 8, got 9"):
        run([*given, "--bound", "y_count=8"])
    build([str(model), "--bound", "y_count=8", "-o", str(tmp_path / "range.sr")])
    assert (tmp_path / "range.sr").exists()


@pytest.mark.parametrize("text", ["k", "=3", "k=-1", "k=many"])
def test_what_is_no_bound(model: Path, text: str):
    with pytest.raises(SystemExit, match="expected --bound SYMBOL=NUMBER, got"):
        run([str(model), f"--bound={text}"])
