"""Whether the order in which elements are combined tells, since results are rounded."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute


def rounds(combine: str, type: Attribute) -> bool:
    """Whether combining elements of a type rounds, so that their order tells."""
    return combine in ("add", "mul") and isinstance(type, AnyFloat)
