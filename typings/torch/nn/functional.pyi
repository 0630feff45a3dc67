"""PyTorch's functions on tensors, all of them Any here."""

from typing import Any

def __getattr__(name: str) -> Any: ...  # pyright: ignore[reportIncompleteStub]
