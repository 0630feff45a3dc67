"""
Find the object of a kernel by its loops, before any LLVM text of it is written.

A note in the cache says under which key the object of a kernel's text is, what the
function is called, and which dimensions its code computes. The key of a note is a hash
of all that decides the text: the kernel without its name, in the generic form, which
leaves nothing out; the target; and the source of the compiler. That of an object is a
hash of the text. So an object that is found is one that the text would be compiled to,
and where that or the note is gone or damaged, the text is written as without a cache.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from io import StringIO

from xdsl.dialects.builtin import StringAttr
from xdsl.printer import Printer

from ...dialects import dim
from ...dialects.loop import KernelOp, TargetAttr
from ...runtime import Cache
from ..loop_to_llvm import LlvmModule
from . import Machine, key_of_text


@dataclass
class KeptKernels:
    """The kernels of one compile whose objects may be in a cache."""

    cache: Cache
    target: TargetAttr
    machine: Machine
    version: str
    """What differs for another source of the compiler."""
    keys: dict[KernelOp, str] = field(default_factory=dict[KernelOp, str])
    """The keys of the notes of kernels that were not found."""

    def find(self, kernel: KernelOp) -> LlvmModule | None:
        """The module of a kernel, with its code and without text, if it is kept."""
        key = self.keys[kernel] = self.key_of(kernel)
        note = self.cache.get(key)
        if note is None:
            return None
        name, key_of_object, *sizes = json.loads(note)
        code = self.cache.get(key_of_object)
        if code is None:
            return None
        return LlvmModule(name, "", tuple(map(dim, sizes)), code)

    def keep(self, kernel: KernelOp, made: LlvmModule) -> None:
        """Notes the text of a kernel that was not found."""
        key_of_object = key_of_text(made.text, self.machine)
        note = [made.name, key_of_object, *map(str, made.sizes)]
        self.cache.put(self.keys[kernel], json.dumps(note).encode())

    def key_of(self, kernel: KernelOp) -> str:
        """The key of the note of a kernel."""
        text = StringIO()
        name, kernel.sym_name = kernel.sym_name, StringAttr("kernel")
        try:
            Printer(text, print_generic_format=True).print_op(kernel)
        finally:
            kernel.sym_name = name
        parts = (self.version, self.machine.key, str(self.target), text.getvalue())
        digest = hashlib.sha256(b"kernel")
        for part in parts:
            data = part.encode()
            digest.update(len(data).to_bytes(8, "little"))
            digest.update(data)
        return digest.hexdigest()
