"""ONNX models: the messages of onnx.proto, and how they are read and written."""

from collections.abc import Iterable, MutableSequence
from os import PathLike
from typing import IO, Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from . import checker as checker
from . import defs as defs
from . import external_data_helper as external_data_helper
from . import helper as helper
from . import inliner as inliner
from . import numpy_helper as numpy_helper
from . import parser as parser
from . import shape_inference as shape_inference
from . import version_converter as version_converter

__version__: str

IR_VERSION: int

_T = TypeVar("_T")
_M = TypeVar("_M", bound=_Message)

_Format: TypeAlias = Literal["protobuf", "textproto", "json", "onnxtxt"]
_File: TypeAlias = IO[bytes] | str | PathLike[str]

def load(
    f: _File, format: _Format | None = None, load_external_data: bool = True
) -> ModelProto: ...
def load_model_from_string(
    s: bytes | str, format: _Format = "protobuf"
) -> ModelProto: ...
def save(
    proto: ModelProto | bytes,
    f: _File,
    format: _Format | None = None,
    *,
    save_as_external_data: bool = False,
    all_tensors_to_one_file: bool = True,
    location: str | None = None,
    size_threshold: int = 1024,
    convert_attribute: bool = False,
) -> None: ...

class _Message:
    def __init__(self, **kwargs: Any) -> None: ...
    def ByteSize(self) -> int: ...
    def ClearField(self, field_name: str) -> None: ...
    def CopyFrom(self, other_msg: Self) -> None: ...
    def HasField(self, field_name: str) -> bool: ...
    def ParseFromString(self, serialized: bytes) -> int: ...
    def SerializeToString(self, *, deterministic: bool = ...) -> bytes: ...
    def WhichOneof(self, oneof_group: str) -> str | None: ...

class _Scalars(MutableSequence[_T]):
    """A repeated field of numbers, strings or bytes."""

class _Messages(MutableSequence[_M], Generic[_M]):
    """A repeated field of messages."""
    def add(self, **kwargs: Any) -> _M: ...
    def MergeFrom(self, other: Iterable[_M]) -> None: ...

class _Enum:
    """What protobuf makes of an enum: its values are ints."""
    @classmethod
    def Name(cls, number: int) -> str: ...
    @classmethod
    def Value(cls, name: str) -> int: ...
    @classmethod
    def items(cls) -> list[tuple[str, int]]: ...

class StringStringEntryProto(_Message):
    key: str
    value: str

class OperatorSetIdProto(_Message):
    domain: str
    version: int

class TensorProto(_Message):
    class DataType(_Enum): ...
    class DataLocation(_Enum): ...

    class Segment(_Message):
        begin: int
        end: int

    UNDEFINED: ClassVar[int]
    FLOAT: ClassVar[int]
    UINT8: ClassVar[int]
    INT8: ClassVar[int]
    UINT16: ClassVar[int]
    INT16: ClassVar[int]
    INT32: ClassVar[int]
    INT64: ClassVar[int]
    STRING: ClassVar[int]
    BOOL: ClassVar[int]
    FLOAT16: ClassVar[int]
    DOUBLE: ClassVar[int]
    UINT32: ClassVar[int]
    UINT64: ClassVar[int]
    COMPLEX64: ClassVar[int]
    COMPLEX128: ClassVar[int]
    BFLOAT16: ClassVar[int]
    FLOAT8E4M3FN: ClassVar[int]
    FLOAT8E4M3FNUZ: ClassVar[int]
    FLOAT8E5M2: ClassVar[int]
    FLOAT8E5M2FNUZ: ClassVar[int]
    UINT4: ClassVar[int]
    INT4: ClassVar[int]
    FLOAT4E2M1: ClassVar[int]
    FLOAT8E8M0: ClassVar[int]
    DEFAULT: ClassVar[int]
    EXTERNAL: ClassVar[int]

    data_location: int
    data_type: int
    dims: _Scalars[int]
    doc_string: str
    double_data: _Scalars[float]
    external_data: _Messages[StringStringEntryProto]
    float_data: _Scalars[float]
    int32_data: _Scalars[int]
    int64_data: _Scalars[int]
    metadata_props: _Messages[StringStringEntryProto]
    name: str
    raw_data: bytes
    segment: Segment
    string_data: _Scalars[bytes]
    uint64_data: _Scalars[int]

class SparseTensorProto(_Message):
    dims: _Scalars[int]
    indices: TensorProto
    values: TensorProto

class TensorShapeProto(_Message):
    class Dimension(_Message):
        denotation: str
        dim_param: str
        dim_value: int

    dim: _Messages[Dimension]

class TypeProto(_Message):
    class Tensor(_Message):
        elem_type: int
        shape: TensorShapeProto

    class SparseTensor(_Message):
        elem_type: int
        shape: TensorShapeProto

    class Sequence(_Message):
        elem_type: TypeProto

    class Optional(_Message):
        elem_type: TypeProto

    class Map(_Message):
        key_type: int
        value_type: TypeProto

    denotation: str
    map_type: Map
    optional_type: Optional
    sequence_type: Sequence
    sparse_tensor_type: SparseTensor
    tensor_type: Tensor

class ValueInfoProto(_Message):
    doc_string: str
    metadata_props: _Messages[StringStringEntryProto]
    name: str
    type: TypeProto

class AttributeProto(_Message):
    class AttributeType(_Enum): ...

    UNDEFINED: ClassVar[int]
    FLOAT: ClassVar[int]
    INT: ClassVar[int]
    STRING: ClassVar[int]
    TENSOR: ClassVar[int]
    GRAPH: ClassVar[int]
    SPARSE_TENSOR: ClassVar[int]
    TYPE_PROTO: ClassVar[int]
    FLOATS: ClassVar[int]
    INTS: ClassVar[int]
    STRINGS: ClassVar[int]
    TENSORS: ClassVar[int]
    GRAPHS: ClassVar[int]
    SPARSE_TENSORS: ClassVar[int]
    TYPE_PROTOS: ClassVar[int]

    doc_string: str
    f: float
    floats: _Scalars[float]
    g: GraphProto
    graphs: _Messages[GraphProto]
    i: int
    ints: _Scalars[int]
    name: str
    ref_attr_name: str
    s: bytes
    sparse_tensor: SparseTensorProto
    sparse_tensors: _Messages[SparseTensorProto]
    strings: _Scalars[bytes]
    t: TensorProto
    tensors: _Messages[TensorProto]
    tp: TypeProto
    type: int
    type_protos: _Messages[TypeProto]

class NodeProto(_Message):
    attribute: _Messages[AttributeProto]
    doc_string: str
    domain: str
    input: _Scalars[str]
    metadata_props: _Messages[StringStringEntryProto]
    name: str
    op_type: str
    output: _Scalars[str]
    overload: str

class TensorAnnotation(_Message):
    quant_parameter_tensor_names: _Messages[StringStringEntryProto]
    tensor_name: str

class GraphProto(_Message):
    doc_string: str
    initializer: _Messages[TensorProto]
    input: _Messages[ValueInfoProto]
    metadata_props: _Messages[StringStringEntryProto]
    name: str
    node: _Messages[NodeProto]
    output: _Messages[ValueInfoProto]
    quantization_annotation: _Messages[TensorAnnotation]
    sparse_initializer: _Messages[SparseTensorProto]
    value_info: _Messages[ValueInfoProto]

class FunctionProto(_Message):
    attribute: _Scalars[str]
    attribute_proto: _Messages[AttributeProto]
    doc_string: str
    domain: str
    input: _Scalars[str]
    metadata_props: _Messages[StringStringEntryProto]
    name: str
    node: _Messages[NodeProto]
    opset_import: _Messages[OperatorSetIdProto]
    output: _Scalars[str]
    overload: str
    value_info: _Messages[ValueInfoProto]

class ModelProto(_Message):
    doc_string: str
    domain: str
    functions: _Messages[FunctionProto]
    graph: GraphProto
    ir_version: int
    metadata_props: _Messages[StringStringEntryProto]
    model_version: int
    opset_import: _Messages[OperatorSetIdProto]
    producer_name: str
    producer_version: str

class SequenceProto(_Message):
    elem_type: int
    name: str
    sequence_values: _Messages[SequenceProto]
    tensor_values: _Messages[TensorProto]

class OptionalProto(_Message):
    elem_type: int
    name: str
    optional_value: OptionalProto
    sequence_value: SequenceProto
    tensor_value: TensorProto
