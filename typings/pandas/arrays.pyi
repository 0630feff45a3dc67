"""Arrays of pandas."""

from typing import Any

class ArrowExtensionArray:
    def __init__(self, values: Any) -> None: ...
