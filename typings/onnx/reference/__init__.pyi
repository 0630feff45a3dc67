"""ONNX's own evaluator, in numpy."""

from typing import Any

from .. import FunctionProto

class ReferenceEvaluator:
    def __init__(
        self,
        proto: Any,
        opsets: dict[str, int] | None = None,
        functions: list[ReferenceEvaluator | FunctionProto] | None = None,
        verbose: int = 0,
    ) -> None: ...
    @property
    def input_names(self) -> list[str]: ...
    @property
    def output_names(self) -> list[str]: ...
    def run(
        self, output_names: list[str] | None, feed_inputs: dict[str, Any]
    ) -> list[Any]: ...
