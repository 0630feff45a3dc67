"""sr-yaml merges selections, and says what a library lacks."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from static_runtime.compiler.tools.yaml import main

POST = Path(__file__).parents[1] / "selective" / "selected_ops.yaml"

ONE = """\
include_all_non_op_selectives: false
build_features: []
operators:
    aten::add:
        is_used_for_training: false
        is_root_operator: false
        include_all_overloads: false
kernel_metadata:
    add:
    - Float
custom_classes: []
"""

OTHER = """\
operators: {aten::add: {is_used_for_training: false, include_all_overloads: false}}
kernel_metadata: {add: [Double]}
build_features: [threads]
"""

BOTH = """\
include_all_non_op_selectives: false
build_features:
- threads
operators:
    aten::add:
        is_used_for_training: false
        is_root_operator: true
        include_all_overloads: false
kernel_metadata:
    add:
    - Double
    - Float
custom_classes: []
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two selections, in which the command runs."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one.yaml").write_text(ONE)
    (tmp_path / "other.yaml").write_text(OTHER)
    return tmp_path


def refusal(*arguments: str) -> str:
    """What the command says when it fails."""
    with pytest.raises(SystemExit) as told:
        main(arguments)
    assert isinstance(told.value.code, str)
    return told.value.code


def test_a_merge_is_written_to_a_file(folder: Path):
    main(["merge", "one.yaml", "other.yaml", "-o", "both.yaml"])
    assert (folder / "both.yaml").read_text() == BOTH
    assert sorted(os.listdir(folder)) == ["both.yaml", "one.yaml", "other.yaml"]


def test_a_merge_is_written_to_standard_output(capsys: pytest.CaptureFixture[str]):
    main(["merge", "other.yaml", "one.yaml"])
    assert capsys.readouterr().out == BOTH
    main(["merge", "other.yaml", "one.yaml", "-o", "-"])
    assert capsys.readouterr().out == BOTH


def test_a_selection_is_read_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    piped = SimpleNamespace(buffer=io.BytesIO(OTHER.encode()))
    monkeypatch.setattr("sys.stdin", piped)
    main(["merge", "one.yaml", "-"])
    assert capsys.readouterr().out == BOTH
    piped.buffer = io.BytesIO(b"a: b")
    assert refusal("merge", "-").startswith("sr-yaml: <stdin>:1: expected top-level")


def test_a_file_may_be_merged_into_itself(folder: Path):
    main(["merge", "one.yaml", "other.yaml", "-o", "one.yaml"])
    assert (folder / "one.yaml").read_text() == BOTH


def test_a_merge_of_one_file_is_that_file(capsys: pytest.CaptureFixture[str]):
    main(["merge", str(POST)])
    assert capsys.readouterr().out == POST.read_text()


def test_an_error_leaves_the_old_file(folder: Path):
    (folder / "broken.yaml").write_text("operators: 1\n")
    (folder / "both.yaml").write_text("old")
    said = refusal("merge", "one.yaml", "broken.yaml", "-o", "both.yaml")
    assert said.startswith("sr-yaml: broken.yaml:1: expected a mapping for operators")
    assert (folder / "both.yaml").read_text() == "old"


def test_says_what_cannot_be_read_or_written():
    missing = refusal("merge", "ghost.yaml")
    assert missing == "sr-yaml: ghost.yaml: expected a file, got no such file"
    unwritten = refusal("merge", "one.yaml", "-o", "ghost/both.yaml")
    expected = "sr-yaml: cannot write ghost/both.yaml: No such file or directory"
    assert unwritten == expected


def test_a_library_is_checked(capsys: pytest.CaptureFixture[str]):
    assert refusal("check", "one.yaml", "other.yaml").splitlines() == [
        "sr-yaml: dtype 'Double' not selected for kernel tag add",
        "kernel_metadata: {add: [Double]}",
        "Required feature 'threads' is not available",
        "build_features: [threads]",
    ]
    main(["merge", "one.yaml", "other.yaml", "-o", "both.yaml"])
    main(["check", "both.yaml", "one.yaml", "other.yaml"])
    assert capsys.readouterr().out == ""


def test_a_reader_that_ends_early_is_no_error():
    script = "import sys; from static_runtime.compiler.tools.yaml import main; main()"
    command = [sys.executable, "-c", script, "merge", str(POST)]
    read, write = os.pipe()
    os.close(read)
    ran = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, text=True)
    os.close(write)
    assert (ran.returncode, ran.stderr) == (1, "")


def test_no_compiler_is_loaded():
    script = (
        "import sys; from static_runtime.compiler.tools.yaml import main\n"
        "main(['merge', sys.argv[1]])\n"
        "assert not {'xdsl', 'onnx', 'llvmlite.binding'} & sys.modules.keys()"
    )
    subprocess.run([sys.executable, "-c", script, str(POST)], check=True)
