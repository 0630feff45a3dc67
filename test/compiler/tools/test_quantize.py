"""sr-quantize writes profiles, merges them, and leaves no file where it fails."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from static_runtime.compiler.quantizing import read_profile
from static_runtime.compiler.tools.quantize import main

from ..calibrating.test_calibration import NETWORK, X


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model and inputs of it, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mlir").write_text(NETWORK)
    np.savez(tmp_path / "a.npz", x=X[:2])
    np.savez(tmp_path / "b.npz", x=X[2:, None])
    np.savez(tmp_path / "nan.npz", x=np.full_like(X, np.nan))
    np.savez(tmp_path / "shape.npz", x=X[:, :2])
    np.savez(tmp_path / "empty.npz", x=X[:0])
    np.savez(tmp_path / "other.npz", y=X)
    np.savez(tmp_path / "none.npz")
    return tmp_path


def refusal(*arguments: str) -> str:
    """What the command says when it fails."""
    with pytest.raises(SystemExit) as told:
        main(arguments)
    assert isinstance(told.value.code, str)
    return told.value.code


def written(*arguments: str) -> str:
    """What the command writes to a file."""
    main([*arguments, "-o", "p.yaml"])
    return Path("p.yaml").read_text()


def test_profiles_of_files_add_up_to_that_of_all():
    whole = written("m.mlir", "--inputs", "a.npz", "b.npz")
    parts = [written("m.mlir", "--inputs", each) for each in ("a.npz", "b.npz")]
    for name, text in zip("ab", parts, strict=True):
        Path(f"{name}.yaml").write_text(text)
    assert written("--merge", "a.yaml", "b.yaml") == whole
    assert written("--merge", "b.yaml", "a.yaml") == whole
    assert whole not in parts


def test_settings_are_written_and_changed_by_a_merge():
    arguments = ("--schema", "symmetric", "--keep", "f32:first", "--weight-bits", "7")
    written("m.mlir", "--inputs", "a.npz", *arguments)
    Path("p.yaml").rename("a.yaml")
    made = read_profile("a.yaml").settings
    assert (made.schema, made.keep, made.weight_bits) == (
        "symmetric",
        ("f32:first",),
        7,
    )
    written("--merge", "a.yaml", "--calibration", "kl", "--keep", "f32:second")
    made = read_profile("p.yaml").settings
    assert (made.schema, made.calibration) == ("symmetric", "kl")
    assert made.keep == ("f32:second",)


def test_the_profile_is_printed(capsys: pytest.CaptureFixture[str]):
    main(["m.mlir", "--inputs", "a.npz"])
    assert capsys.readouterr().out == written("m.mlir", "--inputs", "a.npz")


def test_a_report_is_printed_beside_the_file(capsys: pytest.CaptureFixture[str]):
    written("m.mlir", "--inputs", "a.npz", "--report")
    out = capsys.readouterr().out
    assert "products of bytes: 2 of 2" in out
    assert "output: error " in out


WRONG: dict[tuple[str, ...], str] = {
    ("m.mlir",): "expected a model and --inputs, or --merge, got neither",
    ("m.mlir", "--inputs", "a.npz", "--report", "-o", "-"): "expected --output with",
    ("--merge", "p.yaml", "--report"): "expected no --report with --merge, got it",
    ("m.mlir", "--merge", "p.yaml"): "expected no model with --merge, got m.mlir",
    ("--merge", "p.yaml"): "p.yaml: expected a profile, got no such file",
    ("m.mlir", "--inputs", "nan.npz"): "value 'x' in call 0 of the samples: expected",
    ("m.mlir", "--inputs", "shape.npz"): "input x: expected shape (n, 3)",
    ("m.mlir", "--inputs", "empty.npz"): "expected samples of 'x' with elements, got",
    ("m.mlir", "--inputs", "other.npz"): "other.npz: expected arrays for x, got y",
    ("m.mlir", "--inputs", "none.npz"): "none.npz: expected arrays for x, got",
    ("m.mlir", "--inputs", "m.mlir"): "m.mlir: expected an .npz or .npy file, got",
    ("m.mlir", "--inputs", "a.npz", "--schema", "s"): "expected a schema of asymmetric",
    ("m.mlir", "--inputs", "a.npz", "--keep", "f32:frst"): "of the model like 'first'",
    ("m.onnx", "--inputs", "a.npz"): "m.onnx: expected a model, got no such file",
}


@pytest.mark.parametrize("arguments", WRONG)
def test_what_goes_wrong_is_told_and_no_file_is_left(arguments: tuple[str, ...]):
    there = {*Path().iterdir()}
    said = refusal(*arguments, *(() if "-o" in arguments else ("-o", "new.yaml")))
    assert said.startswith("sr-quantize: ")
    assert WRONG[arguments] in said
    assert "bug" not in said
    assert {*Path().iterdir()} == there
