"""Functions of sizes, as classes of sympy."""

from typing import Any

Mod: Any
