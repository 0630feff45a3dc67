"""What a runtime under test has to be."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .. import ModelProto, NodeProto

class DeviceType:
    CPU: int
    CUDA: int

class Device:
    type: int
    device_id: int
    def __init__(self, device: str) -> None: ...

def namedtupledict(
    typename: str, field_names: Sequence[str], *args: Any, **kwargs: Any
) -> type[tuple[Any, ...]]: ...

class BackendRep:
    def run(self, inputs: Any, **kwargs: Any) -> tuple[Any, ...]: ...

class Backend:
    @classmethod
    def is_compatible(
        cls, model: ModelProto, device: str = "CPU", **kwargs: Any
    ) -> bool: ...
    @classmethod
    def prepare(
        cls, model: ModelProto, device: str = "CPU", **kwargs: Any
    ) -> BackendRep | None: ...
    @classmethod
    def run_model(
        cls, model: ModelProto, inputs: Any, device: str = "CPU", **kwargs: Any
    ) -> tuple[Any, ...]: ...
    @classmethod
    def run_node(
        cls,
        node: NodeProto,
        inputs: Any,
        device: str = "CPU",
        outputs_info: Sequence[tuple[np.dtype[Any], tuple[int, ...]]] | None = None,
        **kwargs: Any,
    ) -> tuple[Any, ...] | None: ...
    @classmethod
    def supports_device(cls, device: str) -> bool: ...
