"""How a backend of `torch.compile` is made from a compiler of graphs."""

from collections.abc import Callable
from typing import Any

def aot_autograd(**kwargs: Any) -> Callable[..., Any]: ...
