"""Whether a model is one that ONNX allows."""

from os import PathLike

from . import ModelProto

class ValidationError(Exception): ...

def check_model(
    model: ModelProto | str | bytes | PathLike[str],
    full_check: bool = False,
    skip_opset_compatibility_check: bool = False,
    check_custom_domain: bool = False,
) -> None: ...
