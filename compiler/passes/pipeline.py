"""
The pipeline: every pass of the compiler, in the order in which it runs.

This is the only table of passes. `sr-opt` offers these passes, and xDSL's
`canonicalize` for reading IR; a pass that is not listed does not exist.
"""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.passes import ModulePass
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)
from xdsl.transforms.dead_code_elimination import DeadCodeElimination

from ...dialects.kernel import Group
from ...dialects.loop import KernelOp
from ...lowering.graph_to_loop import GraphToLoop, build_kernel
from ..session import BITS_OF_WEIGHTS, TILES_OF_ALGORITHMS, Options, ProfileText
from .graph.analyze_aliases import AnalyzeAliases
from .graph.assign_buffers import AssignBuffers
from .graph.assign_layouts import AssignLayouts
from .graph.bind_seed import BindSeed
from .graph.bound_symbols import BoundSymbols
from .graph.decompose import Decompose
from .graph.eliminate_copies import EliminateCopies
from .graph.eliminate_futures import EliminateFutures
from .graph.eliminate_list_constructs import EliminateListConstructs
from .graph.eliminate_no_ops import EliminateNoOps
from .graph.fold_batch_norm import FoldBatchNorm
from .graph.fold_constants import FoldConstants
from .graph.fold_quantization import FoldQuantization
from .graph.fold_requantization import FoldRequantization
from .graph.form_parallel import MOST_BRANCHES, FormParallel
from .graph.form_rearrangements import FormRearrangements
from .graph.freeze import Freeze
from .graph.fuse import Fuse
from .graph.grow_inputs import GrowInputs
from .graph.infer_shapes import InferShapes
from .graph.insert_quantization import InsertQuantization
from .graph.keep_steps import KeepSteps
from .graph.mark_borders import MarkBorders
from .graph.mark_runtime_skippable import MarkRuntimeSkippable
from .graph.narrow_activations import NarrowActivations
from .graph.narrow_products import NarrowProducts
from .graph.narrow_weights import NarrowWeights
from .graph.number_calls import NumberCalls
from .graph.observe_values import ObserveValues
from .graph.order_ops import OrderOps
from .graph.outline_constants import OutlineConstants
from .graph.own_outputs import OwnOutputs
from .graph.pack_operands import PackOperands
from .graph.pack_weights import PackWeights
from .graph.quantize_weights import QuantizeWeights
from .graph.reuse_operands import ReuseOperands
from .graph.sink_casts import SinkCasts
from .graph.sink_dequantize import SinkDequantize
from .graph.solve_symbols import SolveSymbols
from .graph.split_batch import SplitBatch
from .graph.split_sums import SplitSums
from .graph.split_updates import SplitUpdates
from .graph.sum_products import SumProducts
from .graph.tile_products import TileProducts
from .graph.transform_convolutions import TransformConvolutions
from .graph.trim_windows import TrimWindows
from .graph.tune_contractions import TuneContractions, Tuner
from .graph.unfuse import Unfuse
from .graph.verify_buffers import VerifyBuffers
from .graph.verify_profile import VerifyProfile
from .graph.widen_activations import ROWS, WidenActivations
from .loop.analyze_donations import AnalyzeDonations
from .loop.generalize_kernels import GeneralizeKernels
from .loop.hold_rows import HoldRows
from .loop.instrument_memory import InstrumentMemory
from .loop.parallelize_loops import ParallelizeLoops
from .loop.set_target import SetTarget
from .loop.share_kernels import ShareKernels
from .loop.size_tiles import SizeTiles
from .loop.transpose_loops import TransposeLoops
from .loop.unroll_loops import UnrollLoops
from .loop.vectorize_loops import VectorizeLoops
from .loop.weave_stores import WeaveStores


class _Lowering:
    """What lets a pass see loops as `graph-to-loop` will build them."""

    def build_kernel(self, group: Group) -> KernelOp:
        """The loops of a group, by the lowering."""
        return build_kernel(group, "kernel").op


class _PackLoweredOperands(_Lowering, PackOperands):
    """`pack-operands`, which sees loops."""


class _PackLoweredWeights(_Lowering, PackWeights):
    """`pack-weights`, which sees loops."""


def reading_passes(options: Options) -> list[ModulePass]:
    """graph -> graph: the model as the front end read it, with the sizes of a call."""
    return [
        BindSeed.by(options.seed),
        # Its attributes become weights.
        Freeze(),
        InferShapes(),
        BoundSymbols.of(options.bounds),
        SolveSymbols(),
        # From here every symbol is a size of an input, or computed by the run.
    ]


def opening_passes(options: Options, folds: bool) -> list[ModulePass]:
    """
    graph -> graph: the model without containers and forks; where it `folds`, with its
    normalisations in weights, as a profile sees it.
    """
    return [
        *reading_passes(options),
        GrowInputs(options.growing),
        EliminateListConstructs(),
        # From here no value is a container.
        EliminateFutures(),
        # From here regions run at once where the model forks.
        *(
            [
                SinkCasts(),
                FoldConstants(dequantizes=False),
                FoldBatchNorm(),
                FoldConstants(dequantizes=False),
            ]
            if folds
            else ()
        ),
    ]


def quantization_passes(options: Options) -> list[ModulePass]:
    """graph -> graph: products of what is quantised become ones of integers."""
    weights, bytes = options.weights, options.activations is not None
    return [
        SinkCasts(),
        FoldConstants(dequantizes=False),
        SinkDequantize(),
        FoldQuantization(),
        KeepSteps(bytes),
        *([QuantizeWeights(BITS_OF_WEIGHTS[weights], bytes)] if weights else ()),
        # From here weights of few bits are factors as they are, where they can be.
        FoldConstants(),
        FoldRequantization(),
    ]


def graph_passes(
    options: Options,
    target: str,
    tuner: Tuner | None = None,
    apart: Iterable[int] | None = None,
    is_traced: bool = False,
    observes: bool = False,
    matrices: bool = True,
) -> list[ModulePass]:
    """
    graph -> graph, as the user asked; fusions that a library lacks are taken `apart`,
    what is traced has numbered calls, what is observed returns what a profile counts.
    """
    profile: ProfileText | None = options.quantization
    return [
        *([] if profile is None else [VerifyProfile.by(profile)]),
        *opening_passes(options, folds=observes or profile is not None),
        *([ObserveValues()] if observes else ()),
        *([] if profile is None else [InsertQuantization.by(profile)]),
        *quantization_passes(options),
        TrimWindows(options.algorithms != "exact", options.precision != "f32"),
        FoldBatchNorm(),
        Decompose(),
        # From here every op has loops, is a view, or is a fallback.
        FoldConstants(),
        SumProducts(),
        # From here products with one constant column are sums.
        *_arranging(options),
        TileProducts(),
        # From here attention is a loop, where its scores would not fit.
        OwnOutputs(),  # From here an output shares memory with nothing.
        *([FormRearrangements(), Fuse()] if options.enable_tensorexpr_fusion else ()),
        *([] if apart is None else [Unfuse(tuple(sorted(apart)))]),
        EliminateNoOps(views=True),
        EliminateCopies(),
        OutlineConstants(),
        SetTarget(target, options.precision == "f32", matrices),
        # From here the module says which machine it is for.
        *_rounding(options, apart is None),
        # From here factors are as exact as the user asked for.
        TuneContractions.measuring(tuner),
        _PackLoweredOperands() if apart is None else _PackLoweredOperands(rows=0),
        # From here large factors that the run computes are in panels.
        _PackLoweredWeights(),
        SplitUpdates(),
        # From here an input that becomes an output is copied by an op of its own.
        FormParallel(_most_branches(options) if apart is None else 1),
        # From here chains run at once that gain by it.
        *([MarkRuntimeSkippable()] if options.use_maybe_copy_variants else ()),
        # From here a result may alias an operand, where sizes meet a condition.
        ReuseOperands(),
        # From here a result may be the memory of an operand that dies.
        OrderOps(),
        AnalyzeAliases(),
        AssignBuffers(planner=options.placement),
        # From here every result has its buffer.
        VerifyBuffers(),
        *([NumberCalls()] if is_traced else ()),
    ]


def _arranging(options: Options) -> list[ModulePass]:
    """graph -> graph: how tensors lie, and by what convolutions are computed."""
    return [
        MarkBorders(),
        AssignLayouts(),
        # From here the axes of each tensor lie as its users like them.
        SinkCasts(),
        FoldConstants(),
        *_cleaning(),
        # From here narrow elements are widened where they are loaded.
        SplitBatch(),
        # From here rows of a batch are computed one by one where that pays.
        *_by_tiles(options),
        # From here convolutions have as few products as the user allows.
    ]


def _by_tiles(options: Options) -> list[ModulePass]:
    """Convolutions by tiles, as options allow; by none where weights are narrowed."""
    tile = TILES_OF_ALGORITHMS[options.algorithms]
    if not tile:
        return []
    return [TransformConvolutions(tile if options.precision == "f32" else 0)]


def _cleaning() -> list[ModulePass]:
    """graph -> graph: what is computed twice, or for nothing, goes."""
    return [
        EliminateNoOps(),
        CommonSubexpressionElimination(),
        DeadCodeElimination(),
        # Casts that were one have one user each again.
        SinkCasts(),
    ]


def _rounding(options: Options, is_whole: bool) -> list[ModulePass]:
    """graph -> graph: what products read and add up has as many bits as it should."""
    last = SplitSums() if is_whole else SplitSums(rows=0)
    if options.precision == "f32":
        return [WidenActivations(ROWS if is_whole else 0), last]
    narrow = NarrowWeights(), NarrowProducts(), NarrowActivations()
    return [*narrow, WidenActivations(rows=0), last]


def _most_branches(options: Options) -> int:
    """How many branches of an op there may be."""
    return min(options.inter_op_threads or MOST_BRANCHES, MOST_BRANCHES)


QUICK_ROWS = 2
"""MR at most of code that is soon exchanged: quick to write (docs/fast_start.md)."""


def lowering_passes() -> list[ModulePass]:
    """graph -> loop."""
    return [
        GraphToLoop(),
        # From here no op touches a tensor.
        AnalyzeDonations(),
    ]


def program_passes(checks_memory: bool = False, most_rows: int = 0) -> list[ModulePass]:
    """loop -> loop: how the kernels of a program run, and what is checked of them."""
    return [
        *schedule_passes(shares=True, most_rows=most_rows),
        *([InstrumentMemory()] if checks_memory else ()),
    ]


def _loop_passes(checks_memory: bool = False) -> list[ModulePass]:
    """graph -> loop, loop -> loop."""
    return [*lowering_passes(), *program_passes(checks_memory)]


def library_passes() -> list[ModulePass]:
    """graph -> loop, for kernels of a library, which no model has for itself."""
    return [GraphToLoop(), AnalyzeDonations(), GeneralizeKernels()]


def schedule_passes(shares: bool = False, most_rows: int = 0) -> list[ModulePass]:
    """
    loop -> loop: how the kernels run on the target, and which of them are one; with
    `most_rows` in tiles of at most these rows.
    """
    return [
        SizeTiles(most_rows),
        WeaveStores(),
        VectorizeLoops(),
        TransposeLoops(),
        ParallelizeLoops(),
        HoldRows(),
        *([ShareKernels()] if shares else ()),
        # From here kernels of the same loops are one kernel, whatever its sizes are.
        UnrollLoops(),
        # From here the text of a kernel is decided.
    ]


def pipeline(
    options: Options, target: str, tuner: Tuner | None = None
) -> list[ModulePass]:
    """The passes that compile a model, and measure if there is a tuner."""
    return [
        *graph_passes(options, target, tuner),
        *_loop_passes(options.check_memory),
    ]


PIPELINE = tuple(
    dict.fromkeys(
        type(each)
        for each in (
            *graph_passes(
                Options(
                    algorithms="fast",
                    precision="bf16",
                    weights="int4",
                    quantization=ProfileText("", "", "profile"),
                ),
                "host",
                None,
                (),
                is_traced=True,
                observes=True,
            ),
            *_loop_passes(checks_memory=True),
            *library_passes(),
        )
    )
)
"""Each pass once, in the order in which it first runs."""
