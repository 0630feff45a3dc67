"""sr-build writes a folder or a bundle, or says why not."""

from __future__ import annotations

from pathlib import Path

import pytest

from static_runtime.compiler.tools.build import main

from ..bundle.test_bundle import MODEL
from ..bundle.test_bundle_any_size import LIMITED


def test_names_are_those_that_are_given(tmp_path: Path):
    model = tmp_path / "a-model.mlir"
    model.write_text(MODEL)
    out = tmp_path / "out"
    main([str(model), "--emit-bundle", str(out), "--main-entry-name", "run"])
    assert "int run(" in (out / "a_model.h").read_text()


def test_a_refused_model_leaves_nothing(tmp_path: Path):
    model = tmp_path / "open.mlir"
    model.write_text(LIMITED.replace('"n"', '"int"').replace("* n", "* int"))
    with pytest.raises(SystemExit, match="sr-build: expected names of sizes, inputs"):
        main([str(model), "--emit-bundle", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_models_of_a_bundle_have_the_names_of_their_files(tmp_path: Path):
    models = [tmp_path / f"{name}.mlir" for name in ("one", "two")]
    for each, text in zip(models, (MODEL, LIMITED), strict=True):
        each.write_text(text)
    out = tmp_path / "out"
    paths = [str(each) for each in models]
    main([*paths, "--emit-bundle", str(out), "--network-name", "both"])
    assert (out / "both.o").exists()
    assert "int two_plan(" in (out / "two.h").read_text()
    with pytest.raises(SystemExit, match="expected --main-entry-name with one model"):
        main([*paths, "--emit-bundle", str(out), "--main-entry-name", "run"])


def test_a_folder_has_no_names_for_c(tmp_path: Path):
    model = tmp_path / "model.mlir"
    model.write_text(MODEL)
    with pytest.raises(SystemExit, match="expected --network-name with --emit-bundle"):
        main([str(model), "-o", str(tmp_path / "out"), "--network-name", "net"])
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--emit-bundle", "out", "--include-all"], "with -o, got one with"),
        (["--emit-bundle", "out", "--library", "rt"], "with -o, got one with"),
        (["-o", "rt", "--library", "rt"], "--library with -o FILE.sr"),
        (["-o", "m.sr", "--target", "x86-64-v3"], "--target with a library"),
    ],
)
def test_a_flag_that_has_no_use_is_refused(
    flags: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match=said):
        main(["model.onnx", *flags])
    with pytest.raises(SystemExit, match="a bundle, got none"):
        main(["--emit-bundle", "out"])
    assert not [*tmp_path.iterdir()]


def test_a_folder_or_a_bundle_is_written(tmp_path: Path):
    with pytest.raises(SystemExit):
        main([str(tmp_path / "model.mlir")])
