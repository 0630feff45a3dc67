"""`sr-yaml`: merge selections of a selective build, or check one against others."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from ...runtime.library import Selection, SelectionError, refusals
from ..selective import MOST_BYTES, merge, parse_selection, read_selection, yaml_of
from ..session import CompileError
from .output import STANDARD, leave_pipe, write_text


def _parser() -> ArgumentParser:
    """The arguments of the command."""
    made = ArgumentParser("sr-yaml", description=__doc__)
    verbs = made.add_subparsers(required=True, metavar="VERB")
    verb = verbs.add_parser("merge", help="write the union of selections")
    verb.add_argument("files", nargs="+", metavar="FILE", help="selections; - is stdin")
    verb.add_argument("-o", "--output", default=STANDARD, help="default: - for stdout")
    verb.set_defaults(run=_merge)
    verb = verbs.add_parser(
        "check", help="say what a library of one selection lacks of the others"
    )
    verb.add_argument("library", metavar="LIBRARY", help="a selection; - is stdin")
    verb.add_argument("files", nargs="+", metavar="FILE", help="what models need")
    verb.set_defaults(run=_check)
    return made


def _merge(arguments: Namespace) -> None:
    """Writes the union of the files."""
    write_text(arguments.output, yaml_of(merge(map(_read, arguments.files))))


def _check(arguments: Namespace) -> None:
    """Raises `CompileError` with all that the library lacks."""
    library = _read(arguments.library)
    needed = merge(map(_read, arguments.files))
    if lacks := [str(each) for each in refusals(library, needed)]:
        raise CompileError("\n".join(lacks))


def _read(name: str) -> Selection:
    """The selection in a file, or in what is piped in."""
    if name == STANDARD:
        return parse_selection(sys.stdin.buffer.read(MOST_BYTES + 1), "<stdin>")
    return read_selection(Path(name))


def main(args: Sequence[str] | None = None) -> None:
    """The console script; what went wrong is told without a traceback."""
    arguments = _parser().parse_args(args)
    try:
        arguments.run(arguments)
    except BrokenPipeError:
        leave_pipe()
    except (CompileError, SelectionError) as error:
        sys.exit(f"sr-yaml: {error}")
