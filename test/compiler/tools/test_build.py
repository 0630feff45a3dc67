"""sr-build writes a bundle, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from static_runtime.compiler.tools.build import main

from ..bundle.test_bundle import MODEL, OPEN


def test_names_are_those_that_are_given(tmp_path: Path):
    model = tmp_path / "a-model.mlir"
    model.write_text(MODEL)
    out = tmp_path / "out"
    main([str(model), "--emit-bundle", str(out), "--main-entry-name", "run"])
    assert "int run(" in (out / "a_model.h").read_text()


def test_a_refused_model_leaves_nothing(tmp_path: Path):
    model = tmp_path / "open.mlir"
    model.write_text(OPEN)
    with pytest.raises(SystemExit, match="sr-build: expected a bundle of a model"):
        main([str(model), "--emit-bundle", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
