"""
Compare the errors that a test names in comments with the error that came.

    // expected-error {{expected operands of one type}}    on this line
    // expected-error @+1 {{...}}       one line below; @-1 is one line above
    // expected-error @below {{...}}    on the next line without such a comment; @above

The form and the meaning are those of mlir-opt's --verify-diagnostics. A section of the
file has one error at most, since xDSL raises the first, and only the parser's errors
know their line. An error that knows none is matched wherever the comment stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..session import CompileError

_COMMENT = re.compile(r"//\s*(expected-\w.*)")
_EXPECTED = re.compile(
    r"expected-error\s*(?:@(?P<where>above|below|[+-]\d+))?\s*\{\{(?P<text>.*)\}\}\s*"
)


@dataclass(frozen=True)
class Found:
    """An error that came; `line` is where it is in the file, when it knows."""

    text: str
    line: int | None = None

    def __str__(self) -> str:
        """The error as a sentence quotes it."""
        return f'"{self.text}"' + (f" on line {self.line}" if self.line else "")


@dataclass(frozen=True)
class Expected:
    """An error that a comment names; `line` is where in the file it should be."""

    text: str
    line: int

    def matches(self, found: Found) -> bool:
        """Whether the text is a part of what came, on the right line if it has one."""
        return self.text in found.text and found.line in (None, self.line)


def expected_errors(
    section: str, file: str, lines_before: int = 0
) -> tuple[Expected, ...]:
    """
    The errors that the comments of `section` name; none when there are no comments.

    `lines_before` is how many lines of `file` stand before the section. Raises
    `CompileError` when a comment begins as one of these and is none.
    """
    lines = section.split("\n")
    comments = [_COMMENT.search(line) for line in lines]
    expected: list[Expected] = []
    for index, comment in enumerate(comments):
        if comment is None:
            continue
        match = _EXPECTED.fullmatch(comment[1])
        if match is None:
            raise CompileError(
                f"{file}:{lines_before + index + 1}: expected a comment like "
                f"`expected-error @+1 {{{{text}}}}`, got `{comment[1]}`"
            )
        at = _line_meant(match["where"], index, [each is not None for each in comments])
        expected.append(Expected(match["text"], lines_before + at + 1))
    return tuple(expected)


def _line_meant(where: str | None, index: int, is_comment: Sequence[bool]) -> int:
    """The index of the line that a comment on line `index` is about."""
    if where is None:
        return index
    if where not in ("above", "below"):
        return index + int(where)
    step = 1 if where == "below" else -1
    index += step
    while 0 <= index < len(is_comment) and is_comment[index]:
        index += step
    return index


def mismatches(
    expected: Sequence[Expected], found: Found | None, file: str
) -> list[str]:
    """A sentence for each expected error that is no part of what came, if any did."""
    return [
        f'{file}:{each.line}: expected error "{each.text}", got {found or "none"}'
        for each in expected
        if found is None or not each.matches(found)
    ]
