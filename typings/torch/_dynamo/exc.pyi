"""What is raised while a model is traced, all of it Any here."""

from typing import Any

def __getattr__(name: str) -> Any: ...  # pyright: ignore[reportIncompleteStub]
