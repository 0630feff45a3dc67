"""Elements in memory, and the values of their width that are computed with."""

from __future__ import annotations

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute

from ....dialects import ELEMENT_TYPES
from .function import FunctionWriter
from .types import Value, memory_text, type_text


def widened(w: FunctionWriter, text: str, element: Attribute, lanes: int) -> Value:
    """Writes what makes an element in memory the value that a load gives."""
    row, memory = ELEMENT_TYPES[element], memory_text(element, lanes)
    if element == i1:
        zero = "0" if lanes == 1 else "zeroinitializer"
        text = w.emit(f"icmp ne {memory} {text}, {zero}")
    elif row.loaded != element:
        to, kept = type_text(row.loaded, lanes), type_text(element, lanes)
        if kept != memory:
            text = w.emit(f"trunc {memory} {text} to {kept}")
        text = w.emit(f"{'sext' if row.is_signed else 'zext'} {kept} {text} to {to}")
    return Value(text, row.loaded, lanes)


def narrowed(w: FunctionWriter, value: Value, element: Attribute) -> str:
    """Writes what makes a value that a store takes an element in memory."""
    memory = memory_text(element, value.lanes)
    if element == i1:
        return w.emit(f"zext {value.typed} to {memory}")
    if ELEMENT_TYPES[element].loaded != element:
        kept = type_text(element, value.lanes)
        text = w.emit(f"trunc {value.typed} to {kept}")
        return text if kept == memory else w.emit(f"zext {kept} {text} to {memory}")
    return value.text
