"""
Progress of what takes long: a callable that is told of each step, and a line of it.

    with progress_line() as progress:
        build_library_folder(..., progress=progress)

The line is written over itself on a terminal, and is gone at the end. In a pipe or a
file nothing is written.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import TextIO, TypeAlias, TypeVar

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is done, such as "kernels", how many of it are, and of how many."""

_INTERVAL = 0.1
"""Seconds between two lines."""

_Item = TypeVar("_Item")


def silent(what: str, done: int, total: int) -> None:
    """Tells nobody."""


def told(
    items: Sequence[_Item], what: str, progress: Progress
) -> Generator[_Item, None, None]:
    """Items in turn; of each it is told when the next one is asked for."""
    for done, item in enumerate(items):
        progress(what, done, len(items))
        yield item
    progress(what, len(items), len(items))


@contextmanager
def progress_line(stream: TextIO | None = None) -> Generator[Progress]:
    """What writes a line to a stream, or else to stderr, if that is a terminal."""
    out = sys.stderr if stream is None else stream
    if not out.isatty():
        yield silent
        return
    line = _Line(out)
    try:
        yield line
    finally:
        line.write("")


class _Line:
    """A line of a terminal."""

    def __init__(self, stream: TextIO):
        self.stream, self.next, self.length = stream, 0.0, 0

    def __call__(self, what: str, done: int, total: int) -> None:
        """Writes the line, unless that was done just now."""
        now = time.monotonic()
        if now >= self.next:
            self.next = now + _INTERVAL
            self.write(f"{what}: {done} of {total}")

    def write(self, text: str) -> None:
        """Writes a text over what the line was."""
        text = text[: get_terminal_size().columns - 1]
        self.stream.write(f"\r{text}{' ' * (self.length - len(text))}\r{text}")
        self.stream.flush()
        self.length = len(text)
