"""
What the host level is made of: functions of ops on integers of 64 bits and addresses.

A function is a tree: an op may have blocks inside. A value is an `Op` that has a type,
or a number of Python; `True` and `False` are bits. Ops are made by a `Builder`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

BIT, WORD, ADDRESS, INT32 = "i1", "i64", "ptr", "i32"
"""The types of values; `INT32` is one of parameters and results alone."""


class Op:
    """An op, and the value that it has where its type is not None."""

    __slots__ = ("blocks", "data", "depth", "name", "operands", "type")

    def __init__(
        self,
        name: str,
        operands: tuple[Value, ...] = (),
        type: str | None = None,
        data: Any = None,
        blocks: tuple[Block, ...] = (),
        depth: int = 0,
    ):
        """The op of a name; `data` is what it has besides operands and blocks."""
        self.name, self.operands, self.type = name, operands, type
        self.data, self.blocks, self.depth = data, blocks, depth


Value: TypeAlias = Op | int

NULL = Op("null", type=ADDRESS)
"""The address of nothing."""


@dataclass(eq=False, slots=True)
class Block:
    """Ops in order, and the values that begin and end a pass through them."""

    arguments: list[Op] = field(default_factory=list[Op])
    ops: list[Op] = field(default_factory=list[Op])
    ends: list[Value] = field(default_factory=list["Value"])
    """What `arguments`, or the results of the op around, are next."""

    known: dict[Any, Op] = field(default_factory=dict[Any, Op])
    """The pure ops, by what they compute."""

    @property
    def leaves(self) -> bool:
        """Whether nothing comes after the block."""
        return bool(self.ops) and self.ops[-1].name in ("leave", "go", "forever")


@dataclass(frozen=True)
class Signature:
    """How a function is called."""

    name: str
    parameters: tuple[str, ...]
    result: str | None = None
    is_variadic: bool = False


@dataclass(eq=False)
class Function:
    """A function, its parameters and what it does."""

    signature: Signature
    parameters: list[Op]
    body: Block
    attributes: str = ""
    linkage: str = ""
    """LLVM's linkage, if it is not external."""
    exits: dict[str, Block] = field(default_factory=dict[str, Block])
    """Blocks that several ops leave to."""

    outside: dict[str, None] = field(default_factory=dict[str, None])
    """The names of memory and functions elsewhere whose addresses are taken."""

    tables: dict[str, tuple[int, Sequence[int]]] = field(
        default_factory=dict[str, tuple[int, Sequence[int]]]
    )
    """Constant arrays by name: the bytes of an integer, and the integers."""


def type_of(value: Value) -> str:
    """The type of a value."""
    if isinstance(value, Op):
        assert value.type is not None, f"{value.name} has no value"
        return value.type
    return BIT if isinstance(value, bool) else WORD
