"""Files as the runtime reads and writes them: whole or not at all, with limits."""

from __future__ import annotations

from .atomic import TEMPORARY, atomic_file, followed
from .file_lock import file_lock
from .regular_file import (
    FILE,
    Bytes,
    OutsideError,
    aligned_bytes,
    error_line,
    fill,
    kind_of,
    locked,
    open_inside,
    open_regular,
    pieces,
    read_bytes,
    reason,
    size_of,
    stamp,
)
from .safetensors import Array, Contents, Stream, contents, read_from, write, write_to
from .safetensors_header import Entry, SafetensorsError
from .shortened import listed, shortened

__all__ = [
    "TEMPORARY",
    "Array",
    "Bytes",
    "Contents",
    "Entry",
    "FILE",
    "OutsideError",
    "SafetensorsError",
    "Stream",
    "atomic_file",
    "contents",
    "error_line",
    "file_lock",
    "fill",
    "followed",
    "kind_of",
    "listed",
    "locked",
    "open_inside",
    "open_regular",
    "pieces",
    "read_bytes",
    "read_from",
    "reason",
    "aligned_bytes",
    "shortened",
    "size_of",
    "stamp",
    "write",
    "write_to",
]
