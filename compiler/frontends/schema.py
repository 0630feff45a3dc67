"""`Schema`: operands, results and properties of an op by name, for the front ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    OptOperandDef,
    OptPropertyDef,
    VarOperandDef,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

from ...dialects.graph import GraphOp


@dataclass(frozen=True)
class Operand:
    """An operand of an op."""

    name: str
    is_optional: bool
    is_variadic: bool


@dataclass(frozen=True)
class Schema:
    """What an op takes and gives, by the names in its class."""

    op: type[GraphOp]
    operands: tuple[Operand, ...]
    results: tuple[str, ...]
    properties: Mapping[str, bool]
    """By the name of each property whether it must be given."""

    @property
    def is_variadic(self) -> bool:
        """Whether the last operand may be several."""
        return any(each.is_variadic for each in self.operands)

    def build(
        self, operands: Sequence[SSAValue], properties: Mapping[str, Attribute]
    ) -> GraphOp:
        """
        The op on operands, with its defaults for properties that are not given.

        Raises `VerifyException` for operands and properties that it does not take.
        """
        definitions = self.op.get_irdl_definition().properties
        filled = dict(properties)
        for name, each in definitions.items():
            default = each.default_value
            if name not in filled and default is not None:
                filled[name] = default
            if name in filled:
                _check(name, filled[name], each)
        made = self.op(*operands, **filled)
        made.verify()
        return made


def _check(name: str, given: Attribute, definition: Any) -> None:
    """Raises `VerifyException` for a property that the op does not take."""
    try:
        definition.constr.verify(given, VerificationContext())
    except VerifyException as error:
        raise VerifyException(
            f"expected a property {name} as the op defines it, got {given}: {error}"
        ) from error


def schema_of(op: type[GraphOp]) -> Schema:
    """The schema of an op."""
    definition = op.get_irdl_definition()
    return Schema(
        op,
        tuple(
            Operand(
                name,
                isinstance(each, OptOperandDef | VarOperandDef),
                isinstance(each, VarOperandDef) and not isinstance(each, OptOperandDef),
            )
            for name, each in definition.operands
        ),
        tuple(name for name, _ in definition.results),
        {
            name: not isinstance(each, OptPropertyDef) and each.default_value is None
            for name, each in definition.properties.items()
        },
    )
