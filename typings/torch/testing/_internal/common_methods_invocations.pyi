"""PyTorch's table of operators and of samples to call each with."""

from collections.abc import Callable, Iterator
from typing import Any

from torch import device, dtype

class SampleInput:
    input: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    name: str

class OpInfo:
    name: str
    variant_test_name: str
    op: Callable[..., Any]
    dtypes: set[dtype]
    def sample_inputs(
        self,
        device: str | device,
        dtype: dtype,
        requires_grad: bool = False,
        **kwargs: Any,
    ) -> Iterator[SampleInput]: ...

op_db: list[OpInfo]
