"""
Verify a module: each op by itself, and that definitions dominate uses.

xDSL checks the first. For the second, every region must have one block, since no op of
the compiler's dialects branches; an op may then use the values of the ops before it in
its region, and in the enclosing regions that are visible to it.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.traits import IsolatedFromAbove
from xdsl.utils.exceptions import VerifyException

MOST_REGIONS = 80
"""Nested regions: of a text, and of the loops that its ops lower to."""


def verify(module: ModuleOp) -> None:
    """Raises `VerifyException` when something in `module` is not as it must be."""
    _check_region(module.body, set(), 1)
    module.verify()


def _check_region(region: Region, seen: set[SSAValue], depth: int) -> None:
    """
    Raises `VerifyException` for a value in `region` that is used where it is not known.

    `seen` are the values of outside that the region sees; it is left as it was.
    """
    if region.first_block is not region.last_block:
        raise VerifyException("expected regions of one block, got several")
    if depth > MOST_REGIONS:
        raise VerifyException(f"expected regions at most {MOST_REGIONS} deep")
    if (block := region.first_block) is not None:
        seen.update(block.args)
        own: list[SSAValue] = [*block.args]
        for op in block.ops:
            _check_operands(op, seen, block)
            for inner in op.regions:
                isolated = op.has_trait(IsolatedFromAbove)
                _check_region(inner, set() if isolated else seen, depth + 1)
            seen.update(op.results)
            own += op.results
        seen.difference_update(own)


def _check_operands(op: Operation, seen: set[SSAValue], block: Block) -> None:
    """Raises `VerifyException` when `op`, of `block`, uses a value not yet `seen`."""
    for number, operand in enumerate(op.operands):
        if operand in seen:
            continue
        # What the parser could not resolve is neither, and has no owner.
        is_known = isinstance(operand, OpResult | BlockArgument)
        owner = operand.owner if is_known else None
        name = f"%{operand.name_hint}" if operand.name_hint else f"operand {number}"
        if owner is op:
            problem = "its own result"
        elif isinstance(owner, Operation) and owner.parent is block:
            problem = f"the result of a later {owner.name}"
        else:
            problem = "a value of a region that it does not see"
        raise VerifyException(
            f"{op.name}: expected operands that are computed before, got {name}, "
            f"which is {problem}"
        )
