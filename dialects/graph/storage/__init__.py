"""Attributes that say where values are stored: buffers, panels, weights."""

from __future__ import annotations

from .buffer import (
    BUFFERS,
    DONATED,
    IN_PLACE,
    LIFETIMES,
    BufferAttr,
    LifetimeAttr,
    buffer_of,
    byte_size,
    donated_to,
    replaced_by,
)
from .panels import PANELS, Axis, PanelsAttr, panels_of
from .stored import StoredOp

__all__ = [
    "Axis",
    "BUFFERS",
    "BufferAttr",
    "DONATED",
    "IN_PLACE",
    "LIFETIMES",
    "LifetimeAttr",
    "PANELS",
    "PanelsAttr",
    "StoredOp",
    "buffer_of",
    "byte_size",
    "donated_to",
    "panels_of",
    "replaced_by",
]
