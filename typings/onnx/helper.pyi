"""How ONNX's messages are built, and what its enums mean."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from . import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
    ValueInfoProto,
)

_Shape: TypeAlias = Sequence[str | int | None] | None

def get_attribute_value(attr: AttributeProto) -> Any: ...
def get_node_attr_value(node: NodeProto, attr_name: str) -> Any: ...
def make_attribute(
    key: str, value: Any, doc_string: str | None = None, attr_type: int | None = None
) -> AttributeProto: ...
def make_function(
    domain: str,
    fname: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    nodes: Sequence[NodeProto],
    opset_imports: Sequence[OperatorSetIdProto],
    attributes: Sequence[str] | None = None,
    attribute_protos: Sequence[AttributeProto] | None = None,
    doc_string: str | None = None,
    overload: str | None = None,
    value_info: Sequence[ValueInfoProto] | None = None,
) -> FunctionProto: ...
def make_graph(
    nodes: Sequence[NodeProto],
    name: str,
    inputs: Sequence[ValueInfoProto],
    outputs: Sequence[ValueInfoProto],
    initializer: Sequence[TensorProto] | None = None,
    doc_string: str | None = None,
    value_info: Sequence[ValueInfoProto] | None = None,
    sparse_initializer: Sequence[SparseTensorProto] | None = None,
) -> GraphProto: ...
def make_model(graph: GraphProto, **kwargs: Any) -> ModelProto: ...
def make_node(
    op_type: str,
    inputs: Sequence[str],
    outputs: Sequence[str],
    name: str | None = None,
    doc_string: str | None = None,
    domain: str | None = None,
    overload: str | None = None,
    **kwargs: Any,
) -> NodeProto: ...
def make_opsetid(domain: str, version: int) -> OperatorSetIdProto: ...
def make_optional_type_proto(inner_type_proto: TypeProto) -> TypeProto: ...
def make_sequence_type_proto(inner_type_proto: TypeProto) -> TypeProto: ...
def make_sparse_tensor(
    values: TensorProto, indices: TensorProto, dims: Sequence[int]
) -> SparseTensorProto: ...
def make_tensor(
    name: str,
    data_type: int,
    dims: Sequence[int],
    vals: Sequence[int | float | complex | str | bytes] | bytes | npt.NDArray[Any],
    raw: bool = False,
) -> TensorProto: ...
def make_tensor_sequence_value_info(
    name: str,
    elem_type: int,
    shape: _Shape,
    doc_string: str = "",
    elem_shape_denotation: list[str] | None = None,
) -> ValueInfoProto: ...
def make_tensor_type_proto(
    elem_type: int, shape: _Shape, shape_denotation: list[str] | None = None
) -> TypeProto: ...
def make_tensor_value_info(
    name: str,
    elem_type: int,
    shape: _Shape,
    doc_string: str = "",
    shape_denotation: list[str] | None = None,
) -> ValueInfoProto: ...
def make_value_info(
    name: str, type_proto: TypeProto, doc_string: str = ""
) -> ValueInfoProto: ...
def np_dtype_to_tensor_dtype(np_dtype: np.dtype[Any]) -> int: ...
def tensor_dtype_to_np_dtype(tensor_dtype: int) -> np.dtype[Any]: ...
def tensor_dtype_to_string(tensor_dtype: int) -> str: ...
def tensor_dtype_to_field(tensor_dtype: int) -> str: ...
