"""The loop dialect: loops over buffers, and the program that calls them in order."""

from __future__ import annotations

from xdsl.ir import Dialect

from .ops.check_index import CheckIndexOp
from .ops.for_loop import ForOp, YieldOp
from .ops.kernel import KernelOp
from .ops.memory import LoadOp, StoreOp
from .ops.position import ExtentOp, PositionOp
from .ops.program import CallOp, CallOutOp, ProgramOp, ViewOp
from .ops.tile import TileOp
from .schedule import ScheduleAttr
from .target import TargetAttr

Loop = Dialect(
    "loop",
    [
        CallOp,
        CallOutOp,
        CheckIndexOp,
        ExtentOp,
        ForOp,
        KernelOp,
        LoadOp,
        PositionOp,
        ProgramOp,
        StoreOp,
        TileOp,
        ViewOp,
        YieldOp,
    ],
    [ScheduleAttr, TargetAttr],
)
