"""
The keys of `et_kernel_metadata`: a dtype and a layout for every operand of a call.

`v1/6;0,1|7;` are two operands: a matrix of floats in row-major order, and a scalar of
doubles. A dtype is its number in PyTorch, as in the keys of ExecuTorch; a layout is the
order of the axes in memory, the outermost first. Each operand has its own dtype,
scalars included.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ...runtime.library import DEFAULT_KERNEL

_VERSION = "v1"

_OPERAND = r"\d{1,3};(?:\d{1,2}(?:,\d{1,2})*)?"

_KEY = re.compile(rf"{_VERSION}/(?:{_OPERAND}(?:\|{_OPERAND})*)?")


def is_kernel_key(text: str) -> bool:
    """Whether a text is a key: a dtype for each operand, and a permutation of axes."""
    if text == DEFAULT_KERNEL:
        return True
    if _KEY.fullmatch(text) is None:
        return False
    orders = (
        each.partition(";")[2] for each in text.partition("/")[2].split("|") if each
    )
    return all(_is_permutation(each.split(",")) for each in orders if each)


def _is_permutation(axes: Sequence[str]) -> bool:
    """Whether numbers are those from zero on, each once."""
    return sorted(map(int, axes)) == [*range(len(axes))]


def kernel_key(operands: Iterable[tuple[int, Sequence[int]]]) -> str:
    """The key of operands, each the number of a dtype and the order of its axes."""
    parts = (f"{dtype};{','.join(map(str, order))}" for dtype, order in operands)
    return f"{_VERSION}/{'|'.join(parts)}"
