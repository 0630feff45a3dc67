"""Write a selection as YAML, as PyTorch's tracer does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast

from ...runtime.library import Operator, Selection
from .yaml_nodes import check_installed

_ALWAYS = (
    "include_all_non_op_selectives",
    "build_features",
    "operators",
    "kernel_metadata",
    "custom_classes",
)
"""The keys that a file has even if they select nothing; others are left out then."""


def yaml_of(selection: Selection) -> str:
    """
    The text of a selection; equal ones have equal texts.

    Raises `SelectionError` when the package that writes YAML is not installed.
    """
    check_installed()
    import yaml

    values = {key.name: getattr(selection, key.name) for key in fields(Selection)}
    kept = {
        name: _plain(value)
        for name, value in values.items()
        if name in _ALWAYS or value or (value is not None and name == "debug_info")
    }
    return yaml.safe_dump(
        kept,
        indent=4,
        width=float("inf"),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=False,
    )


def _plain(value: Any) -> Any:
    """A value of a selection as lists and dictionaries, in the order of names."""
    match value:
        case Operator():
            known = {key.name: getattr(value, key.name) for key in fields(value)}
            return {k: _plain(v) for k, v in known.items() if v is not None}
        case Mapping():
            items = cast("Mapping[str, Any]", value)
            return {name: _plain(items[name]) for name in sorted(items)}
        case frozenset():
            return sorted(cast("frozenset[str]", value))
        case _:
            return value
