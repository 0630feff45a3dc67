"""The models of ONNX's conformance tests."""

from .case.test_case import TestCase

def load_model_tests(
    data_dir: str = ..., kind: str | None = None
) -> list[TestCase]: ...
