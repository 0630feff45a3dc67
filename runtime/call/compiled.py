"""
`CompiledModule`: a compiled model, which arrays go into and arrays come out of.

It is immutable and may be called from several threads at once: each call borrows a
runtime of its own from the module's pool. Calling it runs compiled code at once when
the arguments are arrays just as declared; anything else takes a slower way through
Python, which converts the arguments or says what is wrong with them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from operator import index, is_not
from typing import Any, TypeAlias
from weakref import finalize

import numpy as np
import numpy.typing as npt

from ..abi import State
from ..machine import Code, call_by, is_supported, numpy_layout
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
from .arguments import bind_symbols
from .context import Context
from .coverage import Coverage, cover
from .fallback import Reference, answer
from .module import OUT, StaticModule
from .outputs import apart, kept_outputs, match_outputs
from .pool import ContextPool
from .program_module import ProgramModule
from .recipe import Remade
from .statistics import Statistics
from .structure import flat_call

Array: TypeAlias = npt.NDArray[Any]

_HANDLER = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p
)

_MADE: ContextVar[Array | None] = ContextVar("_MADE", default=None)
"""The first of the arrays that compiled code is given instead of what a call has."""

_Run: TypeAlias = Callable[..., Sequence[Array]]
"""What runs in a context, as `Context.run` does."""

Chooser: TypeAlias = "Callable[[CompiledModule], StaticModule | None]"
"""What says which module answers a call of one; None for the module itself."""


class CompiledModule(Remade, ProgramModule):
    """A compiled model that Python code calls."""

    def __init__(
        self,
        program: Program,
        code: Code,
        constants: npt.NDArray[np.uint8],
        references: Sequence[Reference],
        threads: int = 1,
        plans: PlanCode | None = None,
        manages_outputs: bool = False,
        is_strict: bool = False,
        run: _Run = Context.run,
        declared: Program | None = None,
    ):
        """
        The model of `program`, with a reference for each of its fallback ops; a run may
        use `threads` threads. Calls are planned by the code of `plans`, if any. Where
        it manages its outputs, calls return arrays again that nobody has any more; if
        it is strict, slow calls are refused. What comes through Python is run by `run`.
        Callers know the program as `declared`, if that differs.
        """
        super().__init__(program, is_strict, declared)
        self._former: tuple[Code, ...] = ()
        """What answered before, which calls may still be in."""
        self._constants = constants
        self._references = tuple(references)
        self._threads = threads if program.is_shared and is_supported() else 1
        self._handler = _HANDLER(self._call_out)
        planner = None if plans is None else Planner(plans, program, code.planning)
        self._planner = planner
        self._plans = PlanTable(program, code.state, planner, is_strict, code.more)
        self._slow_calls = 0
        self._outputs = np.empty(0, object)
        self._names = self._call_names()
        self._run = run
        self._enter_by(code)
        # The state of the code has the addresses of these, and no reference to them.
        self._kept = self._call_slowly, self._explain, self._lend, self._add_row
        self._pool = ContextPool(code, self._plans, self._make_context)
        if numpy_layout.is_as_expected():
            numpy_layout.fill_state(code.state, program.dtypes)
            fields = [State.SLOW, State.EXPLAIN, State.RESERVE, State.ADD]
            code.state[fields] = [*map(id, self._kept)]
            if manages_outputs:
                self._outputs = kept_outputs(program, code.state)
            code.state[State.NAMES] = self._names.ctypes.data
        self.answer_by(None)
        watch(self)

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """What the model returns, in arrays of the caller's own."""
        choose = self._choose
        other = None if choose is None else choose(self)
        if other is not None:
            return other(*arguments, **named)
        result = self._flat(*arguments, **named)
        return result if self._build is None else self._build(result)

    def answer_by(self, choose: Chooser | None) -> None:
        """Lets the module that is chosen at each call answer it, where there is one."""
        self._choose = choose

    def exchange(self, make: Callable[[Code], Code]) -> None:
        """
        Lets other code of the same program answer from the next call on, which is made
        of the code that did, and has its state. Calls that run end where they are.
        """
        code = make(self._code)
        with LOCK:
            self._former += (self._code,)
            self._enter_by(code)
            self._pool.enter(code)
            if self._planner is not None:
                self._planner.call_by(code.planning)
            self.answer_by(self._choose)

    def _enter_by(self, code: Code) -> None:
        """Lets calls enter this code."""
        self._code = code
        self._native = flat_call(code.call)
        """What takes arrays as the program has them; None where Python is to run it."""
        self._flat = self._flat_call_of(code)

    def _flat_call_of(self, code: Code) -> Callable[..., Any]:
        """What Python calls, which returns outputs without their structure."""
        if self._texts:
            return self._call_with_texts
        native = None if self._build is None else self._native
        return native or self._call_slowly

    def _call_with_texts(self, /, *arguments: Any, **named: Any) -> Any:
        """Makes numbers of texts; then as of arrays."""
        with LOCK:
            self._slow_calls += 1
        out = None if self._has_input_out else named.pop(OUT, None)
        arrays = self.arrays_of(arguments, named)
        more = {} if out is None else {OUT: out}
        return (self._native or self._call_slowly)(*arrays, **more)

    @property
    def pool(self) -> ContextPool | None:
        """The contexts that calls borrow."""
        return self._pool

    @property
    def context(self) -> Context:
        """The first context of the module's pool."""
        return next(iter(self._pool))

    @property
    def plan(self) -> Plan:
        """The plan of memory of the last run of the first context."""
        return self.context.plan

    def statistics(self) -> Statistics:
        """What calls of the module did so far, and what the last one did not do."""
        note = self._code.noted() if self._program.skips else None
        skipped, size = ((), 0) if note is None else self._plans.skipped_by(note)
        return Statistics(
            slow_calls=self._slow_calls,
            plans=len(self._plans),
            folded=self._program.folded,
            skipped=skipped,
            bytes_not_moved=size,
        )

    def release(self) -> None:
        """Gives the memory back that no call uses at the moment, and kept outputs."""
        for each in self._pool:
            each.release()
        self._outputs[:] = None

    def memory_report(self, /, **sizes: int) -> MemoryReport:
        """The bytes that a call takes in which the symbols have these `sizes`."""
        return report_memory(self._program, self._plans, self._constants.nbytes, sizes)

    def coverage(self, profile: Any = None, /, **sizes: int) -> Coverage:
        """What is compiled, of calls of these sizes, and of times of a `profile`."""
        return cover(self._program, self.report, sizes, profile)

    def repeater(self, *arguments: Any) -> Callable[[int], None]:
        """A function that runs the model on these inputs n times, without Python."""
        arrays, symbols = self.bind_arguments(arguments, {})
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

    def _call_slowly(self, /, *arguments: Any, **named: Any) -> Any:
        """Converts the arguments, or explains; then runs."""
        with LOCK:
            self._slow_calls += 1
        out = None if self._has_input_out else named.pop(OUT, None)
        # Texts are numbers already, and so are pairs that compiled code has refused.
        made = _MADE.get()
        is_made = made is not None and bool(arguments) and arguments[0] is made
        known = self._texts or is_made
        arrays = [*arguments] if known else self.arrays_of(arguments, named)
        is_new = named or any(map(is_not, arrays, arguments))
        if is_new and self._native is not None:
            # As arrays, they most likely are what compiled code takes.
            more = {} if out is None else {OUT: out}
            token = _MADE.set(arrays[0] if arrays else None)
            try:
                return self._native(*arrays, **more)
            finally:
                _MADE.reset(token)
        symbols, given = bind_symbols(self._program, arrays), None
        if out is not None:
            given = match_outputs(self._program, out, symbols)
            arrays = apart(arrays, given, self._program.donations, self._is_strict)
        context = self._pool.borrow()
        try:
            outputs = self._run(context, arrays, symbols, given)
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
        is_to_look = context.is_to_look and not self._is_strict
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
        except (ValueError, RuntimeError):
            # Who calls slowly then is told why.
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

    def _make_context(self) -> Context:
        """A context for the pool."""
        handler = ctypes.cast(self._handler, ctypes.c_void_p).value
        assert handler is not None
        made = self._program, self._code, self._constants, handler
        return Context(*made, self._plans, self._threads)

    def plan_as(self, module: CompiledModule) -> None:
        """Plans the sizes that a module of the same program has plans of."""
        self._plans.plan_as(module._plans)

    def _call_out(self, address: int, number: int, buffers: int) -> int:
        """Runs a fallback op, or checks memory, for a run in the context there."""
        return answer(self._pool[address], self._references, number, buffers)


class NativeModule(CompiledModule):
    """
    A compiled model that machine code calls: `callable_class` makes the class of its
    objects, which have the address of a function.
    """

    def answer_by(self, choose: Chooser | None) -> None:
        """Lets the module that is chosen at each call answer it, where there is one."""
        super().answer_by(choose)
        # Without the address of a function Python calls `__call__`.
        is_direct = choose is None and self._build is None and not self._texts
        call_by(self, NativeModule, self._code.call if is_direct else 0)
