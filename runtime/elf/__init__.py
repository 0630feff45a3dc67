"""A linker of relocatable ELF objects into this process, which needs no LLVM."""

from __future__ import annotations

from .linker import Image, link_image
from .object_file import ObjectError, read_object
from .outside import is_outside

__all__ = ["Image", "ObjectError", "is_outside", "link_image", "read_object"]
