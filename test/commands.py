"""The commands of the house as calls, so that no process imports it all again."""

from __future__ import annotations

import io
import sys
import tomllib
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module

import pytest
from filecheck.main import main as filecheck
from xdsl.ir import Attribute
from xdsl.utils.diagnostic import Diagnostic

from .house import ROOT


def tool(main: str) -> Callable[[list[str]], object]:
    """The main function of a tool, imported at its first call."""
    module, _, name = main.partition(":")
    return lambda arguments: getattr(import_module(module), name)(arguments)


def _scripts() -> dict[str, str]:
    """The commands that the package installs, and the function of each."""
    text = (ROOT / "pyproject.toml").read_text()
    return tomllib.loads(text)["project"]["scripts"]


COMMANDS: dict[str, Callable[[list[str]], object]] = {
    "FileCheck": lambda arguments: filecheck(["FileCheck", *arguments]),
    "filecheck": lambda arguments: filecheck(["filecheck", *arguments]),
    **{name: tool(main) for name, main in _scripts().items()},
}


@dataclass(frozen=True)
class Done:
    """What a command wrote, and whether it succeeded."""

    succeeded: bool
    out: str
    err: str


def call(
    name: str, arguments: list[str], stdin: str = "", joined: bool = False
) -> Done:
    """A command that has ended; `joined` as by `2>&1`."""
    out = io.StringIO()
    err = out if joined else io.StringIO()
    pipe = io.TextIOWrapper(io.BytesIO(stdin.encode()))
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        patch.setattr(sys, "stdin", pipe)
        # What an option of xDSL sets for a whole process is set for one command.
        patch.setattr(Attribute, "__post_init__", Attribute.__post_init__)
        patch.setattr(Diagnostic, "colored", Diagnostic.colored)
        succeeded = _succeeds(name, arguments)
    return Done(succeeded, out.getvalue(), err.getvalue())


def _succeeds(name: str, arguments: list[str]) -> bool:
    try:
        COMMANDS[name](arguments)
    except SystemExit as exit:
        if isinstance(exit.code, str):
            print(exit.code, file=sys.stderr)
        return not exit.code
    return True
