"""sr-trace runs models on inputs, and writes what they executed."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from static_runtime.compiler.selective.merge import merge
from static_runtime.compiler.selective.read import parse_selection, read_selection
from static_runtime.compiler.tools.trace import main
from static_runtime.runtime.library.coverage import refusals
from static_runtime.runtime.library.selection import Selection

from ..tracing.models import BRANCH, LOOP

X = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4)

TRAINED = Path(__file__).parents[2] / "models" / "trained"

TRIP = ("graph::add", "graph::lt", "graph::copy")
"""What a trip of the loop executes."""

TRUE, FALSE = np.array(True), np.array(False)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two models and inputs of them, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "branch.mlir").write_text(BRANCH)
    (tmp_path / "loop.mlir").write_text(LOOP)
    np.savez(tmp_path / "true.npz", c=TRUE, x=X)
    np.savez(tmp_path / "false.npz", c=FALSE, x=X[:1])
    np.savez(tmp_path / "once.npz", in0=TRUE, in1=np.array(1))
    np.savez(tmp_path / "other.npz", y=X)
    return tmp_path


def written(*arguments: str) -> Selection:
    """What the command writes to a file."""
    main([*arguments, "-o", "ops.yaml"])
    return read_selection(Path("ops.yaml"))


def refusal(*arguments: str) -> str:
    """What the command says when it fails."""
    with pytest.raises(SystemExit) as told:
        main(arguments)
    assert isinstance(told.value.code, str)
    return told.value.code


def executed(selection: Selection) -> set[str]:
    """The operators that ran."""
    return {*selection.et_kernel_metadata}


def test_each_model_has_its_inputs():
    made = written("branch.mlir", "loop.mlir", "--inputs", "true.npz", "once.npz")
    assert executed(made) == {"graph::exp", *TRIP}
    roots = {each for each in made.operators if made.is_root_operator(each)}
    assert roots >= {"graph::if", "graph::loop", "graph::exp", "graph::tanh"}


def test_a_model_may_have_several_inputs():
    one = written("branch.mlir", "--inputs", "true.npz")
    both = written("branch.mlir", "--inputs", "true.npz", "false.npz")
    assert executed(one) == {"graph::exp"}
    assert executed(both) == {"graph::exp", "graph::tanh"}
    groups = ("--inputs", "true.npz", "false.npz", "--inputs", "once.npz")
    made = written("branch.mlir", "loop.mlir", *groups)
    assert executed(made) == {"graph::exp", "graph::tanh", *TRIP}


def test_the_selection_is_printed(capsys: pytest.CaptureFixture[str]):
    main(["branch.mlir", "--inputs", "true.npz"])
    printed = capsys.readouterr().out
    made = written("branch.mlir", "--inputs", "true.npz")
    assert parse_selection(printed.encode()) == made
    assert printed == Path("ops.yaml").read_text()


def test_inputs_may_be_random():
    made = written("branch.mlir", "loop.mlir", "--size", "n=7", "--random-seed", "1")
    assert made.is_feature_selected("dynamic_shapes")
    assert executed(made) & {"graph::exp", "graph::tanh"}


def test_nothing_need_run():
    made = written("branch.mlir", "loop.mlir", "--static")
    assert executed(made) == {"graph::exp", "graph::tanh", *TRIP}
    both = ("--target", "x86-64-v3", "--target", "aarch64")
    other = written("branch.mlir", "--static", *both)
    assert {"isa:x86-64-v3", "isa:aarch64"} <= other.build_features
    single = (written("branch.mlir", "--static", *both[i : i + 2]) for i in (0, 2))
    assert merge(single) == other


def test_says_what_does_not_fit():
    assert refusal("branch.mlir", "loop.mlir", "--inputs", "true.npz") == (
        "sr-trace: expected a file of inputs for each of 2 models, or --inputs once "
        "for each of them, got 1 files in 1 groups"
    )
    assert refusal("branch.mlir", "--static", "--inputs", "true.npz") == (
        "sr-trace: expected no --inputs with --static, which runs nothing"
    )
    said = refusal("branch.mlir", "--inputs", "other.npz")
    assert said.startswith("sr-trace: other.npz: expected arrays for ")
    assert refusal("branch.mlir", "--size", "m=2") == (
        "sr-trace: expected a symbol of a model (n), got m=2"
    )
    missing = refusal("ghost.mlir")
    assert missing == "sr-trace: ghost.mlir: expected a model, got no such file"
    unwritten = refusal("branch.mlir", "-o", "ghost/a.yaml")
    assert unwritten.startswith("sr-trace: cannot write ghost/a.yaml: ")


def test_an_error_of_a_model_leaves_the_old_file(folder: Path):
    (folder / "ops.yaml").write_text("old")
    (folder / "broken.mlir").write_text("func.func @f(")
    refusal("branch.mlir", "broken.mlir", "-o", "ops.yaml")
    assert (folder / "ops.yaml").read_text() == "old"


@pytest.mark.sampled(every=2)
@pytest.mark.parametrize("name", ["model_1", "version-slim-320"])
def test_what_trained_models_execute_they_could_execute(name: str):
    path = str(TRAINED / f"{name}.onnx")
    ran, could = written(path), written(path, "--static")
    assert not list(refusals(could, ran))
    roots = {each for each in ran.operators if ran.is_root_operator(each)}
    assert roots == {each for each in could.operators if could.is_root_operator(each)}
    # They have no branches.
    assert ran.et_kernel_metadata == could.et_kernel_metadata
