"""
The oracle of the host level: xDSL's interpreter of `func`, `arith` and `scf`, with what
it lacks of them, and with the ops of `host` on the memory of this process.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.interpreter import (
    Interpreter,
    InterpreterFunctions,
    PythonValues,
    impl,
    register_impls,
)
from xdsl.interpreters.arith import ArithFunctions
from xdsl.interpreters.func import FuncFunctions
from xdsl.interpreters.scf import ScfFunctions
from xdsl.ir import Operation
from xdsl.utils.comparisons import to_signed, to_unsigned

from static_runtime.dialects import host
from static_runtime.runtime.abi import WORD, ContextLayout

Kernel = Callable[[str, Sequence[int]], int]
"""What runs a kernel, by its name, on some arguments: its status."""

Outside = Mapping[str, Callable[..., int]]
"""Functions that a module declares alone."""

_UNSIGNED = {
    1: ctypes.c_uint8,
    4: ctypes.c_uint32,
    8: ctypes.c_int64,  # the words of xDSL's interpreter are signed
}


class _Leave(Exception):
    """The end of the function that is running."""

    def __init__(self, value: int):
        self.value = value


@register_impls
class _Arith(ArithFunctions):
    """What xDSL's interpreter lacks of arith, all of it on i64."""

    @impl(arith.MinSIOp)
    def run_minsi(self, _: Interpreter, op: Operation, args: PythonValues):
        return (min(args),)

    @impl(arith.MaxSIOp)
    def run_maxsi(self, _: Interpreter, op: Operation, args: PythonValues):
        return (max(args),)

    @impl(arith.MinUIOp)
    def run_minui(self, _: Interpreter, op: Operation, args: PythonValues):
        return (to_signed(min(to_unsigned(each, 64) for each in args), 64),)

    @impl(arith.MaxUIOp)
    def run_maxui(self, _: Interpreter, op: Operation, args: PythonValues):
        return (to_signed(max(to_unsigned(each, 64) for each in args), 64),)

    @impl(arith.ShRUIOp)
    def run_shrui(self, _: Interpreter, op: Operation, args: PythonValues):
        return (to_signed(to_unsigned(args[0], 64) >> args[1], 64),)

    @impl(arith.MulUIExtendedOp)
    def run_mului_extended(self, _: Interpreter, op: Operation, args: PythonValues):
        product = to_unsigned(args[0], 64) * to_unsigned(args[1], 64)
        return (to_signed(product % 2**64, 64), to_signed(product >> 64, 64))


@register_impls
class _Host(InterpreterFunctions):
    """The ops of `host`."""

    def __init__(self, kernel: Kernel):
        self.kernel = kernel
        self.kept: list[npt.NDArray[Any]] = []
        """What functions have on the stack, as long as anything runs."""

    def keep(self, array: npt.NDArray[Any]) -> PythonValues:
        """The address of an array, which is kept."""
        self.kept.append(array)
        return (array.ctypes.data,)

    @impl(host.LoadOp)
    def run_load(self, _: Interpreter, op: host.LoadOp, args: PythonValues):
        stored = _UNSIGNED[op.stored.width.data // 8]
        return (stored.from_address(args[0] + op.offset.value.data).value,)

    @impl(host.StoreOp)
    def run_store(self, _: Interpreter, op: host.StoreOp, args: PythonValues):
        value, address = args
        stored = _UNSIGNED[op.stored.width.data // 8]
        stored.from_address(address + op.offset.value.data).value = value
        return ()

    @impl(host.AllocaOp)
    def run_alloca(self, _: Interpreter, op: host.AllocaOp, args: PythonValues):
        # What it holds at first is nothing that may be relied on.
        bytes = int(args[0]) * op.stored.width.data // 8
        return self.keep(np.full(bytes, 0xA5, np.uint8))

    @impl(host.WordsOp)
    def run_words(self, _: Interpreter, op: host.WordsOp, args: PythonValues):
        return self.keep(np.array([*map(int, args)], np.int64))

    @impl(host.TableOp)
    def run_table(self, _: Interpreter, op: host.TableOp, args: PythonValues):
        return self.keep(np.frombuffer(op.numbers.data.data, np.uint8))

    @impl(host.LeaveOp)
    def run_leave(self, _: Interpreter, op: host.LeaveOp, args: PythonValues):
        raise _Leave(args[0])

    @impl(host.KernelOp)
    def run_kernel(self, _: Interpreter, op: host.KernelOp, args: PythonValues):
        *arguments, context = args
        name = op.kernel.root_reference.data
        if status := self.kernel(name, arguments):
            noted = context + WORD * ContextLayout.FAILED
            ctypes.c_int64.from_address(noted).value = op.number.value.data
            raise _Leave(status)
        return ()


class Oracle(Interpreter):
    """Interprets the functions of a module, which may be left from anywhere."""

    def __init__(self, module: ModuleOp, kernel: Kernel, outside: Outside):
        """
        The oracle of a module whose kernels `kernel` runs; `outside` are the functions
        that it declares alone.
        """
        super().__init__(module)
        self.outside, self.host = outside, _Host(kernel)
        for each in (FuncFunctions(), ScfFunctions(), _Arith(), self.host):
            self.register_implementations(each)

    def call(self, name: str, *arguments: int) -> int:
        """What a function returns; zero where that is nothing."""
        result = self.call_op(name, arguments)
        self.host.kept.clear()
        return result[0] if result else 0

    def call_op(
        self, op: Operation | str | SymbolRefAttr, inputs: PythonValues = ()
    ) -> PythonValues:
        scope = self._ctx
        try:
            return super().call_op(op, inputs)
        except _Leave as left:
            self._ctx = scope
            return (left.value,)

    def call_external(
        self, sym_name: str, op: Operation, inputs: PythonValues = ()
    ) -> PythonValues:
        return (self.outside[sym_name](*inputs),)
