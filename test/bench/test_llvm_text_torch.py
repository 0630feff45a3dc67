"""A model that `bench.llvm_text` does not know is refused, with the models it knows."""

from __future__ import annotations

import pytest

from bench.llvm_text import main

pytestmark = pytest.mark.torch


def test_an_unknown_model_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    names = ["bench.llvm_text", "--models", "digits", "resnet51", "add16"]
    monkeypatch.setattr("sys.argv", names)
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    told = capsys.readouterr()
    assert "expected one of digits, add16, " in told.err
    assert told.err.endswith("got resnet51\n")
    assert told.out == ""
