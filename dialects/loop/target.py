"""
The machine that a module is compiled for: what loop passes and the emitter ask of it.

    #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>
    #loop.target<"x86-64", vector = 512, registers = 32, fma = true,
        caches = 48 and 2048>

    #loop.target<"sapphirerapids", vector = 512, registers = 32, fma = true,
        isas = ["amx"]>

Caches are in KiB, and left out where they are the usual ones. `isas` names the
instruction sets for contractions (`isa.py`), at most one for each element type, beside
those that every machine has. It is
the attribute `loop.target` of the module. Nothing below the graph may ask the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from ..entries import FLAG, NAMES, TEXT, EntriesAttr, bare, entry, pair
from .isa import ISAS, VNNI_WORD_BITS, Isa, isa_of_all

CACHES = (32, 512)
"""KiB of the first two caches where nothing is said of them."""

LINE = 64
"""Bytes of a cache line, which one prefetch brings."""

IN_FLIGHT = 8
"""
Multiply-adds that are in flight, two a cycle for four cycles (Haswell to Ice
Lake, Zen); as many vectors of accumulators keep them busy.
"""

STEPS_IN_FLIGHT = 4
"""
The same where a factor is made of steps: beside an accumulator each vector has words
and scales in registers, and its numbers take as long to make as a multiply-add takes.
"""

TARGET = "loop.target"
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
    isas: ArrayAttr[StringAttr] = param_def()
    """The names of its instruction sets for contractions."""

    FORM: ClassVar = (
        bare("cpu", TEXT),
        entry("vector"),
        entry("registers"),
        entry("fma", FLAG),
        pair("caches", "l1", "and", "l2", default=CACHES),
        entry("isas", NAMES, default=()),
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
        isas: Sequence[str] = (),
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
            ArrayAttr([StringAttr(each) for each in isas]),
        )

    def isa(self, element: Attribute, fits: bool = False) -> Isa | None:
        """
        The instruction set for factors of this type, if there is one; that whose pairs
        of products may saturate only where these are known to fit.
        """
        found = (ISAS[each.data] for each in self.isas)
        own = next((each for each in found if element in each.elements), None)
        if own is not None and own.pair_bits < VNNI_WORD_BITS and not fits:
            own = None
        return own or isa_of_all(element)

    @property
    def exact(self) -> TargetAttr:
        """The target without the instruction sets that round what they add up."""
        isas = [each for each in self.isas if ISAS[each.data].is_exact]
        of = self.cpu, self.vector, self.registers, self.fma, self.features
        return TargetAttr(*of, self.l1, self.l2, ArrayAttr(isas))

    def verify(self) -> None:
        """Instruction sets are known ones."""
        for each in self.isas:
            if each.data not in ISAS:
                raise VerifyException(
                    f"expected instruction sets of {', '.join(ISAS)}, got {each.data}"
                )

    def lanes(self, bits: int) -> int:
        """How many elements of a number of bits a vector holds."""
        return max(1, self.vector.data // bits)


def target_of(module: ModuleOp) -> TargetAttr:
    """The target that the module names; raises `VerifyException` when it names none."""
    target = module.attributes.get(TARGET)
    if not isinstance(target, TargetAttr):
        raise VerifyException(
            "expected a module with the attribute loop.target, got none; run "
            "set-target first"
        )
    return target
