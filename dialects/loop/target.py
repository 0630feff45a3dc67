"""
The machine that a module is compiled for: what loop passes and the emitter ask of it.

    #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>
    #loop.target<"x86-64", vector = 512, registers = 32, fma = true,
        caches = 48 and 2048>

Caches are in KiB, and left out where they are the usual ones. With `dots` the machine
adds up products of pairs of bf16, by the instructions of that name: `avx512bf16`, on
vectors, or `amx`, on registers of matrices. `portable` and `portable-amx` compute the
same without them, on any machine.
It is the attribute `loop.target` of the module. Nothing below the graph may ask the
host.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..entries import FLAG, TEXT, EntriesAttr, bare, entry, pair

CACHES = (32, 512)
"""KiB of the first two caches where nothing is said of them."""

MATRICES = ("amx", "portable-amx")
"""The `dots` that work on totals in registers of matrices; the latter in memory."""

SIDE = 16
"""Rows of such a register, and columns of totals that it holds."""

STEPS = 32
"""Steps that one multiplication of such registers adds up."""

TOTALS = 4
"""How many of the eight hold totals: the others are for what is multiplied."""

KEY = "loop.target"
"""The name of the module's attribute."""


@irdl_attr_definition
class TargetAttr(EntriesAttr):
    """
    A machine: its name, vector width in bits, vector registers, and whether it fuses.
    """

    name = "loop.target"

    cpu: StringAttr = param_def()
    vector: IntAttr = param_def()
    registers: IntAttr = param_def()
    fma: IntAttr = param_def()
    features: StringAttr = param_def()
    l1: IntAttr = param_def()
    """KiB of the first cache of data."""
    l2: IntAttr = param_def()
    """KiB of the second cache."""
    dots: StringAttr = param_def()
    """The instructions that add up products of pairs of bf16, if there are any."""

    FORM: ClassVar = (
        bare("cpu", TEXT),
        entry("vector"),
        entry("registers"),
        entry("fma", FLAG),
        pair("caches", "l1", "and", "l2", default=CACHES),
        entry("dots", TEXT, default=""),
        bare("features", TEXT, default=""),
    )

    @staticmethod
    def of(
        cpu: str,
        vector: int,
        registers: int,
        fma: bool,
        features: str = "",
        caches: tuple[int, int] = CACHES,
        dots: str = "",
    ) -> TargetAttr:
        """The target with vectors of `vector` bits in `registers` registers."""
        l1, l2 = caches
        return TargetAttr(
            StringAttr(cpu),
            IntAttr(vector),
            IntAttr(registers),
            IntAttr(int(fma)),
            StringAttr(features),
            IntAttr(l1),
            IntAttr(l2),
            StringAttr(dots),
        )

    @property
    def has_matrices(self) -> bool:
        """Whether `dots` are instructions on registers that hold a matrix each."""
        return self.dots.data in MATRICES

    def lanes(self, bits: int) -> int:
        """How many elements of so many bits a vector holds."""
        return max(1, self.vector.data // bits)


def target_of(module: ModuleOp) -> TargetAttr:
    """The target that the module names; raises `VerifyException` when it names none."""
    target = module.attributes.get(KEY)
    if not isinstance(target, TargetAttr):
        raise VerifyException(
            "expected a module with the attribute loop.target, got none; run "
            "set-target first"
        )
    return target
