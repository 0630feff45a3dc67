"""`--load-profile` quantises what `sr-run` runs, and what `sr-build` builds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.tools import build, run

from ..calibrating.test_calibration import NETWORK, X

ARGUMENTS = ("m.mlir", "--load-profile", "p.yaml")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a model, inputs and a profile, in which the commands run."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.mlir").write_text(NETWORK)
    np.savez(tmp_path / "x.npz", x=X)
    sr.quantize(NETWORK, [X]).save(tmp_path / "p.yaml")
    return tmp_path


def expected() -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    """What the quantised model computes."""
    return sr.compile(NETWORK, options=sr.Options(quantization="p.yaml"))(X)


def test_what_is_run_is_quantised():
    run.main([*ARGUMENTS, "--input", "x.npz", "--output", "y.npz"])
    with np.load("y.npz") as found:
        (name,) = found.files
        assert (found[name] == expected()).all()
    assert (sr.compile(NETWORK)(X) != expected()).any()


def test_what_is_built_is_quantised():
    for loads in (True, False):
        out = f"bundle_{loads}"
        build.main([*ARGUMENTS[: 3 if loads else 1], "--emit-bundle", out])
    # A byte for an element: fewer weights, and other code.
    weights = [Path(f"bundle_{each}", "m.weights.bin") for each in (True, False)]
    assert weights[0].read_bytes() != weights[1].read_bytes()
    build.main([*ARGUMENTS, "-o", "m.sr"])
    assert Path("m.sr").is_file()


def test_a_profile_that_is_none_is_told():
    Path("p.yaml").write_text("values: [")
    with pytest.raises(SystemExit, match=r"sr-run: p\.yaml:1: expected YAML, got"):
        run.main([*ARGUMENTS, "--input", "x.npz"])
    with pytest.raises(SystemExit, match=r"sr-build: p\.yaml:1: expected YAML, got"):
        build.main([*ARGUMENTS, "-o", "m.sr"])
    assert not Path("m.sr").exists()
