"""
The machine that a module is compiled for: what loop passes and the emitter ask of it.

    #loop.target<"x86-64-v3", vector = 256, registers = 16, fma = true>

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

    @staticmethod
    def of(
        cpu: str, vector: int, registers: int, fma: bool, features: str = ""
    ) -> TargetAttr:
        """The target with vectors of `vector` bits in `registers` registers."""
        return TargetAttr(
            StringAttr(cpu),
            IntAttr(vector),
            IntAttr(registers),
            IntAttr(int(fma)),
            StringAttr(features),
        )

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
            features = ""
            if parser.parse_optional_punctuation(",") is not None:
                features = parser.parse_str_literal()
            return [cpu, *numbers, StringAttr(features)]

    def print_parameters(self, printer: Printer) -> None:
        fma = "true" if self.fma.data else "false"
        features = f', "{self.features.data}"' if self.features.data else ""
        printer.print_string(
            f'<"{self.cpu.data}", vector = {self.vector.data}, '
            f"registers = {self.registers.data}, fma = {fma}{features}>"
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
