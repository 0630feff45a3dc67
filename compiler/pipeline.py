"""
The pipeline: every pass of the compiler, in the order in which it runs.

This is the only table of passes. `sr-opt` offers these passes, and xDSL's
`canonicalize` for reading IR; a pass that is not listed does not exist.
"""

from __future__ import annotations

from xdsl.passes import ModulePass
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from ..lowering.graph_to_loop import GraphToLoop
from .options import Options
from .passes.graph.analyze_aliases import AnalyzeAliases
from .passes.graph.assign_buffers import AssignBuffers
from .passes.graph.assign_layouts import AssignLayouts
from .passes.graph.decompose import Decompose
from .passes.graph.eliminate_copies import EliminateCopies
from .passes.graph.eliminate_list_constructs import EliminateListConstructs
from .passes.graph.eliminate_no_ops import EliminateNoOps
from .passes.graph.fold_batch_norm import FoldBatchNorm
from .passes.graph.fold_constants import FoldConstants
from .passes.graph.freeze import Freeze
from .passes.graph.fuse import Fuse
from .passes.graph.infer_shapes import InferShapes
from .passes.graph.narrow_weights import NarrowWeights
from .passes.graph.outline_constants import OutlineConstants
from .passes.graph.own_outputs import OwnOutputs
from .passes.graph.pack_weights import PackWeights
from .passes.graph.reuse_operands import ReuseOperands
from .passes.graph.tile_products import TileProducts
from .passes.graph.tune_contractions import TuneContractions, Tuner
from .passes.graph.verify_buffers import VerifyBuffers
from .passes.loop.parallelize_loops import ParallelizeLoops
from .passes.loop.set_target import SetTarget
from .passes.loop.size_tiles import SizeTiles
from .passes.loop.vectorize_loops import VectorizeLoops


def graph_passes(
    options: Options, target: str, tuner: Tuner | None = None
) -> list[ModulePass]:
    """graph -> graph, set up as the user asked."""
    return [
        # The model as the front end read it: its attributes become weights.
        Freeze(),
        InferShapes(),
        EliminateListConstructs(),
        # From here no value is a container.
        FoldConstants(),
        FoldBatchNorm(),
        Decompose(),
        # From here every op has loops, is a view, or is a fallback.
        FoldConstants(),
        AssignLayouts(),
        # From here the axes of each tensor lie as its users like them.
        FoldConstants(),
        EliminateNoOps(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
        TileProducts(),
        # From here attention is a loop, where its scores would not fit.
        OwnOutputs(),
        # From here an output shares memory with nothing.
        Fuse(),
        EliminateCopies(),
        OutlineConstants(),
        SetTarget(cpu=target),
        # From here the module says which machine it is for.
        *([NarrowWeights()] if options.precision == "bf16" else ()),
        # From here weights are as exact as the user asked for.
        TuneContractions.measuring(tuner),
        PackWeights(),
        ReuseOperands(),
        # From here a result may be the memory of an operand that dies.
        AnalyzeAliases(),
        AssignBuffers(planner=options.planner),
        # From here every result has its buffer.
        VerifyBuffers(),
    ]


def loop_passes() -> list[ModulePass]:
    """graph -> loop, loop -> loop."""
    return [
        # graph -> loop: from here no op touches a tensor.
        GraphToLoop(),
        SizeTiles(),
        VectorizeLoops(),
        ParallelizeLoops(),
    ]


def pipeline(
    options: Options, target: str, tuner: Tuner | None = None
) -> list[ModulePass]:
    """The passes that compile a model, and measure if there is a tuner."""
    return [*graph_passes(options, target, tuner), *loop_passes()]


PIPELINE = tuple(
    dict.fromkeys(type(each) for each in pipeline(Options(precision="bf16"), "host"))
)
"""Each pass once, in the order in which it first runs."""
