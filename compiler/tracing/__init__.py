"""Tracing: what models execute, as the selection of a selective build."""

from .models import trace_models

__all__ = [
    "trace_models",
]
