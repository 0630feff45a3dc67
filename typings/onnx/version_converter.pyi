"""A model in another version of ONNX's operators."""

from . import ModelProto

class ConvertError(Exception): ...

def convert_version(model: ModelProto, target_version: int) -> ModelProto: ...
