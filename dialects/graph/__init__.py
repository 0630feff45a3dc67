"""The graph dialect: ops on whole tensors, which say nothing of loops or memory."""

from __future__ import annotations

from . import scalar
from .choice import Choice
from .container import DictType, FutureType, ListType, TupleType
from .descent import Descent
from .dialect import graph_dialect
from .element_array import to_elements, to_numbers
from .families.elementwise import BinaryOp, CompareOp, UnaryOp
from .families.interpolation import COORDINATES, ROUNDED
from .gate import FUNCTIONS
from .literal import texts, to_array, to_attribute, to_names
from .location import EXECUTED, TRACE, describe, kernel_name, operator_name
from .memory import (
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
from .op import GraphOp, Requirement, SingleResultOp
from .ops.activation import GeluOp, LeakyReluOp, ReluOp, SigmoidOp, SiluOp
from .ops.argmax import ArgmaxOp
from .ops.argmax_pool import ArgmaxPoolOp
from .ops.arithmetic import AbsOp, NegOp, ReciprocalOp, SqrtOp
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
from .ops.dequantize import DequantizeOp
from .ops.descend import DescendOp
from .ops.diagonal import DiagonalOp
from .ops.dim import DimOp
from .ops.division import FloorDivOp, ModOp, RemOp
from .ops.dropout import DropoutOp
from .ops.embedding import EmbeddingOp
from .ops.expand import ExpandOp
from .ops.exponential import Exp2Op, ExpOp, LogOp
from .ops.foreign import ForeignOp
from .ops.fork import ForkOp
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
from .ops.pack import PackOp
from .ops.pad import PadOp
from .ops.parallel import ParallelOp
from .ops.permute import PermuteOp
from .ops.polar import CopysignOp
from .ops.pool import MaxPoolOp, SumPoolOp
from .ops.quantize import QuantizeOp
from .ops.rearrange import RearrangeOp
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
from .ops.rounding import CeilOp, FloorOp, RoundOp, TruncOp
from .ops.scatter import ScatterOp
from .ops.scatter_nd import ScatterNdOp
from .ops.slice import SliceOp
from .ops.softmax import AlongAxisOp, LogSoftmaxOp, SoftmaxOp
from .ops.sort import SortOp
from .ops.subview import SubviewOp
from .ops.topk import TopkOp
from .ops.unfold import UnfoldOp
from .ops.unpack import UnpackOp
from .ops.wait import WaitOp
from .ops.weight import WeightOp
from .ops.where import WhereOp
from .ops.winograd import WinogradInputOp, WinogradOutputOp
from .order import Carried, Order, inverse, is_view, ordered, then
from .ranking import Ranking
from .recurrent import RecurrentOp
from .region import ControlOp, RegionOp, block_of, capture, run_ops
from .signature import ranges_of, tensor_names
from .skip import SKIPS, Linked, SkipAttr, skips_of

__all__ = [
    "FloorOp",
    "tensor_names",
    "ranges_of",
    "run_ops",
    "SKIPS",
    "Linked",
    "SkipAttr",
    "skips_of",
    "AbsOp",
    "AddOp",
    "AlongAxisOp",
    "ArgmaxOp",
    "ArgmaxPoolOp",
    "BatchNormOp",
    "BinaryOp",
    "BitcastOp",
    "BitwiseAndOp",
    "BitwiseNotOp",
    "BitwiseOrOp",
    "BitwiseXorOp",
    "Body",
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
    "DefineSymbolOp",
    "DequantizeOp",
    "DescendOp",
    "Descent",
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
    "ForeignOp",
    "ForkOp",
    "FusionOp",
    "FutureType",
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
    "IfOp",
    "IndexSelectOp",
    "IotaOp",
    "LeOp",
    "LeakyReluOp",
    "Linear",
    "LinearOp",
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
    "Order",
    "PackOp",
    "PadOp",
    "ParallelOp",
    "Part",
    "PermuteOp",
    "Position",
    "PowOp",
    "ProdOp",
    "QuantizeOp",
    "ROUNDED",
    "Ranking",
    "Read",
    "RearrangeOp",
    "ReciprocalOp",
    "RecurrentOp",
    "ReduceMaxOp",
    "ReduceMinOp",
    "ReduceOp",
    "RegionOp",
    "ReluOp",
    "RemOp",
    "RequireOp",
    "Requirement",
    "ResampleOp",
    "ReshapeOp",
    "ResizeOp",
    "RnnOp",
    "RoundOp",
    "TRACE",
    "ScatterNdOp",
    "ScatterOp",
    "ShiftLeftOp",
    "ShiftRightOp",
    "SigmoidOp",
    "SiluOp",
    "SingleResultOp",
    "SliceOp",
    "SoftmaxOp",
    "SortOp",
    "Source",
    "SqrtOp",
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
    "UnpackOp",
    "WaitOp",
    "WeightOp",
    "Where",
    "WhereOp",
    "WinogradInputOp",
    "WinogradOutputOp",
    "YieldOp",
    "axes",
    "axis",
    "block_of",
    "capture",
    "defined_symbols",
    "describe",
    "has_own_memory",
    "inverse",
    "is_view",
    "is_computed",
    "is_given",
    "kernel_name",
    "offset_of",
    "operator_name",
    "ops_in",
    "ordered",
    "root_of",
    "same",
    "scalar",
    "texts",
    "then",
    "to_array",
    "to_attribute",
    "to_elements",
    "to_numbers",
    "to_names",
    "unstacked_type",
    "uses_of",
]

Graph = graph_dialect()
