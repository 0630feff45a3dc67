"""
Every .mlir file passes its RUN lines.

`make lit` runs the same lines with a process for each command; here they are calls, so
that a hundred files take a second or two. A line holds the commands below, joined by
`|`, with `not`, `2>&1`, the names `%s %S %t` and, before a command, `%on=NAME` for a
host of `hosts.py`; one that ends in `\\` goes on. One file is run by lit as well: that
the console scripts are installed, and lit finds them, no call can tell.
"""

import os
import re
import shlex
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from static_runtime.runtime.machine import host

from .commands import COMMANDS, call
from .hosts import HOSTS
from .workers import WATCHDOG

ROOT = Path(__file__).parent
FILES = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.mlir"))


def run_lines(text: str) -> list[str]:
    """The RUN lines of a test, those that are continued joined to one."""
    lines: list[str] = re.findall(r"^\s*// RUN: *(.*?) *$", text, re.MULTILINE)
    joined = "\n".join(lines).replace("\\\n", " ")
    assert not joined.endswith("\\"), "the last RUN line ends in a backslash"
    return joined.splitlines()


def commands(line: str) -> list[list[str]]:
    """The words of each command of a RUN line."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|")
    lexer.whitespace_split = True
    lexer.commenters = ""
    found: list[list[str]] = [[]]
    for word in lexer:
        if word == "|":
            found.append([])
        else:
            found[-1].append(word)
    return found


def run(words: list[str], stdin: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command writes, given `stdin`. It must succeed, or fail after `not`."""
    described = re.fullmatch(r"%on=([\w-]+)", words[0])
    words = words[described is not None :]
    must_fail = words[0] == "not"
    name, *arguments = words[must_fail:]
    joined = "2>&1" in arguments
    if joined:
        arguments.remove("2>&1")
    with monkeypatch.context() as patch:
        if described:
            patch.setattr(host, "MACHINE", HOSTS[described[1]])
        done = call(name, arguments, stdin, joined)
    written = f"{shlex.join(words)}\n{done.out}\n{done.err}"
    assert done.succeeded is not must_fail, written
    return done.out


@pytest.mark.parametrize("name", FILES)
def test_run_lines(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = ROOT / name
    names = {"s": path, "S": path.parent, "t": tmp_path / "test.tmp"}
    monkeypatch.chdir(tmp_path)
    lines = run_lines(path.read_text())
    assert lines
    for line in lines:
        output = ""
        for words in commands(line):
            words = [re.sub("%([sSt])", lambda m: str(names[m[1]]), w) for w in words]
            output = run(words, output, monkeypatch)


def test_lit_finds_the_console_scripts(tmp_path: Path):
    folder = Path(sys.executable).parent
    scripts = {each.name for each in entry_points(group="console_scripts")}
    ours = {each for each in scripts if each.startswith("sr-")}
    assert ours == COMMANDS.keys() - {"FileCheck", "filecheck"}
    assert all(os.access(folder / each, os.X_OK) for each in ours)
    # It has one of them, which fails, and a pipe.
    name = "opt_diagnostics_malformed.mlir"
    done = subprocess.run(
        [folder / "lit", "-v", ROOT / "compiler" / "tools" / name],
        capture_output=True,
        text=True,
        check=False,
        timeout=WATCHDOG,
    )
    assert done.returncode == 0, done.stdout
    assert re.search(r"Passed\s*: 1\b", done.stdout), done.stdout


def test_a_line_that_ends_in_a_backslash_goes_on():
    text = "// RUN: sr-opt %s \\\n// RUN: -p a | filecheck %s\n// RUN: sr-opt -\n"
    assert run_lines(text) == ["sr-opt %s  -p a | filecheck %s", "sr-opt -"]


def test_a_bar_within_quotes_joins_no_commands():
    line = """sr-opt -p 'a{x="1|2"}' 2>&1|filecheck --check-prefix=A"""
    assert commands(line) == [
        ["sr-opt", "-p", 'a{x="1|2"}', "2>&1"],
        ["filecheck", "--check-prefix=A"],
    ]
