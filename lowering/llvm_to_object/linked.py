"""
Link LLVM modules into one object that exports the named functions alone.

It is for a linker, not for the JIT: of the small code model and position independent.
Each module is optimized alone, as the JIT's are, so both compute the same bits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from llvmlite import binding

from ...runtime import Cache
from . import CODE, Machine, know_targets, optimize, parse
from .uninterrupted import uninterrupted
from .unlocked import emit_object


def linked_object(
    texts: Sequence[str], names: Sequence[str], machine: Machine, cache: Cache | None
) -> bytes:
    """The object of these modules, which exports the functions `names` alone."""
    digest = hashlib.sha256(f"linked\n{machine.key}\n{' '.join(names)}".encode())
    for text in texts:
        digest.update(f"\n{len(text)}\n{text}".encode())
    key = digest.hexdigest()
    if cache is not None and (known := cache.get(key)) is not None:
        return known
    made = _link(texts, names, machine)
    if cache is not None:
        cache.put(key, made)
    return made


@uninterrupted
def _link(texts: Sequence[str], names: Sequence[str], machine: Machine) -> bytes:
    """The object, compiled anew."""
    know_targets()
    target = binding.Target.from_triple(machine.triple)
    context = binding.create_context()
    with (
        target.create_target_machine(
            cpu=machine.cpu,
            features=machine.features,
            opt=CODE,
            reloc="pic",
            codemodel="small",
        ) as lowered,
        parse("", context) as whole,
    ):
        whole.triple = machine.triple
        whole.data_layout = str(lowered.target_data)
        for text in texts:
            with parse(text, context) as part:
                part.triple = machine.triple
                part.data_layout = str(lowered.target_data)
                part.verify()
                optimize(part, lowered, machine.passes_for(text))
                whole.link_in(part)
        for each in whole.functions:
            if not each.is_declaration and each.name not in names:
                each.linkage = "internal"
        whole.verify()
        return emit_object(lowered, whole)
