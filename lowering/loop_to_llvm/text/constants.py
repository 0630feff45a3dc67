"""Write constants as LLVM text."""

from __future__ import annotations


def text_constant(name: str, text: str) -> str:
    """The constant `name` of a module: a text of C, which ends with a zero."""
    data = (*text.encode(), 0)
    bytes = "".join(f"\\{each:02X}" for each in data)
    return f'@{name} = internal constant [{len(data)} x i8] c"{bytes}"'
