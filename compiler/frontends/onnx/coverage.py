"""The ops of ONNX, and the definitions of those without a reader."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from onnx import defs

from .control_flow import REGIONS
from .described import BESIDE
from .model_file import LATEST
from .sequences import SEQUENCES
from .table import HANDLERS
from .texts import READERS as TEXTS

READERS: dict[str, Callable[..., object]] = {
    **HANDLERS,
    **REGIONS,
    **SEQUENCES,
    **TEXTS,
}
"""The readers of ops."""


def every_op() -> list[str]:
    """
    ONNX's own ops in the latest opset, those that only older opsets have, and the ops
    of the domains beside it, with these.
    """
    names = {
        f"{each.domain}.{each.name}" if each.domain else each.name
        for each in defs.get_all_schemas()
        if each.domain in BESIDE or (each.domain == "" and each.since_version <= LATEST)
    }
    current = {name for name in names if not _schema(name).deprecated}
    return sorted(current | set(READERS))


def _schema(name: str) -> defs.OpSchema:
    """The newest description of an op that is read."""
    domain, _, op = name.rpartition(".")
    return defs.get_schema(op, domain) if domain else defs.get_schema(op, LATEST)


@cache
def is_read(name: str) -> bool:
    """Whether an op has a reader, or a definition by ops that all have one."""
    if name in READERS:
        return True
    inside = definition(name)
    return bool(inside) and all(map(is_read, inside))


def definition(name: str) -> list[str]:
    """The ops in the definition of an op; empty when these depend on its inputs."""
    schema = _schema(name)
    if not schema.has_function:
        return []
    return list(dict.fromkeys(each.op_type for each in schema.function_body.node))


def depends_on_inputs(name: str) -> bool:
    """Whether an op has a definition that depends on its inputs."""
    return _schema(name).has_context_dependent_function
