"""The loop dialect: loops over buffers, and the program that calls them in order."""

from __future__ import annotations

from xdsl.ir import Dialect

from .across import loads_across
from .interface import CheckAttr, DonationAttr, SymbolAttr, TensorAttr, may_be_one
from .isa import (
    AMX,
    AMX_INT8,
    AMX_TILES,
    AVX512_BF16,
    AVX512_VNNI,
    AVX_VNNI,
    NEON_DOTPROD,
    NEON_I8MM,
    PORTABLE,
    PORTABLE_AMX,
    PORTABLE_AMX_INT8,
    PORTABLE_INT8,
    PORTABLE_VNNI,
    VNNI_WORD_BITS,
    X86_PAIRS,
    Isa,
    TileGeometry,
    isas_of,
)
from .many_rows import (
    FEW_ROWS,
    MANY_ROWS,
    MANY_TILES,
    packs_if_many,
    reads_if_few,
)
from .masking import can_mask
from .ops.argsort import ArgsortOp
from .ops.check_index import CheckIndexOp
from .ops.choose import ChooseOp
from .ops.clamp_index import ClampIndexOp
from .ops.for_loop import ForOp, YieldOp
from .ops.kernel import FEW_PASSES, LEAVES_IF_IDLE, MAY_SHARE, WORK, KernelOp
from .ops.memory import LoadOp, StoreOp, buffer_type, byte_count, element_type
from .ops.native import NativeOp
from .ops.parallel import ParallelOp
from .ops.position import ExtentOp, PositionOp
from .ops.prefetch import PrefetchOp
from .ops.program import CALLS, CHECKED, PROFILED, ProgramOp, sizes_used
from .ops.program_calls import TRACED, CallOp, CallOutOp, ViewOp
from .ops.program_flow import (
    DefineOp,
    ElementOp,
    IfOp,
    RepeatOp,
    RequireOp,
    is_unlimited,
)
from .ops.program_memory import memory_of
from .ops.split_index import SplitIndexOp
from .ops.tile import TileOp
from .ops.zero_outside import ZeroOutsideOp
from .packed_words import may_pack_words
from .preference import NAMES, NOTHING, OWN, PREFERENCE, PreferenceAttr, preference_of
from .schedule import ScheduleAttr
from .skip import SkipAttr
from .slide import Slide, find_slide
from .storage import ConstantAttr, PlanAttr, SlotAttr
from .strategy import STRATEGIES, StrategyAttr, strategies_of
from .strides import is_strided
from .subscript import BlockedIndex, Subscript, texts_of
from .target import CACHES, IN_FLIGHT, LINE, TARGET, TargetAttr, target_of

__all__ = [
    "AMX",
    "AMX_INT8",
    "AMX_TILES",
    "AVX512_BF16",
    "AVX512_VNNI",
    "AVX_VNNI",
    "ArgsortOp",
    "BlockedIndex",
    "CACHES",
    "CALLS",
    "CHECKED",
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
    "FEW_ROWS",
    "LEAVES_IF_IDLE",
    "ForOp",
    "IfOp",
    "IN_FLIGHT",
    "LINE",
    "Isa",
    "KernelOp",
    "LoadOp",
    "Loop",
    "MANY_ROWS",
    "MANY_TILES",
    "MAY_SHARE",
    "NAMES",
    "NOTHING",
    "NativeOp",
    "OWN",
    "NEON_DOTPROD",
    "NEON_I8MM",
    "PORTABLE",
    "PORTABLE_AMX",
    "PORTABLE_AMX_INT8",
    "PORTABLE_INT8",
    "X86_PAIRS",
    "PORTABLE_VNNI",
    "PROFILED",
    "PREFERENCE",
    "ParallelOp",
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
    "Slide",
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
    "VNNI_WORD_BITS",
    "WORK",
    "YieldOp",
    "ZeroOutsideOp",
    "buffer_type",
    "byte_count",
    "can_mask",
    "element_type",
    "find_slide",
    "is_strided",
    "is_unlimited",
    "loads_across",
    "may_be_one",
    "memory_of",
    "may_pack_words",
    "packs_if_many",
    "reads_if_few",
    "isas_of",
    "preference_of",
    "sizes_used",
    "strategies_of",
    "target_of",
    "texts_of",
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
        NativeOp,
        ParallelOp,
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
        ZeroOutsideOp,
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
