"""Selective build: what is selected, read from YAML, merged, asked and written."""

from ...runtime.library import SelectionError
from .kernel_key import kernel_key
from .merge import merge
from .read import parse_selection, read_selection
from .write import yaml_of
from .yaml_nodes import MOST_BYTES, Fields, Items, Node, Scalar, read_nodes

__all__ = [
    "Fields",
    "Items",
    "MOST_BYTES",
    "Node",
    "Scalar",
    "SelectionError",
    "kernel_key",
    "merge",
    "parse_selection",
    "read_nodes",
    "read_selection",
    "yaml_of",
]
