"""The loop dialect: loops over buffers, and the program that calls them in order."""

from __future__ import annotations

from xdsl.ir import Dialect

from .interface import CheckAttr, DonationAttr, SymbolAttr, TensorAttr, may_be_one
from .isa import (
    AMX,
    AMX_TILES,
    AVX512_BF16,
    PORTABLE,
    PORTABLE_AMX,
    WORD,
    Isa,
    TileGeometry,
    isas_of,
)
from .masking import can_mask
from .ops.argsort import ArgsortOp
from .ops.check_index import CheckIndexOp
from .ops.choose import ChooseOp
from .ops.clamp_index import ClampIndexOp
from .ops.for_loop import ForOp, YieldOp
from .ops.kernel import FEW_PASSES, LEAVES_IF_IDLE, MAY_SHARE, WORK, KernelOp
from .ops.memory import LoadOp, StoreOp, buffer_type, byte_count, element_type
from .ops.position import ExtentOp, PositionOp
from .ops.prefetch import PrefetchOp
from .ops.program import PROFILED, ProgramOp, sizes_used
from .ops.program_calls import TRACED, CallOp, CallOutOp, ViewOp
from .ops.program_flow import (
    DefineOp,
    ElementOp,
    IfOp,
    RepeatOp,
    RequireOp,
    is_unlimited,
)
from .ops.split_index import SplitIndexOp
from .ops.tile import TileOp
from .preference import NAMES, NOTHING, OWN, PREFERENCE, PreferenceAttr, preference_of
from .schedule import ScheduleAttr
from .skip import SkipAttr
from .storage import ConstantAttr, PlanAttr, SlotAttr
from .strategy import STRATEGIES, StrategyAttr, strategies_of
from .subscript import BlockedIndex, Subscript
from .target import CACHES, IN_FLIGHT, TARGET, TargetAttr, target_of

__all__ = [
    "AMX",
    "AMX_TILES",
    "AVX512_BF16",
    "ArgsortOp",
    "BlockedIndex",
    "CACHES",
    "CallOp",
    "CallOutOp",
    "CheckAttr",
    "DonationAttr",
    "CheckIndexOp",
    "ChooseOp",
    "ClampIndexOp",
    "ConstantAttr",
    "DefineOp",
    "ElementOp",
    "ExtentOp",
    "FEW_PASSES",
    "LEAVES_IF_IDLE",
    "ForOp",
    "IfOp",
    "IN_FLIGHT",
    "Isa",
    "KernelOp",
    "LoadOp",
    "Loop",
    "MAY_SHARE",
    "NAMES",
    "NOTHING",
    "OWN",
    "PORTABLE",
    "PORTABLE_AMX",
    "PROFILED",
    "PREFERENCE",
    "PlanAttr",
    "PositionOp",
    "PreferenceAttr",
    "PrefetchOp",
    "ProgramOp",
    "RepeatOp",
    "RequireOp",
    "STRATEGIES",
    "ScheduleAttr",
    "SkipAttr",
    "SlotAttr",
    "SplitIndexOp",
    "StoreOp",
    "StrategyAttr",
    "Subscript",
    "SymbolAttr",
    "TARGET",
    "TRACED",
    "TargetAttr",
    "TensorAttr",
    "TileGeometry",
    "TileOp",
    "ViewOp",
    "WORD",
    "WORK",
    "YieldOp",
    "buffer_type",
    "byte_count",
    "can_mask",
    "element_type",
    "is_unlimited",
    "may_be_one",
    "isas_of",
    "preference_of",
    "sizes_used",
    "strategies_of",
    "target_of",
]


Loop = Dialect(
    "loop",
    [
        ArgsortOp,
        CallOp,
        CallOutOp,
        CheckIndexOp,
        ChooseOp,
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
        SplitIndexOp,
        StoreOp,
        TileOp,
        ViewOp,
        YieldOp,
    ],
    [
        CheckAttr,
        DonationAttr,
        ConstantAttr,
        PlanAttr,
        PreferenceAttr,
        ScheduleAttr,
        SkipAttr,
        SlotAttr,
        StrategyAttr,
        SymbolAttr,
        TargetAttr,
        TensorAttr,
    ],
)
