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

from collections.abc import Sequence

from xdsl.dialects.builtin import IntAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

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
class TargetAttr(ParametrizedAttribute):
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

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def number(name: str) -> IntAttr:
            parser.parse_punctuation(",")
            parser.parse_keyword(name)
            parser.parse_punctuation("=")
            return IntAttr(parser.parse_integer(allow_boolean=True))

        with parser.in_angle_brackets():
            cpu = StringAttr(parser.parse_str_literal())
            numbers = [number(each) for each in ("vector", "registers", "fma")]
            features, dots, (l1, l2) = "", "", map(IntAttr, CACHES)
            while parser.parse_optional_punctuation(",") is not None:
                if parser.parse_optional_keyword("dots") is not None:
                    parser.parse_punctuation("=")
                    dots = parser.parse_str_literal()
                    continue
                if parser.parse_optional_keyword("caches") is None:
                    features = parser.parse_str_literal()
                    continue
                parser.parse_punctuation("=")
                l1 = IntAttr(parser.parse_integer(allow_negative=False))
                parser.parse_keyword("and")
                l2 = IntAttr(parser.parse_integer(allow_negative=False))
            return [cpu, *numbers, StringAttr(features), l1, l2, StringAttr(dots)]

    def print_parameters(self, printer: Printer) -> None:
        fma = "true" if self.fma.data else "false"
        sizes = (self.l1.data, self.l2.data)
        caches = "" if sizes == CACHES else f", caches = {sizes[0]} and {sizes[1]}"
        dots = f', dots = "{self.dots.data}"' if self.dots.data else ""
        features = f', "{self.features.data}"' if self.features.data else ""
        printer.print_string(
            f'<"{self.cpu.data}", vector = {self.vector.data}, '
            f"registers = {self.registers.data}, fma = {fma}{caches}{dots}{features}>"
        )


def target_of(module: ModuleOp) -> TargetAttr:
    """The target that the module names; raises `VerifyException` when it names none."""
    target = module.attributes.get(KEY)
    if not isinstance(target, TargetAttr):
        raise VerifyException(
            "expected a module with the attribute loop.target, got none; run "
            "set-target first"
        )
    return target
