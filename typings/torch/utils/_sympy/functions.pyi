"""Functions of sizes, as classes of sympy."""

from typing import Any

class Max:
    def __new__(cls, *args: Any) -> Any: ...

class Min:
    def __new__(cls, *args: Any) -> Any: ...
