"""The loop dialect: loops over buffers, and the program that calls them in order."""

from __future__ import annotations

from xdsl.ir import Dialect

from .interface import CheckAttr, SymbolAttr, TensorAttr
from .ops.check_index import CheckIndexOp
from .ops.clamp_index import ClampIndexOp
from .ops.for_loop import ForOp, YieldOp
from .ops.kernel import KernelOp
from .ops.memory import LoadOp, StoreOp
from .ops.position import ExtentOp, PositionOp
from .ops.prefetch import PrefetchOp
from .ops.program import ProgramOp
from .ops.program_calls import CallOp, CallOutOp, ViewOp
from .ops.program_flow import DefineOp, ElementOp, IfOp, RepeatOp, RequireOp
from .ops.tile import TileOp
from .preference import PreferenceAttr
from .schedule import ScheduleAttr
from .storage import ConstantAttr, PlanAttr, SlotAttr
from .target import TargetAttr

Loop = Dialect(
    "loop",
    [
        CallOp,
        CallOutOp,
        CheckIndexOp,
        ClampIndexOp,
        DefineOp,
        ElementOp,
        ExtentOp,
        ForOp,
        IfOp,
        KernelOp,
        LoadOp,
        PositionOp,
        PrefetchOp,
        ProgramOp,
        RepeatOp,
        RequireOp,
        StoreOp,
        TileOp,
        ViewOp,
        YieldOp,
    ],
    [
        CheckAttr,
        ConstantAttr,
        PlanAttr,
        PreferenceAttr,
        ScheduleAttr,
        SlotAttr,
        SymbolAttr,
        TargetAttr,
        TensorAttr,
    ],
)
