"""
Check textual IR before it is parsed, in one scan of linear time.

xDSL's lexer backtracks over an unterminated string, its parser recurses once for each
bracket, and Python refuses to read an integer of thousands of digits. The scan rejects
these first: text that passes can be parsed, and needs no more of Python's stack than
`MOST_NESTED` brackets do.
"""

from __future__ import annotations

import re

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span

MOST_NESTED = 64
"""Brackets inside each other; one takes ten frames of Python's stack, of a thousand."""

MOST_DIGITS = 2000
"""Digits of a number; the longest number that is a sum of powers of two has 1,100."""

MOST_AXES = 64
"""Axes of a tensor, as in numpy; the lexer reads the rest of a shape for each."""

_TOKEN = re.compile(
    r"""
      //[^\n]*
    | (?P<string>"(?:[^"\\\n\v\f]++|\\[^\n\v\f]?)*+(?P<end>")?)
    | ->|[<>]=
    | \((?=\s*\{)                       # of a list of regions, whose braces count
    | (?P<open>[<(\[{])
    | (?P<close>[>)\]}])
    | (?P<minuses>(?:-(?!>)\s*){MOST_NESTED}) | (?:-(?!>)\s*)+
    | (?P<digits>[0-9]{MOST_DIGITS}|0[xX][0-9a-fA-F]{MOST_DIGITS})
    | (?P<shape>(?:[0-9]+x|\?x){MOST_AXES}\??[0-9]*+x)
    | [0-9]++ | [A-Za-z_]\w*+
    | (?P<other>[^\x00-\x7f])
    """.replace("MOST_NESTED", str(MOST_NESTED))
    .replace("MOST_DIGITS", str(MOST_DIGITS))
    .replace("MOST_AXES", str(MOST_AXES)),
    re.VERBOSE,
)
"""
Tokens; each can be read in one way only, and is read once. What repeats without being
read again never fails within: Python 3.11.2 would go on behind what it has read of it.
"""

_ESCAPE = re.compile(r'\\(?P<known>["nt\\]|[0-9A-Fa-f]{2})?')
"""An escape of a string, or a backslash that is none."""

_OPENING = {">": "<", ")": "(", "]": "[", "}": "{"}


def check_text(text: str, name: str) -> None:
    """Raises `ParseError` for a text called `name` that is not to be parsed."""
    opened: list[str] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "open":
            opened.append(match["open"])
            if len(opened) > MOST_NESTED:
                refuse(match, name, f"expected at most {MOST_NESTED} nested brackets")
        elif kind == "close":
            _close(opened, match["close"])
        elif kind is not None:
            _check_token(match, name)


def _close(opened: list[str], bracket: str) -> None:
    """
    Removes the bracket from `opened` that a closing one belongs to.

    `<` and `>` are also operators, so one of them may have no other.
    """
    wanted = _OPENING[bracket]
    if wanted not in opened or (wanted == "<" and opened[-1] != "<"):
        return
    while opened.pop() != wanted:
        pass


def _check_token(match: re.Match[str], name: str) -> None:
    """Raises `ParseError` for a token that is none, or too long."""
    if match["digits"]:
        refuse(match, name, f"expected a number of fewer than {MOST_DIGITS} digits")
    if match["shape"]:
        refuse(match, name, f"expected a shape of at most {MOST_AXES} dimensions")
    if match["minuses"]:
        refuse(match, name, f"expected fewer than {MOST_NESTED} signs in a row")
    if match["other"]:
        got = f"got {match['other']!r}"
        refuse(match, name, f"expected ASCII outside of strings and comments, {got}")
    if match["string"]:
        _check_string(match, name)


def _check_string(match: re.Match[str], name: str) -> None:
    """Raises `ParseError` for a string with a wrong escape, or without an end."""
    text = match.string
    for each in _ESCAPE.finditer(text, match.start(), match.end()):
        if each["known"] is None:
            wanted = 'expected \\n, \\t, \\\\, \\" or two hex digits'
            got = text[each.start() : each.start() + 2]
            refuse(match, name, f"{wanted}, got {got}", each.start())
    if not match["end"]:
        got = "line" if match.end() < len(text) else "text"
        problem = f"expected a string that ends in a quote, got the end of the {got}"
        refuse(match, name, problem)


def refuse(match: re.Match[str], name: str, problem: str, start: int = -1) -> None:
    """Raises the `ParseError` that says what is wrong where a match is."""
    start = match.start() if start < 0 else start
    raise ParseError(Span(start, start + 1, Input(match.string, name)), problem)
