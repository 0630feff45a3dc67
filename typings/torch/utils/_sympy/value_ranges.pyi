"""The least and the greatest value of an expression of sympy."""

from collections.abc import Mapping
from typing import Any

class ValueRanges:
    lower: Any
    upper: Any
    def __init__(self, lower: Any, upper: Any) -> None: ...

def bound_sympy(
    expr: Any, ranges: Mapping[Any, ValueRanges] | None = None
) -> ValueRanges: ...
