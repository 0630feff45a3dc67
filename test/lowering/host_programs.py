"""
Programs whose host functions run in three ways, on the same memory: as LLVM IR, as
bytecode, and by the oracle.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.scf import Scf

from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.compiler.ir.parse_ir import parse_module
from static_runtime.compiler.session.options import Options
from static_runtime.dialects.host import Host
from static_runtime.dialects.loop import ProgramOp
from static_runtime.lowering.host_to_bytecode import (
    lower_plan_to_bytecode,
)
from static_runtime.lowering.host_to_llvm import lower_program
from static_runtime.lowering.host_to_mlir import functions_to_mlir, module_to_mlir
from static_runtime.lowering.program_to_host import (
    Reach,
    limits_of,
    lower_plan,
)
from static_runtime.runtime.elf import Image
from static_runtime.runtime.hostcode import (
    PLANNING,
    interpreter_text,
    llvm_text,
)
from static_runtime.runtime.hostcode.placing import placing
from static_runtime.runtime.hostcode.uniting import planning
from static_runtime.runtime.machine.llvm_text import link_text

from .host_interpreter import Oracle

Words: TypeAlias = npt.NDArray[np.int64]

Way: TypeAlias = Callable[[int], int]
"""A function of the host level, of the address of its memory."""

PRELUDE = [*placing(), *planning()]
"""The functions that plan slots."""

STEPS = [each.name for each in PLANNING]
"""The functions on words that plan slots, in their order."""

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
"""The kind of functions on words, and of what stands for kernels."""

_BITS = 2, 40, 4, 63, 1, 30, 6, 12
"""The bits of sizes: few, for skips, and so many that some plans are refused."""


@cache
def prelude() -> Image:
    """The interpreter of bytecode, and what plans slots, compiled."""
    return link_text(interpreter_text(), ["sr_interpret", *STEPS])


@dataclass(frozen=True)
class Lowered:
    """A module, its program, and a bound of what that computes."""

    module: ModuleOp
    program: ProgramOp
    reach: Reach

    def draw(self, random: np.random.Generator, bits: int) -> list[int]:
        """Sizes of as many bits at most, which need not be in their ranges."""
        return random.integers(0, 2**bits, len(self.program.symbols)).tolist()

    def draw_inside(self, random: np.random.Generator, bits: int) -> list[int]:
        """The same, in the ranges of symbols."""
        limits = limits_of(self.program)
        return [
            min(max(each, least), most)
            for each, (_, least, most) in zip(
                self.draw(random, bits), limits, strict=True
            )
        ]


def lower(model: Any) -> Lowered:
    """A model up to the functions of the host level."""
    options = Options(cache=False)
    target = "x86-64-v3"  # nobody runs the kernels
    compilation = Compilation(model, target=target, options=options)
    ctx = context()
    module = compilation.front_end(compilation.source())(ctx)
    Driver(ctx, options, target, None).run_passes(module)
    (program,) = (op for op in module.ops if isinstance(op, ProgramOp))
    return Lowered(module, program, lower_program(module).reach)


class Interpreted:
    """Bytecode, with the functions that it calls."""

    def __init__(self, code: Words, registers: int, functions: Sequence[int]):
        self.arrays = code, np.zeros(registers, np.int64), np.array(functions, np.int64)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
        self.function = kind(prelude()["sr_interpret"])

    def __call__(self, context: int) -> int:
        return self.function(context, *(each.ctypes.data for each in self.arrays))


class Compiled:
    """A function of one argument as LLVM IR, which is compiled."""

    def __init__(self, text: str, name: str):
        self.image = link_text(text, [name])
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
        self.function = kind(self.image[name])

    def __call__(self, context: int) -> int:
        return self.function(context)


class Plans:
    """What plans the calls of a program."""

    def __init__(self, lowered: Lowered):
        given = lowered.program, lowered.reach
        made = lower_plan_to_bytecode(*given, is_placed=True)
        self.plan, self.layout = lower_plan(*given, is_placed=True), made.layout
        orders = lowered.program.plan.orders
        self.orders = np.array([at.data for each in orders for at in each], np.int32)
        functions = [prelude()[each] for each in STEPS]
        self.bytecode = Interpreted(made.code, made.registers, functions)

    def llvm(self) -> Way:
        """The plan as LLVM IR."""
        return Compiled(llvm_text([self.plan, *PRELUDE]), "sr_plan")

    def oracle(self, is_whole: bool) -> Way:
        """The plan by the oracle, which may interpret the prelude too."""
        functions = [self.plan, *(PRELUDE if is_whole else ())]
        compiled = {each: FUNCTION(prelude()[each]) for each in STEPS}
        module = functions_to_mlir(functions)
        oracle = Oracle(module, lambda name, _: 0, compiled)
        return partial(oracle.call, "sr_plan")

    def memory(self, sizes: Sequence[int]) -> Words:
        """The memory in which a call of some sizes is planned."""
        layout = self.layout
        memory = np.zeros(layout.size, np.int64)
        memory[layout.orders] = self.orders.ctypes.data
        first = layout.first_row + layout.row.first_symbol
        memory[first : first + len(sizes)] = sizes
        return memory

    def planned(self, way: Way, sizes: Sequence[int]) -> tuple[int, list[int]]:
        """What a way returns for some sizes, and leaves in memory."""
        memory = self.memory(sizes)
        return way(memory.ctypes.data), memory.tolist()


def check_text(lowered: Lowered) -> None:
    """Raises unless what `sr-opt -t host` prints is valid, and read as it was."""
    made = module_to_mlir(lowered.module)
    made.verify()
    ctx, text = context(), str(made)
    for dialect in (Host, Scf):
        ctx.load_dialect(dialect)
    again = parse_module(ctx, text, "host.mlir")
    again.verify()
    assert str(again) == text


def check_plans(lowered: Lowered, count: int, asked: int, is_whole: bool) -> set[int]:
    """
    Raises unless plans of `count` sizes are the same, the first few by the oracle too;
    all that they returned.
    """
    random, plans = np.random.default_rng(1), Plans(lowered)
    llvm, oracle = plans.llvm(), plans.oracle(is_whole)
    statuses: set[int] = set()
    for at in range(count):
        sizes = lowered.draw(random, _BITS[at % len(_BITS)])
        known = plans.planned(plans.bytecode, sizes)
        statuses.add(known[0])
        for way in (llvm, *([oracle] if at < asked else ())):
            assert plans.planned(way, sizes) == known, sizes
    return statuses
