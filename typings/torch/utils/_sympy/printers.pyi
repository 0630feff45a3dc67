"""Expressions of sympy as text."""

from typing import Any

class PythonPrinter:
    def doprint(self, expr: Any) -> str: ...
