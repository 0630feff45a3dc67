"""
Programs that run in three ways: as LLVM IR, as bytecode, and by the oracle.

Kernels do not run. What stands for them notes the call, and changes a word of what it
may write, so that branches and trips of loops depend on what ran before.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from static_runtime.dialects import Tensor, dtype, evaluate, product, sizes
from static_runtime.lowering.host_to_bytecode import (
    lower_program_to_bytecode,
)
from static_runtime.lowering.host_to_mlir import functions_to_mlir
from static_runtime.lowering.program_to_host import (
    lower_body,
    lower_whole,
)
from static_runtime.lowering.program_to_host.addresses import layout_of
from static_runtime.lowering.program_to_host.notes import SPEND
from static_runtime.runtime.abi import ContextLayout, RowLayout
from static_runtime.runtime.hostcode import (
    ADDRESS,
    INT32,
    WORD,
    Builder,
    Callee,
    Signature,
    Value,
    llvm_text,
)

from .host_interpreter import Oracle
from .host_programs import FUNCTION, Compiled, Interpreted, Lowered, Plans, Way, Words

Ran: TypeAlias = tuple[int, list[tuple[str | int, ...]], list[int]]
"""What a run returns, its calls, and the context that it leaves."""

_MOST_CALLS = 500
"""Calls after which a run is ended."""

_SLACK = 16
"""Words behind each tensor."""


class Runs:
    """What runs a program, on the memory of one call."""

    def __init__(self, lowered: Lowered):
        self.program = program = lowered.program
        self.plans, self.layout = Plans(lowered), layout_of(program)
        self.names = {
            name: (len(op.body.block.args), len(op.symbols))
            for name, op in program.kernels.items()
        }
        self.callbacks = {name: FUNCTION(self.callback(name)) for name in self.names}
        self.spends = FUNCTION(self.spend)
        self.calls: list[tuple[str | int, ...]] = []
        self.failing = 0
        self.changed: list[tuple[ctypes.c_int64, int]] = []
        self.arrays: list[Words] = []

    def kernel(self, name: str, arguments: Sequence[int]) -> int:
        """What stands for a kernel: its status."""
        self.calls.append((name, *arguments))
        buffers, _ = self.names[name]
        if buffers:
            self.change(arguments[buffers - 1], len(self.calls) ** 3 % 61 % 4)
        return len(self.calls) in (self.failing, _MOST_CALLS)

    def spend(self, _: int, points: int) -> int:
        """What stands for `sr_spend`."""
        self.calls.append((SPEND.name, points))
        return len(self.calls) == self.failing

    def change(self, address: int, value: int) -> None:
        """Changes a word until the run ends, if it is of a tensor."""
        for each in self.arrays:
            if 0 <= address - each.ctypes.data <= each.nbytes - 8:
                word = ctypes.c_int64.from_address(address)
                self.changed.append((word, word.value))
                word.value = value

    def callback(self, name: str) -> Callable[[int, int], int]:
        """What compiled code calls as a kernel, with the address of its arguments."""
        words = ctypes.c_int64 * sum(self.names[name])
        return lambda given, _: self.kernel(name, words.from_address(given)[:])

    def bytecode(self) -> Way:
        """The program as bytecode."""
        made = lower_program_to_bytecode(self.program)
        functions = [_address(self.callbacks[name]) for name in made.kernels]
        return Interpreted(made.code, made.registers, functions)

    def llvm(self) -> Way:
        """The program as LLVM IR."""
        callees: dict[str, Callee] = {}
        functions = [*lower_body(self.program, is_polled=True).functions]
        for name, (buffers, words) in self.names.items():
            types = *[ADDRESS] * buffers, *[WORD] * words, ADDRESS
            b = Builder(Signature(f"stub.{name}", types, INT32))
            *arguments, error = b.parameters
            room = b.alloca(len(arguments))
            for at, each in enumerate(arguments):
                b.store(each, room, at)
            b.leave(_calls(b, self.callbacks[name], room, error))
            callees[name] = Callee(b.function.signature)
            functions.append(b.function)
        b = Builder(SPEND)
        b.leave(_calls(b, self.spends, *b.parameters))
        functions.append(b.function)
        return Compiled(llvm_text(functions, callees), "sr_run")

    def oracle(self) -> Way:
        """The program by the oracle."""
        functions = lower_whole(self.program, is_polled=True).functions
        module = functions_to_mlir(functions)
        oracle = Oracle(module, self.kernel, {SPEND.name: self.spend})
        return partial(oracle.call, "sr_run")

    def context(
        self, random: np.random.Generator, sizes: Sequence[int]
    ) -> Words | None:
        """The context of a call of some sizes; None where they are refused."""
        program, layout = self.program, self.layout
        context = np.zeros(layout.size, np.int64)
        status, words = self.plans.planned(self.plans.bytecode, sizes)
        if status:
            return None
        self.row = np.array(words[self.plans.layout.first_row :])
        context[ContextLayout.PLAN] = self.row.ctypes.data
        bytes = int(self.row[RowLayout.BYTES])
        symbols = dict(zip(program.symbol_names, sizes, strict=True))
        tensors = (*program.input_types, *program.output_types)
        ends = (each.offset.data + each.size.data for each in program.constants)
        self.arrays = [_tensor(random, bytes), _tensor(random, max(ends, default=0))]
        self.arrays += (_tensor(random, _bytes_of(each, symbols)) for each in tensors)
        fields = [ContextLayout.ACTIVATIONS, ContextLayout.CONSTANTS]
        fields += range(layout.HEAD, layout.HEAD + len(tensors))
        context[fields] = [each.ctypes.data for each in self.arrays]
        return context

    def run(self, way: Way, context: Words, failing: int, polled: bool) -> Ran:
        """
        What a way does in a context: its status, the calls, what it leaves there. Of
        the calls `failing` fails, counted from 1.
        """
        self.failing, self.calls = failing, []
        context = context.copy()
        context[ContextLayout.THREAD] = polled
        status = way(context.ctypes.data)
        while self.changed:
            word, value = self.changed.pop()
            word.value = value
        return status, self.calls, context.tolist()


def check_runs(lowered: Lowered, count: int, asked: int) -> set[int]:
    """
    Raises unless runs of `count` sizes are the same, the first few by the oracle too;
    all that they returned.
    """
    random, runs = np.random.default_rng(2), Runs(lowered)
    bytecode, llvm, oracle = runs.bytecode(), runs.llvm(), runs.oracle()
    statuses: set[int] = set()
    for at in range(count):
        sizes = lowered.draw_inside(random, at % 5 + 1)
        context = runs.context(random, sizes)
        if context is None:
            continue
        # Of half of them no call fails.
        failing = max(int(random.integers(-20, 20)), 0)
        known = runs.run(bytecode, context, failing, False)
        statuses.add(known[0])
        assert runs.run(llvm, context, failing, False) == known, sizes
        if at < asked:
            assert runs.run(oracle, context, failing, False) == known, sizes
            # Bytecode asks for no interrupts.
            known = runs.run(llvm, context, failing, True)
            assert runs.run(oracle, context, failing, True) == known, sizes
    return statuses


def _tensor(random: np.random.Generator, bytes: int) -> Words:
    """Memory of some bytes, of small numbers where it begins."""
    made = np.zeros(bytes // 8 + _SLACK, np.int64)
    made[:_SLACK] = random.integers(0, 4, _SLACK)
    return made


def _bytes_of(type: Tensor, symbols: Mapping[str, int]) -> int:
    """The bytes of a tensor; some where the run computes how many."""
    count = evaluate(product(sizes(type)), symbols)
    return (count if isinstance(count, int) else 4096) * dtype(type).itemsize


def _address(callback: Any) -> int:
    """The address of a function that Python made for C."""
    return ctypes.cast(callback, ctypes.c_void_p).value or 0


def _calls(b: Builder, callback: Any, *arguments: Value) -> Value:
    """Builds a call of a function of this process."""
    types = b.function.signature.parameters[-1:]
    table = b.table(f"{b.function.signature.name}.callback", 8, [_address(callback)])
    return b.call_address(
        b.load(table, type=ADDRESS), Signature("", (ADDRESS, *types), INT32), *arguments
    )
