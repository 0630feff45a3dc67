"""Print a module with locations, and strings in it at once, however long they are."""

from __future__ import annotations

import re
from io import StringIO

from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

_ESCAPED = re.compile(rb"[^ !#-\[\]-~]")
"""A byte that has an escape in a string: a quote, a backslash, or no character."""


def printed(module: ModuleOp) -> str:
    """The text of a module, as xDSL prints it with its locations."""
    text = StringIO()
    _Printer(text, print_debuginfo=True).print_op(module)
    return text.getvalue()


class _Printer(Printer):
    """xDSL's printer, which prints each character of a string by itself."""

    def print_bytes_literal(self, bytestring: bytes) -> None:
        """Prints a string in quotes, at once."""
        plain = _ESCAPED.sub(_escape, bytestring)
        self.print_string(f'"{plain.decode("ascii")}"')


def _escape(found: re.Match[bytes]) -> bytes:
    """The escape of a byte."""
    byte = found[0]
    return rb"\\" if byte == b"\\" else b"\\%02X" % byte[0]
