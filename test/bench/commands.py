"""The commands of `bench/`, each run as `python -m` does, in this process."""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.results import Results

ROOT = Path(__file__).parents[2]


def last_lines(path: Path) -> list[ast.stmt]:
    """What a file does when it is run as a command; nothing where it is none."""
    match ast.parse(path.read_text()).body[-1]:
        case ast.If(test=ast.Compare(left=ast.Name("__name__")), body=lines):
            return lines
        case _:
            return []


def command_names() -> set[str]:
    """The modules of `bench/` that are commands."""
    return {path.stem for path in (ROOT / "bench").glob("*.py") if last_lines(path)}


def run_command(
    name: str,
    arguments: list[str],
    constants: Mapping[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
) -> None:
    """Runs a command with arguments, and with less to measure, in a folder."""
    module = import_module(f"bench.{name}")
    for each, value in constants.items():
        monkeypatch.setattr(module, each, value)
    monkeypatch.setattr(sys, "argv", [f"bench.{name}", *arguments])
    monkeypatch.chdir(folder)
    Results.here().write(folder / "results.json")
    lines = last_lines(ROOT / "bench" / f"{name}.py")
    try:
        exec(compile(ast.Module(lines, []), name, "exec"), vars(module))
    except SystemExit as end:
        if end.code:
            raise
