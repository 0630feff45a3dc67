"""What a function says of its tensors and symbols, in attributes."""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, StringAttr
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.hints import isa


def tensor_names(function: func.FuncOp, kind: str, count: int) -> list[str]:
    """
    The names of the tensors of a kind, input or output, or else their numbers.
    """
    known = function.attributes.get(f"graph.{kind}_names")
    if isa(known, ArrayAttr[StringAttr]) and len(known) == count:
        return [each.data for each in known]
    return [kind] if count == 1 else [f"{kind}_{at}" for at in range(count)]


def ranges_of(function: func.FuncOp) -> dict[str, tuple[int, int]]:
    """The least and the greatest that symbols of the inputs can be."""
    known = function.attributes.get("graph.symbols")
    if not isinstance(known, DictionaryAttr):
        return {}
    found: dict[str, tuple[int, int]] = {}
    for name, each in known.data.items():
        match each:
            case ArrayAttr(data=(IntegerAttr() as least, IntegerAttr() as most)):
                found[name] = least.value.data, most.value.data
            case _:
                raise VerifyException(
                    f"expected the range of {name} to be [least, most], got {each}"
                )
    return found
