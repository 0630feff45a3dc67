"""A step that is repeated while it is not done for some element."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.builder import ImplicitBuilder
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Block, SSAValue

from ..ops.control_flow import UNLIMITED, LoopOp
from ..ops.fusion import YieldOp
from ..ops.reduce import ReduceMaxOp
from .shaping import shape_of

Step: TypeAlias = Callable[[list[SSAValue], list[SSAValue]], Sequence[SSAValue]]
Test: TypeAlias = Callable[[list[SSAValue], list[SSAValue]], SSAValue]


def while_any(
    goes_on: Test,
    step: Step,
    states: Sequence[SSAValue],
    captured: Sequence[SSAValue] = (),
    most: int = UNLIMITED,
) -> list[SSAValue]:
    """
    Builds states after steps that are done while a test is true of some element, `most`
    of them at most; both take the states and what is captured.
    """
    block = Block(arg_types=[each.type for each in (*states, *captured)])
    own, others = [*block.args][: len(states)], [*block.args][len(states) :]
    with ImplicitBuilder(block):
        after = [*step([*own], [*others])]
        YieldOp(_any(goes_on(after, [*others])), *after)
    first = _any(goes_on([*states], [*captured]))
    loop = LoopOp.of(block, most, first, [*states], (), [*captured])
    return [*loop.results]


def _any(mask: SSAValue) -> SSAValue:
    """Whether an element is true."""
    axes = tuple(range(len(shape_of(mask))))
    return ReduceMaxOp(mask, axes=axes, keepdims=False, or_identity=UnitAttr()).result
