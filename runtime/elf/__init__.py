"""A linker of relocatable ELF objects into this process, which needs no LLVM."""

from __future__ import annotations

from .linker import Image, link_image
from .object_file import ObjectError, read_object

__all__ = ["Image", "ObjectError", "link_image", "read_object"]
