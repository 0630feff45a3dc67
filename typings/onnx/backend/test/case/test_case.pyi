"""One case of ONNX's conformance tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .... import ModelProto

@dataclass
class TestCase:
    name: str
    model_name: str
    url: str | None
    model_dir: str | None
    model: ModelProto | None
    data_sets: Sequence[tuple[Sequence[Any], Sequence[Any]]] | None
    kind: str
    rtol: float
    atol: float
