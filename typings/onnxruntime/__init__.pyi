"""ONNX Runtime, which results and times are compared with."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

__version__: str

class GraphOptimizationLevel:
    ORT_DISABLE_ALL: GraphOptimizationLevel
    ORT_ENABLE_BASIC: GraphOptimizationLevel
    ORT_ENABLE_EXTENDED: GraphOptimizationLevel
    ORT_ENABLE_ALL: GraphOptimizationLevel

class ExecutionMode:
    ORT_PARALLEL: ExecutionMode
    ORT_SEQUENTIAL: ExecutionMode

class SessionOptions:
    enable_cpu_mem_arena: bool
    enable_mem_pattern: bool
    enable_profiling: bool
    execution_mode: ExecutionMode
    graph_optimization_level: GraphOptimizationLevel
    inter_op_num_threads: int
    intra_op_num_threads: int
    log_severity_level: int
    optimized_model_filepath: str
    use_deterministic_compute: bool
    def add_session_config_entry(self, arg0: str, arg1: str, /) -> None: ...

class NodeArg:
    @property
    def name(self) -> str: ...
    @property
    def shape(self) -> list[int | str | None]: ...
    @property
    def type(self) -> str: ...

class InferenceSession:
    def __init__(
        self,
        path_or_bytes: str | bytes | PathLike[str],
        sess_options: SessionOptions | None = None,
        providers: Sequence[str] | None = None,
    ) -> None: ...
    def get_inputs(self) -> list[NodeArg]: ...
    def get_outputs(self) -> list[NodeArg]: ...
    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, Any]
    ) -> list[Any]: ...

def get_available_providers() -> list[str]: ...
def set_default_logger_severity(arg0: int, /) -> None: ...
