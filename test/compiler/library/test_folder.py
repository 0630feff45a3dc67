"""A folder with a library runs models as data, with numpy alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.tools.build import main
from static_runtime.compiler.tools.trace import main as trace
from static_runtime.compiler.tools.yaml import main as yaml

from ...models.stored import STORED

pytestmark = pytest.mark.usefixtures("runs_host")

TARGET = isa_name("host")
MODEL = STORED["sr_example"]
OTHER = STORED["deep_wide"]


def run(folder: Path, *arguments: str) -> tuple[str, str]:
    """What Python prints and says in a folder, with numpy as the only package."""
    packages = folder / "packages"
    if not packages.exists():
        packages.mkdir()
        place = Path(np.__file__).parent
        for each in (place, place.with_name("numpy.libs")):
            if each.exists():
                (packages / each.name).symlink_to(each)
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    command = [sys.executable, "-S", "-W", "error", *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    )
    return done.stdout, done.stderr


def build(folder: Path, *selection: str) -> None:
    """Builds a library of both models, and both as data."""
    models = [str(MODEL.dynamic), str(OTHER.dynamic)]
    main([*models, *selection, "--target", TARGET, "-o", str(folder / "rt")])
    for model in models:
        name = Path(model).with_suffix(".sr").name
        main([model, "-o", str(folder / "rt" / name)])


def saved(folder: Path) -> tuple[np.ndarray, ...]:
    """The inputs of a run, which are in a file too."""
    inputs = MODEL.rows(3)
    arrays = dict(zip(MODEL.names, inputs, strict=True))
    np.savez(folder / "x.npz", allow_pickle=False, **arrays)
    return inputs


def test_trace_build_and_replay(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    inputs = saved(tmp_path)
    yaml_path = tmp_path / "ops.yaml"
    traced = [str(MODEL.dynamic), "--inputs", str(tmp_path / "x.npz")]
    trace([*traced, "--target", TARGET, "-o", str(yaml_path)])
    build(tmp_path, "--yaml", str(yaml_path))
    assert "kernels." in capsys.readouterr().out
    name = MODEL.dynamic.with_suffix(".sr").name
    arguments = ("-m", "rt.run", name, "--input", "x.npz", "--output", "y.npz")
    out, error = run(tmp_path, *arguments)
    assert not error
    assert "float32[6," in out
    known = sr.compile(MODEL.dynamic, target=TARGET)
    with np.load(tmp_path / "y.npz") as found:
        (got,) = (found[each] for each in known.output_names)
    assert got.tobytes() == known(*inputs).tobytes()
    # The other model was not traced.
    out, error = run(tmp_path, "-m", "rt.run", OTHER.dynamic.with_suffix(".sr").name)
    assert "Following ops cannot be found: [onnx::" in error
    assert "Traceback" not in error
    # More threads than the selection has.
    out, error = run(tmp_path, *arguments, "--threads", "2")
    assert "Required feature 'threads' is not available" in error


@pytest.mark.full(beside="test_trace_build_and_replay")
def test_all_of_some_models(tmp_path: Path):
    build(tmp_path, "--include-all")
    for model in (MODEL, OTHER):
        name = model.dynamic.with_suffix(".sr").name
        out, error = run(tmp_path, "-m", "rt.run", name, "--threads", "2")
        assert not error
        assert "float32[" in out
    seen = {"llvmlite", "xdsl", "onnx"}
    out, _ = run(
        *(tmp_path, "-c"),
        f"import sys, rt; rt.load('{name}'); print({seen} & {{*sys.modules}})",
    )
    assert out == "set()\n"


def test_a_target_that_is_not_selected_is_refused(tmp_path: Path):
    (tmp_path / "none.yaml").write_text("build_features: [threads]\n")
    arguments = [str(MODEL.dynamic), "--yaml", str(tmp_path / "none.yaml")]
    with pytest.raises(SystemExit, match=r"Required feature 'isa:") as told:
        main([*arguments, "--target", TARGET, "-o", str(tmp_path / "rt")])
    line = str(told.value).splitlines()[-1]
    (tmp_path / "more.yaml").write_text(line + "\n")
    merged = str(tmp_path / "none.yaml")
    yaml(["merge", merged, str(tmp_path / "more.yaml"), "-o", merged])
    with pytest.raises(SystemExit, match="kernels that are selected, got none"):
        main([*arguments, "--target", TARGET, "-o", str(tmp_path / "rt")])
    assert not (tmp_path / "rt").exists()


def test_several_models_need_a_library(tmp_path: Path):
    models = [str(MODEL.dynamic), str(OTHER.dynamic)]
    with pytest.raises(SystemExit, match=r"expected one model; .*, got 2"):
        main([*models, "-o", str(tmp_path / "rt")])


def test_a_model_of_another_precision_is_refused(tmp_path: Path):
    path = tmp_path / "model.sr"
    with pytest.raises(SystemExit, match="precision f32 for a model as data"):
        main([str(MODEL.dynamic), "--precision", "bf16", "-o", str(path)])
    assert not path.exists()


def test_a_model_of_other_algorithms_is_refused(tmp_path: Path):
    path = tmp_path / "model.sr"
    with pytest.raises(SystemExit, match="algorithms exact for a model as data"):
        main([str(MODEL.dynamic), "--algorithms", "fast", "-o", str(path)])
    assert not path.exists()


def test_a_changed_model_is_refused(tmp_path: Path):
    build(tmp_path, "--include-all")
    path = tmp_path / "rt" / MODEL.dynamic.with_suffix(".sr").name
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    _, error = run(tmp_path, "-m", "rt.run", path.name)
    assert "changed since it was written" in error
    assert "Traceback" not in error
    (tmp_path / "rt" / f"kernels.{TARGET}.srk").unlink()
    _, error = run(tmp_path, "-m", "rt.run", OTHER.dynamic.with_suffix(".sr").name)
    assert "expected a library of kernels beside the runtime, got none" in error
