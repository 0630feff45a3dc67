"""sr-build writes a folder or a bundle, or says why not."""

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


def test_a_folder_has_no_names_for_c(tmp_path: Path):
    model = tmp_path / "model.mlir"
    model.write_text(MODEL)
    with pytest.raises(SystemExit, match="expected --network-name with --emit-bundle"):
        main([str(model), "-o", str(tmp_path / "out"), "--network-name", "net"])
    assert not (tmp_path / "out").exists()


def test_a_folder_or_a_bundle_is_written(tmp_path: Path):
    with pytest.raises(SystemExit):
        main([str(tmp_path / "model.mlir")])
