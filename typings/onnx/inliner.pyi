"""A model with its functions written out."""

from . import ModelProto

def inline_local_functions(
    model: ModelProto, convert_version: bool = False
) -> ModelProto: ...
def inline_selected_functions(
    model: ModelProto,
    function_ids: list[tuple[str, str]],
    exclude: bool = False,
    inline_schema_functions: bool = False,
) -> ModelProto: ...
