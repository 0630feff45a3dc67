"""Functions on arrays of Arrow."""

from typing import Any

from . import Array

class _Scalar:
    def as_py(self) -> Any: ...

def list_value_length(lists: Array, /) -> Array: ...
def min_max(array: Array, /) -> _Scalar: ...
