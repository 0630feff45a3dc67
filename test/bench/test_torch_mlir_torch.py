"""Tests of torch-mlir's form are told apart by what became of them."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.torch
pytest.importorskip("torch")

from bench.torch_mlir import load, main, run  # noqa: E402

from .commands import ROOT  # noqa: E402


@pytest.mark.parametrize("is_open", [False, True])
def test_outcomes_of_tests(is_open: bool):
    tests = load(ROOT / "test" / "bench" / "small_suite")
    found = {name: each.kind for name, each in run(tests, is_open, 1).items()}
    assert found == {"Add": "passed", "Most": "passed", "Random": "refused"}


def test_a_folder_of_something_else():
    with pytest.raises(FileNotFoundError, match="expected a checkout of torch-mlir"):
        load(ROOT / "docs")


def test_a_command_for_a_folder_of_something_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.argv", ["torch_mlir", str(ROOT / "docs")])
    with pytest.raises(SystemExit, match="2"):
        main()
    assert "expected a checkout of torch-mlir" in capsys.readouterr().err
