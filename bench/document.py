"""
Write what commands print into the documents that show it.

    python -m bench.document docs/math.md              what all commands print
    python -m bench.document docs/performance.md gemm  what that with this word does

A document says of each such text which command prints it:

    <!-- begin: python -m bench.planners -->
    ...
    <!-- end -->

The commands run at the root of the repository, with the Python that runs this.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BLOCK = re.compile(
    r"(?P<begin>^<!-- begin: python (?P<command>[^\n]+) -->\n)"
    r"(?P<text>.*?)(?P<end>^<!-- end -->$)",
    re.DOTALL | re.MULTILINE,
)
"""A text between its markers; what Python is to run is its `command`."""


def shown(document: str) -> dict[str, str]:
    """What a document shows of each command: the arguments of Python, and the text."""
    return {each["command"]: each["text"].strip() for each in BLOCK.finditer(document)}


def replaced(document: str, texts: dict[str, str]) -> str:
    """The document with these texts in the place of what it shows of the commands."""
    missing = texts.keys() - shown(document).keys()
    if missing:
        raise ValueError(f"expected a place for {min(missing)}, got none")

    def text_of(found: re.Match[str]) -> str:
        text = texts.get(found["command"])
        if text is None:
            return found[0]
        return f"{found['begin']}\n{text.strip()}\n\n{found['end']}"

    return BLOCK.sub(text_of, document)


def printed(command: str) -> str:
    """What a Python with these arguments prints; raises when it fails."""
    words = [sys.executable, *shlex.split(command)]
    done = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    done.check_returncode()
    return done.stdout


def main(path: str, word: str = "") -> None:
    """Runs the commands of a document that have this word in them."""
    target = Path(path)
    commands = [each for each in shown(target.read_text()) if word in each]
    if not commands:
        sys.exit(
            f"{path}: expected a text that a command with {word!r} prints, got none"
        )
    for command in commands:
        print(f"python {command}", flush=True)
        text = printed(command)
        target.write_text(replaced(target.read_text(), {command: text}))


if __name__ == "__main__":
    main(*sys.argv[1:])
