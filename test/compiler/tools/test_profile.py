"""sr-run prints and writes the profile of a model."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from static_runtime.compiler.tools.run import main

from ..profiling.models import CHAIN

pytestmark = pytest.mark.usefixtures("runs_host")


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The file of a model, in the folder in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text(CHAIN)
    return "model.mlir"


def test_the_report_follows_the_outputs(model: str, capsys: pytest.CaptureFixture[str]):
    main([model, "--size", "n=5", "--profile"])
    shown, text = capsys.readouterr().out.split("\n\n")
    assert "float32[5, 8]" in shown
    assert text.startswith("Input size: 1\nStatic runtime ms per iter: ")
    assert "ms/iter, matmul_relu_0 = graph.matmul at first, graph.relu at clamp" in text
    assert "    640 FLOP, " in text
    assert "(2 nodes, out variant)" in text


def test_files_are_written(model: str, capsys: pytest.CaptureFixture[str]):
    options = ["--profile-json", "j", "--profile-trace", "t", "--memory-plan", "m"]
    main([model, *options])
    assert "Input size" not in capsys.readouterr().out
    assert json.loads(Path("j").read_text())["total_nodes_count"] == 3
    assert json.loads(Path("t").read_text())["traceEvents"]
    assert ElementTree.parse("m").getroot().tag.endswith("svg")


def test_a_file_that_cannot_be_written_is_told(model: str):
    with pytest.raises(SystemExit, match="sr-run: cannot write none/t: No such file"):
        main([model, "--profile-trace", "none/t"])
