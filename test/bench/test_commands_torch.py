"""The commands of `bench/` that need PyTorch come to their end, on something tiny."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from .commands import ROOT, run_command

pytestmark = pytest.mark.torch

SMALL = str(ROOT / "test" / "models" / "onnx" / "mlp_small.onnx")
SUITE = str(ROOT / "test" / "bench" / "small_suite")
PLAN = ["--threads", "1", "--rounds", "1", "--ms", "1"]

NEED_TORCH: dict[str, tuple[list[str], dict[str, Any]]] = {
    "__main__": (["add16", "--peers", "ours,onnxruntime", *PLAN], {}),
    "batches": (
        ["mlp_small_b1", "--batches", "1,3", "--rounds", "1", "--burst", "0.001"],
        {},
    ),
    "decode": (["--widths", "32", "--tokens", "2", "--rounds", "1"], {}),
    "deep_wide": (["--batches", "2", "--rounds", "1"], {"BURST": 1e-5}),
    "decode_concat": (["--widths", "32", "--tokens", "2", "--rounds", "1"], {}),
    "cold_compile": (["mlp_small_b1", "mlp_small_b1.torch", "--rounds", "1"], {}),
    "experts": (
        ["--tokens", "1,5", "--rounds", "1", "--burst", "0.001"],
        {"EXPERTS": 6, "WIDTH": 32, "HIDDEN": 48},
    ),
    "first_answer": (["mlp_small_b1", "--rounds", "1"], {}),
    "halves": (["mlp_small_b1", "--rounds", "1", "--burst", "0.001"], {}),
    "libraries": (["--models", "add16", "--rounds", "2"], {"BURST": 1e-4}),
    "llama": (
        ["--width", "64", "--hidden", "96", "--tokens", "2", "--rounds", "1"],
        {"WORDS": 64, "HEAD": 32},
    ),
    "llvm_text": (["--kernels", "--models", "add16"], {}),
    "open_sizes": (["--models", "mlp", "--rounds", "1"], {"BURST": 1e-4}),
    "opinfo": (["--only", "atanh", "--samples", "1"], {}),
    "parallel": (["--models", "bilstm_1x128", "--rounds", "1"], {}),
    "plot": (["results.json", "plot.svg"], {}),
    "quantized": (
        ["mlp_small_b64", "--kinds", "qdq,dynamic", "--folder", "made"],
        {"SECONDS": 1e-3, "ROWS": 1},
    ),
    "replay": ([SMALL], {}),
    "resident": (["mlp_small_b1"], {}),
    "torch_mlir": ([SUITE, "--open", "--only", "add"], {}),
    "weights": (["--width", "128", "--hidden", "256", "--rounds", "1"], {}),
    "skips": (["--rounds", "1"], {"MEASURED": (), "BURST": 1e-4}),
}
"""The arguments of each command, and what makes it tiny."""


@pytest.mark.parametrize("name", NEED_TORCH)
def test_a_command_comes_to_its_end(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    if name == "plot":
        pytest.importorskip("matplotlib")
    run_command(name, *NEED_TORCH[name], monkeypatch, tmp_path)
    # The plot is a file, and nothing is printed of it.
    assert capsys.readouterr().out or (tmp_path / "plot.svg").exists()
