"""The sections of the `.mlir` files of the tests, each a module by itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from static_runtime.compiler.tools.opt import split

ROOT = Path(__file__).parent


@dataclass(frozen=True)
class Section:
    """A module of a test."""

    path: Path
    """Where it is, in the folder of the tests."""

    number: int

    text: str

    def __str__(self) -> str:
        return f"{self.path}#{self.number}"


def sections() -> Iterator[Section]:
    """Every section of every file, in order."""
    for path in sorted(ROOT.rglob("*.mlir")):
        for number, part in enumerate(split(path.read_bytes())):
            yield Section(path.relative_to(ROOT), number, part.content.decode())
