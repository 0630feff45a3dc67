"""The types and shapes that ONNX infers."""

from . import (
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    SparseTensorProto,
    TensorProto,
    TypeProto,
    defs,
)

class InferenceError(Exception): ...

def infer_node_outputs(
    schema: defs.OpSchema,
    node: NodeProto,
    input_types: dict[str, TypeProto],
    input_data: dict[str, TensorProto] | None = None,
    input_sparse_data: dict[str, SparseTensorProto] | None = None,
    opset_imports: list[OperatorSetIdProto] | None = None,
    ir_version: int = ...,
) -> dict[str, TypeProto]: ...
def infer_shapes(
    model: ModelProto | bytes,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = False,
) -> ModelProto: ...
