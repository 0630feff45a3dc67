"""Tutorials are run as a reader would run them, and print what they say they print."""

from __future__ import annotations

import doctest
import io
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.document import ROOT

from ..commands import COMMANDS, call

TUTORIALS = [
    ROOT / "docs" / f"{each}.md"
    for each in ("tutorial", "selective", "deploy", "bundle", "custom_ops")
]
FIRST = ("custom_ops",)
"""What each run of the tests has; the others build for seconds."""

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
OF_MAKE = {"MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "MFLAGS", "PYTHON"}
"""What `make test PYTHON=...` sets, and a reader's shell does not."""

OF_SHELLS = re.compile(r"[^\w\s.,/=-]")
"""A character that may mean something to a shell: pipes, quotes, patterns."""

FILE = re.compile(r"// ([\w.]+)\n")


@dataclass(frozen=True)
class Block:
    """What stands between two fences, and where it begins: file and line."""

    language: str
    text: str
    place: str


def blocks(path: Path) -> Iterator[Block]:
    """The blocks of a document, in order."""
    document = path.read_text()
    for found in FENCE.finditer(document):
        line = document[: found.start()].count("\n") + 1
        yield Block(found[1], found[2], f"{path.name}:{line}")


def check(block: Block, wanted: str, got: str) -> None:
    """Fails with both texts where what was printed is not what the document shows."""
    shown, printed = f"{wanted.rstrip()}\n", f"{got.rstrip()}\n"
    if not doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS):
        pytest.fail(f"{block.place}: expected\n{wanted}\ngot\n{got}")


def run_python(block: Block, names: dict[str, Any]) -> str:
    """What the block prints; what it defines is there for those after it."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(block.text, f"{block.place}", "exec"), names)
    return printed.getvalue()


def run_console(block: Block) -> None:
    """Runs the commands of a block, each checked with what is shown below it."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, _, wanted = part.partition("\n")
        check(block, wanted, run_command(command))


def run_command(command: str) -> str:
    """What a command prints: by a call if it is one of ours, else as bash runs it."""
    name, *arguments = command.split()
    if name in COMMANDS and not OF_SHELLS.search(command):
        called = call(name, arguments)
        assert called.succeeded, (command, called.err)
        return called.out
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {k: v for k, v in os.environ.items() if k not in OF_MAKE}
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        env={**environment, "PATH": path},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, (command, done.stderr)
    return done.stdout


def marked(path: Path) -> Any:
    """A document as a case."""
    marks = () if path.stem in FIRST else pytest.mark.full
    return pytest.param(path, marks=marks, id=path.stem)


@pytest.mark.usefixtures("runs_host")
@pytest.mark.parametrize("document", [*map(marked, TUTORIALS)])
def test_a_tutorial_does_what_it_says(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    has_c = shutil.which("cc") and shutil.which("make")
    if document.stem in ("bundle", "custom_ops", "deploy") and not has_c:
        pytest.skip("needs a C compiler and make")
    for each in ("bundle/main.c", "bundle/Makefile", "c_library/main.c"):
        copy = tmp_path / "examples" / each
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "examples" / each, copy)
    shutil.copytree(ROOT / "examples" / "digits", tmp_path / "examples" / "digits")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STATIC_RUNTIME_CACHE", str(tmp_path / "cache"))
    names: dict[str, Any] = {"__name__": "__main__"}
    printed = ""
    for block in blocks(document):
        match block.language:
            case "python":
                assert not printed, f"{block.place}: not shown: {printed}"
                printed = run_python(block, names)
            case "text":
                assert printed, f"{block.place}: nothing was printed"
                check(block, block.text, printed)
                printed = ""
            case "console":
                run_console(block)
            case "mlir" | "c":
                file = FILE.match(block.text)
                assert file, f"{block.place}: expected a name of a file"
                Path(file[1]).write_text(block.text)
            case "sh":
                pass  # sets up what the tests have
            case _:
                pytest.fail(f"{block.place}: nothing runs {block.language}")
    assert not printed


@pytest.mark.full(beside="test_a_tutorial_does_what_it_says")
@pytest.mark.usefixtures("runs_host")
def test_the_commands_of_the_readme_run(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(ROOT)
    found = [each for each in blocks(ROOT / "README.md") if each.language == "sh"]
    # Not those that set up, or are the checks themselves; what is timed, is elsewhere.
    text = re.sub(
        r"^(pip|make) .*\n", "", "".join(each.text for each in found), flags=re.M
    )
    assert text.count("sr-") == 4
    run_command(f"set -e; {text.replace(' --benchmark', '')} python examples/demo.py")


def test_a_text_that_differs_is_seen():
    block = Block("text", "", "a.md:1")
    check(block, "one ... three\n", "one two three\n")
    with pytest.raises(pytest.fail.Exception, match="expected\none\n\ngot\ntwo"):
        check(block, "one\n", "two\n")


def test_all_kinds_of_blocks_are_there():
    languages = {each.language for path in TUTORIALS for each in blocks(path)}
    assert languages == {"c", "console", "mlir", "python", "sh", "text"}
