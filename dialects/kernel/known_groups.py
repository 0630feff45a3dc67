"""
The group of each op, put together once for all ops of one structure.

What is known holds no value of an op: the arguments of a block stand for its operands,
each once, and for its result. So it is right for every op with the same key, whatever
passes do to ops, and a key has all that loops depend on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import TypeAlias

from xdsl.ir import Block, Operation, SSAValue

from ..graph import ControlOp, FusionOp, GraphOp
from ..graph.storage import replaced_by
from .group import Group
from .grouping import make_group
from .key import loops_key

_known: dict[Hashable, Group] = {}

_Given: TypeAlias = tuple[Hashable, list[SSAValue], SSAValue | None, Group]

_GIVEN = "given_group"
"""
An op has under this name the group that was given for it last, and by what: many passes
ask for that of one op, and to move every position of many parts takes a while.
"""


def group_of(op: Operation) -> Group | None:
    """The group that the kernel of an op computes; None for an op without a kernel."""
    if not isinstance(op, GraphOp) or isinstance(op, ControlOp) or op.IS_VIEW:
        return None
    if not op.results:
        return None
    key, values = loops_key(op), [*dict.fromkeys(op.operands), op.results[0]]
    replaced = replaced_by(op)
    given: _Given | None = vars(op).get(_GIVEN)
    if given is not None and given[:3] == (key, values, replaced):
        return given[3]
    known = _known.get(key)
    if known is not None:
        block = known.result.owner
        assert isinstance(block, Block)
        found = known.of(dict(zip(block.args, values, strict=True)), replaced)
    elif isinstance(op, FusionOp) or op.nests() is not None:
        made = make_group(op)
        places = Block(arg_types=[each.type for each in values]).args
        _known[key] = made.of(dict(zip(values, places, strict=True)))
        found = replace(made, replaced=replaced)
    else:
        return None
    vars(op)[_GIVEN] = key, values, replaced, found
    return found


def forget_groups() -> None:
    """Drops what is known, when no op is left to ask for."""
    _known.clear()
