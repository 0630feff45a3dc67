"""What one kernel computes: loop nests over expressions, built from a group of ops."""

from __future__ import annotations

from .contraction import another_row, choose_rows_and_columns, indices_of
from .expression import (
    Accumulator,
    Apply,
    Constant,
    Expression,
    Index,
    KernelNest,
    Load,
    Part,
    Parts,
    Stage,
    elements,
    left,
    linears,
    loads,
    operands_of,
    walk,
)
from .grid import are_in_step, own_axes
from .group import Group, element
from .identity import Identity, conjunction, filled, identities_of, moved, only_moves
from .in_place import (
    copies,
    is_alike,
    may_replace,
    read_elsewhere,
    updated_operand,
)
from .key import structure
from .known_groups import forget_groups, group_of
from .ordered import Ordered, ordered_copy_of
from .placed import can_place, is_own, is_plain
from .reach import Reach
from .row_reductions import arrange, is_contraction

__all__ = [
    "Accumulator",
    "Apply",
    "Constant",
    "Expression",
    "Group",
    "Identity",
    "Index",
    "KernelNest",
    "Load",
    "Ordered",
    "Part",
    "Parts",
    "Reach",
    "Stage",
    "another_row",
    "are_in_step",
    "arrange",
    "can_place",
    "own_axes",
    "choose_rows_and_columns",
    "conjunction",
    "copies",
    "element",
    "elements",
    "filled",
    "forget_groups",
    "group_of",
    "identities_of",
    "indices_of",
    "is_alike",
    "is_contraction",
    "is_own",
    "is_plain",
    "left",
    "linears",
    "loads",
    "may_replace",
    "moved",
    "only_moves",
    "operands_of",
    "ordered_copy_of",
    "read_elsewhere",
    "structure",
    "updated_operand",
    "walk",
]
