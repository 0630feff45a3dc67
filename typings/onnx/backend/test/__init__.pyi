"""ONNX's conformance tests, as unittest cases."""

from collections.abc import Sequence
from typing import Any
from unittest import TestCase, TestSuite

from ..base import Backend

class BackendTest:
    def __init__(
        self,
        backend: type[Backend],
        parent_module: str | None = None,
        test_kwargs: dict[str, Any] | None = None,
    ) -> None: ...
    def include(self, pattern: str) -> BackendTest: ...
    def exclude(self, pattern: str) -> BackendTest: ...
    def xfail(self, pattern: str) -> BackendTest: ...
    @property
    def test_cases(self) -> dict[str, type[TestCase]]: ...
    @property
    def test_suite(self) -> TestSuite: ...
    @classmethod
    def assert_similar_outputs(
        cls,
        ref_outputs: Sequence[Any],
        outputs: Sequence[Any],
        rtol: float,
        atol: float,
        model_dir: str | None = None,
    ) -> None: ...
