"""The graph dialect: ops on whole tensors, which say nothing of loops or memory."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from inspect import isabstract

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from . import ops, scalar
from .bf16 import QUIET, narrow
from .choice import Choice
from .compose import activation, bounds, pooling, product
from .compose.bounds import between, clamped, is_bound, is_infinite
from .compose.convolution import convolved, convolved_back
from .compose.counting import counted, progression, true_indices, truths
from .compose.extreme import reversed_order
from .compose.joining import may_be, retype_yields, unite
from .compose.length import length, raised, root
from .compose.normalization import (
    centered,
    scaled_and_shifted,
    standardized,
    with_channels,
)
from .compose.number import Number, convert, number, number_like, plus, quantity, times
from .compose.padding import AROUND, padded
from .compose.parts import Cut, cut, flipped, joined, part, stacked, taken
from .compose.pooling import Sizes, Window, image_of_blocks, mean_pool, rounded_up
from .compose.power import near_power
from .compose.product import with_bias
from .compose.shaping import (
    along,
    expanded,
    filled,
    must_be,
    per_channel,
    permuted,
    repeated,
    reshaped,
    retyped,
    shape_of,
)
from .container import DictType, ListType, TupleType
from .families.elementwise import BinaryOp, CompareOp, UnaryOp
from .families.gate import FUNCTIONS
from .families.interpolation import COORDINATES, ROUNDED
from .families.recurrent import RecurrentOp
from .literal import to_array, to_attribute, to_names
from .location import EXECUTED, TRACE, describe, kernel_name, operator_name
from .nest import (
    Body,
    Combiner,
    Extent,
    Linear,
    Lookup,
    Nest,
    Position,
    Read,
    Source,
    Where,
    axes,
    axis,
    same,
)
from .op import GraphOp as GraphOp
from .op import Requirement, SingleResultOp, texts
from .ops.activation import GeluOp, LeakyReluOp, SigmoidOp, SiluOp
from .ops.argmax import ArgmaxOp
from .ops.argmax_pool import ArgmaxPoolOp
from .ops.arithmetic import NegOp, ReciprocalOp, SqrtOp
from .ops.batch_norm import BatchNormOp
from .ops.binary import AddOp, DivOp, MaximumOp, MinimumOp, MulOp, PowOp, SubOp
from .ops.bitcast import BitcastOp
from .ops.bitwise import (
    BitwiseAndOp,
    BitwiseNotOp,
    BitwiseOrOp,
    BitwiseXorOp,
    ShiftLeftOp,
    ShiftRightOp,
)
from .ops.cast import CastOp
from .ops.clamp import ClampOp
from .ops.compare import EqOp, GeOp, GtOp, LeOp, LtOp, NeOp
from .ops.concat import ConcatOp
from .ops.concat_list import ConcatListOp
from .ops.constant import ConstantOp
from .ops.containers import (
    DictConstructOp,
    DictGetOp,
    ListConstructOp,
    ListUnpackOp,
    TupleConstructOp,
    TupleGetOp,
)
from .ops.control_flow import UNLIMITED, IfOp, LoopOp, unstacked_type
from .ops.conv import ConvOp
from .ops.conv_transpose import ConvTransposeOp
from .ops.copy import CopyOp
from .ops.cumulative import CummaxOp, CumminOp, CumprodOp, CumsumOp, CumulativeOp
from .ops.define_symbol import DefineSymbolOp, defined_symbols
from .ops.diagonal import DiagonalOp
from .ops.dim import DimOp
from .ops.division import FloorDivOp, ModOp, RemOp
from .ops.dropout import DropoutOp
from .ops.embedding import EmbeddingOp
from .ops.expand import ExpandOp
from .ops.exponential import Exp2Op, ExpOp, LogOp
from .ops.fusion import FUSION_NUMBER, FusionOp, YieldOp
from .ops.gather import GatherOp
from .ops.gather_nd import GatherNdOp
from .ops.get_attr import GetAttrOp
from .ops.grid_sample import GridSampleOp
from .ops.gru import GruOp
from .ops.index_select import IndexSelectOp
from .ops.iota import IotaOp
from .ops.linear import LinearOp
from .ops.logical import LogicalAndOp, LogicalOrOp, LogicalXorOp
from .ops.logical_not import LogicalNotOp
from .ops.lstm import LstmOp
from .ops.matmul import MatmulOp
from .ops.non_max_suppression import NonMaxSuppressionOp
from .ops.pad import PadOp
from .ops.permute import PermuteOp
from .ops.polar import CopysignOp
from .ops.pool import MaxPoolOp, PoolOp, SumPoolOp
from .ops.reduce import (
    ExtremeOp,
    MeanOp,
    ProdOp,
    ReduceMaxOp,
    ReduceMinOp,
    ReduceOp,
    SumOp,
)
from .ops.require import RequireOp
from .ops.resample import ResampleOp
from .ops.reshape import ReshapeOp
from .ops.resize import ResizeOp
from .ops.rnn import RnnOp
from .ops.rounding import CeilOp, RoundOp, TruncOp
from .ops.scatter import ScatterOp
from .ops.scatter_nd import ScatterNdOp
from .ops.slice import SliceOp
from .ops.softmax import AlongAxisOp, LogSoftmaxOp, SoftmaxOp
from .ops.sort import SortOp
from .ops.subview import SubviewOp
from .ops.topk import TopkOp
from .ops.unfold import UnfoldOp
from .ops.weight import WeightOp
from .ops.where import WhereOp
from .order import Carried, Order, inverse, is_view, ordered, then
from .ranking import Ranking
from .region import ControlOp, RegionOp, block_of, capture
from .storage.buffer import (
    BUFFERS,
    DONATED,
    IN_PLACE,
    LIFETIMES,
    BufferAttr,
    LifetimeAttr,
    buffer_of,
    byte_size,
    donated_to,
    replaced_by,
)
from .storage.memory import (
    MemoryMap,
    Part,
    has_own_memory,
    is_computed,
    is_given,
    offset_of,
    ops_in,
    root_of,
    uses_of,
)
from .storage.panels import Axis, PanelsAttr
from .storage.skip import SKIPS, Linked, SkipAttr, skips_of
from .storage.stored import StoredOp

__all__ = [
    "AROUND",
    "ATTRIBUTES",
    "AddOp",
    "AlongAxisOp",
    "ArgmaxOp",
    "ArgmaxPoolOp",
    "Axis",
    "BUFFERS",
    "BatchNormOp",
    "BinaryOp",
    "BitcastOp",
    "BitwiseAndOp",
    "BitwiseNotOp",
    "BitwiseOrOp",
    "BitwiseXorOp",
    "Body",
    "BufferAttr",
    "COORDINATES",
    "Carried",
    "Choice",
    "CastOp",
    "CeilOp",
    "ClampOp",
    "Combiner",
    "CompareOp",
    "ConcatListOp",
    "ConcatOp",
    "ConstantOp",
    "ControlOp",
    "ConvOp",
    "ConvTransposeOp",
    "CopyOp",
    "CopysignOp",
    "CummaxOp",
    "CumminOp",
    "CumprodOp",
    "CumsumOp",
    "CumulativeOp",
    "Cut",
    "DONATED",
    "DefineSymbolOp",
    "DiagonalOp",
    "DictConstructOp",
    "DictGetOp",
    "DictType",
    "DimOp",
    "DivOp",
    "DropoutOp",
    "EmbeddingOp",
    "EqOp",
    "Exp2Op",
    "ExpOp",
    "ExpandOp",
    "Extent",
    "ExtremeOp",
    "FUNCTIONS",
    "FloorDivOp",
    "EXECUTED",
    "FUSION_NUMBER",
    "FusionOp",
    "GatherNdOp",
    "GatherOp",
    "GeOp",
    "GeluOp",
    "GetAttrOp",
    "Graph",
    "GraphOp",
    "GridSampleOp",
    "GruOp",
    "GtOp",
    "IN_PLACE",
    "IfOp",
    "IndexSelectOp",
    "IotaOp",
    "LIFETIMES",
    "LeOp",
    "LeakyReluOp",
    "LifetimeAttr",
    "Linear",
    "LinearOp",
    "Linked",
    "ListConstructOp",
    "ListType",
    "ListUnpackOp",
    "LogOp",
    "LogSoftmaxOp",
    "LogicalAndOp",
    "LogicalNotOp",
    "LogicalOrOp",
    "LogicalXorOp",
    "Lookup",
    "LoopOp",
    "LstmOp",
    "LtOp",
    "MatmulOp",
    "MaxPoolOp",
    "MaximumOp",
    "MeanOp",
    "MemoryMap",
    "MinimumOp",
    "ModOp",
    "MulOp",
    "NeOp",
    "NegOp",
    "Nest",
    "NonMaxSuppressionOp",
    "Number",
    "Order",
    "PadOp",
    "PanelsAttr",
    "Part",
    "PermuteOp",
    "PoolOp",
    "Position",
    "PowOp",
    "ProdOp",
    "QUIET",
    "ROUNDED",
    "Ranking",
    "Read",
    "ReciprocalOp",
    "RecurrentOp",
    "ReduceMaxOp",
    "ReduceMinOp",
    "ReduceOp",
    "RegionOp",
    "RemOp",
    "RequireOp",
    "Requirement",
    "ResampleOp",
    "ReshapeOp",
    "ResizeOp",
    "RnnOp",
    "RoundOp",
    "SKIPS",
    "TRACE",
    "ScatterNdOp",
    "ScatterOp",
    "ShiftLeftOp",
    "ShiftRightOp",
    "SigmoidOp",
    "SiluOp",
    "SingleResultOp",
    "Sizes",
    "SkipAttr",
    "SliceOp",
    "SoftmaxOp",
    "SortOp",
    "Source",
    "SqrtOp",
    "StoredOp",
    "SubOp",
    "SubviewOp",
    "SumOp",
    "SumPoolOp",
    "TopkOp",
    "TruncOp",
    "TupleConstructOp",
    "TupleGetOp",
    "TupleType",
    "UNLIMITED",
    "UnaryOp",
    "UnfoldOp",
    "WeightOp",
    "Where",
    "WhereOp",
    "Window",
    "YieldOp",
    "activation",
    "along",
    "axes",
    "axis",
    "between",
    "block_of",
    "bounds",
    "buffer_of",
    "byte_size",
    "capture",
    "centered",
    "clamped",
    "convert",
    "convolved",
    "convolved_back",
    "counted",
    "cut",
    "defined_symbols",
    "describe",
    "donated_to",
    "expanded",
    "filled",
    "flipped",
    "has_own_memory",
    "image_of_blocks",
    "inverse",
    "is_view",
    "is_bound",
    "is_computed",
    "is_given",
    "is_infinite",
    "joined",
    "kernel_name",
    "length",
    "may_be",
    "mean_pool",
    "must_be",
    "narrow",
    "near_power",
    "number",
    "number_like",
    "offset_of",
    "operator_name",
    "ops_in",
    "ordered",
    "padded",
    "part",
    "per_channel",
    "permuted",
    "plus",
    "pooling",
    "product",
    "progression",
    "quantity",
    "raised",
    "repeated",
    "replaced_by",
    "reshaped",
    "retype_yields",
    "retyped",
    "reversed_order",
    "root",
    "root_of",
    "rounded_up",
    "same",
    "scalar",
    "scaled_and_shifted",
    "shape_of",
    "skips_of",
    "stacked",
    "standardized",
    "taken",
    "texts",
    "then",
    "times",
    "to_array",
    "to_attribute",
    "to_names",
    "true_indices",
    "truths",
    "unite",
    "unstacked_type",
    "uses_of",
    "with_bias",
    "with_channels",
]


def _ops_in_folder() -> Iterator[type[IRDLOperation]]:
    """Every op defined in a file of `ops/`, in the order of the file names."""
    for info in pkgutil.iter_modules(ops.__path__, ops.__name__ + "."):
        for item in vars(importlib.import_module(info.name)).values():
            if isinstance(item, type) and item.__module__ == info.name:
                if issubclass(item, IRDLOperation) and not isabstract(item):
                    yield item


ATTRIBUTES = (
    *(BufferAttr, LifetimeAttr, SkipAttr, PanelsAttr),
    *(ListType, TupleType, DictType),
)

Graph = Dialect("graph", [*_ops_in_folder()], [*ATTRIBUTES])
