"""Tensors whose elements stand in a file beside the model."""

from . import ModelProto, TensorProto

class ExternalDataInfo:
    location: str
    offset: int | None
    length: int | None
    checksum: str | None
    basepath: str
    def __init__(self, tensor: TensorProto) -> None: ...

def convert_model_to_external_data(
    model: ModelProto,
    all_tensors_to_one_file: bool = True,
    location: str | None = None,
    size_threshold: int = 1024,
    convert_attribute: bool = False,
) -> None: ...
def load_external_data_for_model(model: ModelProto, base_dir: str) -> None: ...
def load_external_data_for_tensor(tensor: TensorProto, base_dir: str) -> None: ...
def set_external_data(
    tensor: TensorProto,
    location: str,
    offset: int | None = None,
    length: int | None = None,
    checksum: str | None = None,
    basepath: str | None = None,
) -> None: ...
def uses_external_data(tensor: TensorProto) -> bool: ...
