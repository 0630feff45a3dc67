"""What commands print is written into the documents that show it."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path
from types import ModuleType

import pytest

from bench import document, networks, planners
from bench.document import ROOT, main, printed, replaced, shown

TEXT = """Before.

<!-- begin: python -c "print('one')" -->

old

<!-- end -->

Between.

<!-- begin: python -m other -->

kept

<!-- end -->
After.
"""
ONE = "-c \"print('one')\""


def test_a_text_is_known_by_its_command():
    assert shown(TEXT) == {ONE: "old", "-m other": "kept"}


def test_only_what_is_between_the_markers_is_replaced():
    assert replaced(TEXT, {ONE: "new\n"}) == TEXT.replace("old", "new")


def test_a_text_may_have_what_means_something_to_a_pattern():
    assert replaced(TEXT, {ONE: r"\1 \g<0>"}) == TEXT.replace("old", r"\1 \g<0>")


def test_a_command_that_no_text_is_of_is_refused():
    with pytest.raises(ValueError, match="expected a place for -m none, got none"):
        replaced(TEXT, {"-m none": "new"})


def test_commands_run_and_what_they_print_is_written(tmp_path: Path):
    path = tmp_path / "text.md"
    path.write_text(TEXT)
    main(str(path), "print")
    assert path.read_text() == TEXT.replace("old", "one")


def test_a_command_that_fails_leaves_the_document_as_it_was(tmp_path: Path):
    path = tmp_path / "text.md"
    text = TEXT.replace("print('one')", "raise SystemExit(3)")
    path.write_text(text)
    with pytest.raises(subprocess.CalledProcessError):
        main(str(path), "raise")
    assert path.read_text() == text


def test_a_word_of_no_command_is_refused(tmp_path: Path):
    path = tmp_path / "text.md"
    path.write_text(TEXT)
    with pytest.raises(SystemExit, match="that a command with 'absent' prints"):
        main(str(path), "absent")


def test_commands_run_at_the_root():
    assert printed("-c 'import os; print(os.getcwd())'").strip() == str(ROOT)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "docs").glob("*.md")), ids=lambda p: p.stem
)
def test_every_marker_is_one_of_a_pair_and_its_command_is_there(path: Path):
    text = path.read_text()
    found = shown(text)
    markers = re.findall("^<!-- (begin|end)", text, re.MULTILINE)
    assert markers == ["begin", "end"] * len(found)
    for command in found:
        match shlex.split(command):
            case ["-m", module, *_]:
                file = ROOT / (module.replace(".", "/") + ".py")
            case [script, *_]:
                file = ROOT / script
            case _:
                pytest.fail(command)
        assert file.is_file(), command


@pytest.mark.parametrize(
    "command", [networks, pytest.param(planners, marks=pytest.mark.full)]
)
def test_memory_shows_what_the_planners_make(
    command: ModuleType, capsys: pytest.CaptureFixture[str]
):
    command.main()
    text = (document.ROOT / "docs" / "memory.md").read_text()
    assert shown(text)[f"-m {command.__name__}"] == capsys.readouterr().out.strip()
