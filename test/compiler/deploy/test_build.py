"""`sr.build` writes what `sr-build` does, for models that are files or are none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import static_runtime as sr
from static_runtime.compiler.tools.build import main

from ..bundle.test_bundle import MODEL
from ..bundle.test_bundle_any_size import LIMITED


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL)
    return path


def contents(folder: Path) -> dict[str, bytes]:
    return {each.name: each.read_bytes() for each in folder.iterdir() if each.is_file()}


def test_a_bundle_is_that_of_the_command(model: Path, tmp_path: Path):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    written = sr.build(model, ours, kind="bundle", main_entry_name="go")
    main([str(model), "--emit-bundle", str(theirs), "--main-entry-name", "go"])
    assert contents(ours) == contents(theirs)
    assert {each.name for each in written} == contents(ours).keys()


def test_several_models_in_a_bundle(model: Path, tmp_path: Path):
    other = tmp_path / "other.mlir"
    other.write_text(LIMITED)
    written = sr.build([model, other], tmp_path / "out", kind="bundle")
    assert {"bundle.o", "model.h", "other.h"} <= {each.name for each in written}


def test_text_is_a_model_of_a_folder(tmp_path: Path):
    written = sr.build(MODEL, tmp_path / "out")
    assert any(each.suffix == ".sr" for each in written)
    assert all(each.exists() for each in written)


def test_the_ending_says_that_a_model_is_data(model: Path, tmp_path: Path):
    written = sr.build(model, tmp_path / "model.sr")
    assert written == [tmp_path / "model.sr"]
    assert written[0].stat().st_size > 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "tar"}, "expected a kind of folder, data, bundle"),
        ({"network_name": "net"}, "expected a folder without network_name"),
        ({"kind": "bundle", "selection": "a.yaml"}, "expected a bundle without selec"),
        ({"library": "rt"}, "expected a folder without library"),
        ({"kind": "data", "target": "x86-64-v3"}, "expected a target with a library"),
        ({"target": []}, "expected a target, got none"),
        ({"kind": "library", "target": []}, "expected a target, got none"),
        ({"kind": "bundle", "target": ["host", "aarch64"]}, "expected one target of"),
    ],
)
def test_refusals(model: Path, tmp_path: Path, given: Any, message: str):
    with pytest.raises(sr.CompileError, match=message):
        sr.build(model, tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_several_models_that_are_no_bundle(model: Path, tmp_path: Path):
    with pytest.raises(
        sr.CompileError, match="expected one model; a library of several"
    ):
        sr.build([model, model], tmp_path / "out")
    with pytest.raises(sr.CompileError, match="expected a model, got none"):
        sr.build([], tmp_path / "out")
    how: Any = {"kind": "bundle", "main_entry_name": "go"}
    with pytest.raises(sr.CompileError, match="main_entry_name, got 2"):
        sr.build([model, model], tmp_path / "out", **how)


def test_text_has_no_name_for_a_bundle(tmp_path: Path):
    with pytest.raises(sr.CompileError, match="one model with a network_name"):
        sr.build(MODEL, tmp_path / "out", kind="bundle")
    sr.build(MODEL, tmp_path / "out", kind="bundle", network_name="net")
    assert (tmp_path / "out" / "net.o").exists()
    line = " ".join(MODEL.split())
    with pytest.raises(sr.CompileError, match="one model with a network_name"):
        sr.build(line, tmp_path / "out", kind="bundle")
