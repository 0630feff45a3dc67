"""How a module says what its arguments are."""

from __future__ import annotations

from typing import Any

TORCH_MLIR_ARG_ANNOTATIONS_ATTR_NAME = "_annotations"


def annotate_args(annotations: Any) -> Any:
    """Notes what is known of arguments: shapes with -1, dtypes, whether of values."""

    def noted(method: Any) -> Any:
        setattr(method, TORCH_MLIR_ARG_ANNOTATIONS_ATTR_NAME, annotations)
        return method

    return noted
