"""
`StaticModule`: a compiled model, which arrays go into and arrays come out of.

It is immutable and may be called from several threads at once: each call borrows a
runtime of its own from the module's pool. Calling it runs compiled code at once when
the arguments are arrays just as declared; anything else takes a slower way through
Python, which converts the arguments or says what is wrong with them.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import index
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np
import numpy.typing as npt

from ..abi import CALL_OUT_ERROR, CALLED, State
from ..machine import Code, call_by, callable_class, is_supported, numpy_layout
from ..plan import (
    LOCK,
    MemoryReport,
    PlanCode,
    Planner,
    PlanTable,
    report_memory,
    watch,
)
from ..planning import Plan
from ..program import Program
from .arguments import bind_symbols, to_array
from .context import Context
from .fallback import KeptError, Reference, run_call_out
from .outputs import apart, kept_outputs, match_outputs
from .pool import ContextPool
from .recipe import Remade
from .runtime import StaticRuntime
from .statistics import Statistics
from .structure import builder, flat_call, match_tree, parameters

Array: TypeAlias = npt.NDArray[Any]
OUT = sys.intern("out")
"""The name by which a caller gives arrays for the outputs; every call has this text."""

_HANDLER = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
)


Chooser: TypeAlias = "Callable[[StaticModule], StaticModule | None]"
"""What says which module answers a call of one; None for the module itself."""


class StaticModule(Remade):
    """
    A compiled model; `module(x, y)` or `module(x=x, y=y)` runs it, and
    `module(x, y, out=array)` writes to a given array.

    It is pickled as what it was compiled from, and made again where it is unpickled.
    """

    report: Any
    """What compiling it took: a `CompileReport`; None until the compiler has set it."""

    def __new__(cls, *_: Any, **__: Any) -> StaticModule:
        """A module whose calls may go to machine code."""
        known = numpy_layout.is_as_expected()
        own: type[StaticModule] = callable_class(StaticModule) if known else cls
        return object.__new__(own)

    def __init__(
        self,
        program: Program,
        code: Code,
        constants: npt.NDArray[np.uint8],
        references: Sequence[Reference],
        threads: int = 1,
        plans: PlanCode | None = None,
        manages_outputs: bool = False,
    ):
        """
        The model of `program`, with a reference for each of its fallback ops; a run may
        use `threads` threads. Calls are planned by the code of `plans`, if any. Where
        it manages its outputs, calls return arrays again that nobody has any more.
        """
        self._program = program
        self._code = code
        self._constants = constants
        self._references = tuple(references)
        self._threads = threads if program.is_shared and is_supported() else 1
        self._handler = _HANDLER(self._call_out)
        planner = None if plans is None else Planner(plans, program, code.planning)
        self._plans = PlanTable(program, code.state, planner)
        self._slow_calls = 0
        self._choose: Chooser | None = None
        self._outputs = np.empty(0, object)
        self._build = builder(program.structure)
        self._flat = flat_call(self._build, code.call) or self._call_slowly
        self.report = None
        # The state of the code has the addresses of these, and no reference to them.
        self._kept = self._call_slowly, self._explain, self._lend, self._add_row
        self._pool = ContextPool(code, self._plans, self._make_context)
        if numpy_layout.is_as_expected():
            numpy_layout.fill_state(code.state)
            fields = [State.SLOW, State.EXPLAIN, State.RESERVE, State.ADD]
            code.state[fields] = [*map(id, self._kept)]
            if manages_outputs:
                self._outputs = kept_outputs(program, code.state)
            if not self._has_input_out:
                code.state[State.OUT] = id(OUT)
            self.answer_by(None)
        watch(self)

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(each.name for each in self._program.inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in order."""
        return tuple(each.name for each in self._program.outputs)

    @property
    def program(self) -> Program:
        """Inputs, outputs, memory and calls of the model."""
        return self._program

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """
        The output of the model, or a tuple of several, as arrays of the caller's own;
        a model of PyTorch takes and returns trees as its forward does.

        Takes numpy arrays, lists, numbers and tensors with DLPack. `out=` is an array
        for the only output, or a tuple of one for each, and is returned; it may share
        memory with inputs. After an error, what is in it is undefined. (If an input is
        called `out`, then `out=` is that.)

        Raises `TypeError` for the wrong number or dtype of inputs, `ValueError` for
        wrong shapes and for numbers too great for their dtype, `IndexError` when the
        model looks up an index out of its range.
        """
        choose = self._choose
        other = None if choose is None else choose(self)
        if other is not None:
            return other(*arguments, **named)
        result = self._flat(*arguments, **named)
        return result if self._build is None else self._build(result)

    def answer_by(self, choose: Chooser | None) -> None:
        """Lets the module that is chosen at each call answer it, where there is one."""
        self._choose = choose
        if numpy_layout.is_as_expected():
            # Without the address of a function Python calls `__call__`.
            is_direct = choose is None and self._build is None
            call_by(self, StaticModule, self._code.call if is_direct else 0)

    @property
    def pool(self) -> ContextPool | None:
        """The contexts that calls borrow; None where other modules answer them."""
        return self._pool

    @cached_property
    def runtime(self) -> StaticRuntime:
        """The first runtime of the module."""
        return StaticRuntime(self)

    @property
    def context(self) -> Context:
        """The first context of the module's pool."""
        return next(iter(self._pool))

    @property
    def plan(self) -> Plan:
        """The plan of memory of the last run of the first context."""
        return self.context.plan

    def statistics(self) -> Statistics:
        """
        What calls of the module did so far, and what the last run in this thread did
        not do. (After runs in more than 64 threads that may be unknown, and is empty.)
        """
        row = self._code.noted() if self._program.skips else None
        skipped, size = ((), 0) if row is None else self._plans.skipped_in(row)
        return Statistics(
            slow_calls=self._slow_calls,
            plans=len(self._plans),
            folded=self._program.folded,
            skipped=skipped,
            bytes_not_moved=size,
        )

    def release(self) -> None:
        """
        Gives the memory of activations back that no call uses at the moment, and the
        outputs that are kept; the next calls take new memory. Constants and plans stay.
        """
        for each in self._pool:
            each.release()
        self._outputs[:] = None

    def memory_report(self, /, **sizes: int) -> MemoryReport:
        """
        The bytes that a call takes in which the symbols have these `sizes`.

        Raises `TypeError` unless every symbol of the inputs, and no other name, is
        given, and `ValueError` for sizes that the model cannot take.
        """
        return report_memory(self._program, self._plans, self._constants.nbytes, sizes)

    def repeater(self, *arguments: Any) -> Callable[[int], None]:
        """
        A function that runs the model on these inputs n times, without Python.

        It is for measuring: the outputs are written over each time, and not returned.
        """
        arrays, symbols = self._convert(arguments, {})
        context = self._pool.borrow()
        try:
            context.run(arrays, symbols)
        except BaseException:
            self._pool.give_back(context)
            raise
        outputs = context.make_outputs(symbols)
        context.point_at(arrays, outputs)

        def repeat(times: int) -> None:
            if index(times) < 1:
                raise ValueError(f"expected one time or more, got {times}")
            if status := self._code.repeat(context.address, times):
                raise context.failure(status)

        # The run reads and writes these, which nothing else may hold any more.
        back = finalize(repeat, self._pool.give_back, context, arrays, outputs)
        back.atexit = False
        return repeat

    def __repr__(self) -> str:
        inputs = ", ".join(f"{each.name}: {each}" for each in self._program.inputs)
        outputs = ", ".join(map(str, self._program.outputs))
        return f"<StaticModule {self._program.name}({inputs}) -> {outputs}>"

    def _call_slowly(self, /, *arguments: Any, **named: Any) -> Any:
        """Converts the arguments, or explains; then runs."""
        with LOCK:
            self._slow_calls += 1
        out = None if self._has_input_out else named.pop(OUT, None)
        arrays, symbols = self._convert(arguments, named)
        given = None
        if out is not None:
            given = match_outputs(self._program, out, symbols)
            arrays = apart(arrays, given, self._program.donations)
        context = self._pool.borrow()
        try:
            outputs = context.run(arrays, symbols, given)
        finally:
            self._pool.give_back(context)
        if out is not None:
            return out
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _lend(self, wanted: int) -> int:
        """
        The address of a context for a run of sizes that were planned, whose symbols
        have their values at an address. It is borrowed, and has memory enough.
        """
        names = self._program.symbols
        values = (ctypes.c_uint64 * len(names)).from_address(wanted)[:] if names else ()
        context = self._pool.borrow()
        is_to_look = context.is_to_look
        try:
            context.prepare(dict(zip(names, values, strict=True)))
        except BaseException:
            self._pool.give_back(context)
            raise
        if is_to_look:
            for each in self._pool:
                each.release_if_unused()
        return context.address

    def _add_row(self, wanted: int) -> int:
        """
        The address of a new plan row for the symbols whose values are at an address;
        zero for values that the model cannot take.
        """
        names = self._program.symbols
        values = (ctypes.c_uint64 * len(names)).from_address(wanted)[:]
        symbols = dict(zip(names, values, strict=True))
        try:
            row = self._plans.row_for(symbols)
        except ValueError:
            return 0
        with LOCK:
            self._slow_calls += 1
        return row.ctypes.data

    def _explain(self, address: int, status: int) -> None:
        """Raises what went wrong in a run of compiled code; its context is free."""
        context = self._pool[address]
        try:
            raise context.failure(status)
        finally:
            self._pool.give_back(context)

    @property
    def _has_input_out(self) -> bool:
        """Whether the name by which a caller gives outputs is that of an input."""
        return OUT in (*self.input_names, *parameters(self._program.structure))

    def _convert(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[list[Array], dict[str, int]]:
        """The arguments as arrays, and what the symbols are with them."""
        infos = self._program.inputs
        values = match_tree(self._program.structure, infos, arguments, named)
        arrays = [
            to_array(each, info) for each, info in zip(values, infos, strict=True)
        ]
        return arrays, bind_symbols(self._program, arrays)

    def _make_context(self) -> Context:
        """A context for the pool."""
        handler = ctypes.cast(self._handler, ctypes.c_void_p).value
        assert handler is not None
        return Context(
            self._program,
            self._code,
            self._constants,
            handler,
            self._plans,
            self._threads,
        )

    def _call_out(self, address: int, number: int, buffers: int) -> int:
        """Runs a fallback op on buffers of a context; its error is kept for the run."""
        context = self._pool[address]
        with KeptError(context):
            symbols = context.known_symbols(context.symbols)
            run_call_out(
                self._program.call_outs[number],
                self._references[number],
                symbols,
                buffers,
            )
        return CALLED if context.error is None else CALL_OUT_ERROR
