"""
`_GrowingModule`: a compiled model whose caches grow where they are.

A caller gives a cache and gets a longer one, as the model says. Compiled code takes
buffers with room (`buffer.py`), writes new rows into them, and is told how many rows
are filled; so the sizes that it plans for change as seldom as buffers do. A cache that
is the filled part of a buffer is taken where it lies, and its result is a longer part
of the same; any other, or one that another call has continued, is copied to a new
buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ..abi import dtype_of
from ..machine import Code, callable_class, numpy_layout
from ..plan import MemoryReport
from ..program import Growth, Program, Size, TensorInfo, evaluate, symbols_in
from .arguments import bind_symbols, to_array
from .buffer import Buffer, buffer_of, capacity_for
from .compiled import CompiledModule, NativeModule
from .memory import NoMemory
from .module import OUT
from .structure import flat_call, match_tree

Array: TypeAlias = npt.NDArray[Any]

_MOST_SHAPES = 256
"""Sizes for which the shapes of compiled code are kept."""


class _Appended(NamedTuple):
    """The buffer of a cache in a call, and the rows of it that were taken for that."""

    buffer: Buffer
    whole: Array
    rows: int
    more: int

    def result(self) -> Array:
        """The cache with the new rows."""
        return self.buffer.part(self.whole, self.rows + self.more)


class _Shapes(NamedTuple):
    """The shapes that compiled code takes and returns."""

    inputs: Sequence[tuple[int, ...]]
    outputs: Sequence[tuple[int, ...]]


class _Call(NamedTuple):
    """What compiled code takes and writes in one call."""

    inputs: Sequence[Array]
    caches: Mapping[int, _Appended]
    """The caches by the number of the output."""

    symbols: Mapping[str, int]
    shapes: _Shapes

    def give_back(self) -> None:
        """Gives the rows back that were taken, after a run that failed."""
        for each in self.caches.values():
            each.buffer.give_back(each.rows, each.more)

    def results(self, outputs: Sequence[Array]) -> list[Array]:
        """What the caller gets of the outputs."""
        return [
            self.caches[at].result() if at in self.caches else each
            for at, each in enumerate(outputs)
        ]


class _GrowingModule(CompiledModule):
    """A model with caches that grow; it is called as if they had no room for more."""

    def __init__(self, program: Program, code: Any, *rest: Any):
        """The model of `program`, which has a growth, as other modules are made."""
        growth = program.growth
        assert growth is not None, "the program says how it grows"
        self._growth: Growth = growth
        super().__init__(program, code, *rest, declared=_declared(program, growth))
        self._caches = {each.input: each for each in growth.caches}
        self._axes = {at: each.axis for at, each in self._caches.items()}
        grown = {*growth.sizes}
        self._grown = {
            at: [(axis, s) for axis, s in enumerate(shape) if symbols_in(s) & grown]
            for at, shape in enumerate(growth.inputs)
        }
        """The sizes of each input that have room, with their axes."""
        ends = [growth.outputs[c.output][c.axis] for c in growth.caches]
        sizes = [size for each in self._grown.values() for _, size in each]
        self._sizes = [*dict.fromkeys((*sizes, *ends))]
        """Each size that is to have room."""
        self._dtypes = [dtype_of(each.dtype) for each in program.inputs]
        self._places = _places(self._declared)
        self._shapes: dict[tuple[int, ...], _Shapes] = {}

    def _flat_call_of(self, code: Code) -> Callable[..., Any]:
        """What Python calls; it gives outputs where the code takes some."""
        program = self._program
        sizes = {size for each in program.outputs for size in each.shape}
        is_known = not any(symbols_in(each) & {*program.defined} for each in sizes)
        native = flat_call(code.call) or self._call_slowly
        self._native = native if is_known and not self._has_input_out else None
        """What runs compiled code with given outputs; None where it takes none."""
        return self._grow

    def bind_arguments(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[list[Array], dict[str, int]]:
        """The arrays that compiled code takes, on copies of caches, and the symbols."""
        call = self._prepare(arguments, named, may_take=False)
        inputs, infos = call.inputs, self._program.inputs
        return [*map(to_array, inputs, infos)], dict(call.symbols)

    def memory_report(self, /, **sizes: int) -> MemoryReport:
        """The bytes that a call of these sizes takes, in buffers that it begins."""
        if sizes.keys() != {*self._declared.symbols}:
            names = ", ".join(self._declared.symbols)
            raise TypeError(f"expected {names}, got {', '.join(sizes) or 'nothing'}")
        rows = max(evaluate(each, sizes) for each in self._sizes)
        inner = {k: v for k, v in sizes.items() if k not in self._growth.sizes}
        return super().memory_report(
            **inner, **{self._growth.capacity: capacity_for(rows)}
        )

    def _grow(self, /, *arguments: Any, **named: Any) -> Any:
        """The outputs of a call, one or a tuple."""
        if OUT in named and not self._has_input_out:
            raise TypeError(
                "expected no arrays for the outputs of a model whose caches grow, got "
                "out; it returns them as parts of buffers"
            )
        call = self._prepare(arguments, named)
        try:
            results = call.results(self._run_with(call))
        except BaseException:
            call.give_back()
            raise
        return results[0] if len(results) == 1 else tuple(results)

    def _run_with(self, call: _Call) -> Sequence[Array]:
        """Runs compiled code; the outputs."""
        buffers = {at: each.buffer.array for at, each in call.caches.items()}
        if self._native is not None:
            made = tuple(
                buffers[at] if at in buffers else _new_output(info, shape)
                for at, (info, shape) in enumerate(
                    zip(self._program.outputs, call.shapes.outputs, strict=True)
                )
            )
            self._native(*call.inputs, out=made[0] if len(made) == 1 else made)
            return made
        arrays = [*map(to_array, call.inputs, self._program.inputs)]
        context = self._pool.borrow()
        try:
            made = context.make_outputs(call.symbols)
            for at, each in buffers.items():
                made[at] = each
            self._run(context, arrays, call.symbols, made)
            return context.cut(made, call.symbols)
        finally:
            self._pool.give_back(context)

    def _prepare(
        self, arguments: Sequence[Any], named: Mapping[str, Any], may_take: bool = True
    ) -> _Call:
        """What compiled code takes and writes in a call."""
        infos, dtypes = self._declared.inputs, self._dtypes
        values, structure = arguments, self._program.structure
        if named or structure is not None or len(arguments) != len(infos):
            values = match_tree(structure, infos, arguments, named)
        arrays = [
            each
            if type(each) is np.ndarray and each.dtype == dtypes[at]
            else to_array(each, infos[at])
            for at, each in enumerate(values)
        ]
        symbols = self._symbols_of(arrays)
        rows = {each: evaluate(each, symbols) for each in self._sizes}
        held: dict[int, tuple[Buffer, Array]] = {}
        for at, axis in self._axes.items() if may_take else ():
            found = buffer_of(arrays[at])
            if found is not None and found[0].axis == axis:
                held[at] = found
        known = {k: v for k, v in symbols.items() if k not in self._growth.sizes}
        capacity = capacity_for(max(rows.values()))
        known[self._growth.capacity] = max(
            (capacity, *(b.capacity for b, _ in held.values()))
        )
        shapes = self._shapes_for(known)
        self._check(arrays, symbols, rows, shapes)
        caches: dict[int, _Appended] = {}
        call = _Call(arrays, caches, known, shapes)
        try:
            self._take(arrays, caches, held, rows, shapes)
            for at, array in enumerate(arrays):
                if array.shape != shapes.inputs[at]:
                    arrays[at] = _with_room(array, shapes.inputs[at])
        except BaseException:
            call.give_back()
            raise
        arrays += [np.array(symbols[each], np.int64) for each in self._growth.sizes]
        return call

    def _take(
        self,
        arrays: list[Array],
        caches: dict[int, _Appended],
        held: Mapping[int, tuple[Buffer, Array]],
        rows: Mapping[Size, int],
        shapes: _Shapes,
    ) -> None:
        """Takes the rows of a call in the buffers of its caches, or in new ones."""
        for at, cache in self._caches.items():
            count = arrays[at].shape[cache.axis]
            more = rows[self._growth.outputs[cache.output][cache.axis]] - count
            buffer, whole = held.get(at, (None, None))
            if (
                buffer is None
                or whole is None
                or buffer.array.shape != shapes.inputs[at]
                or not buffer.take(count, more)
            ):
                dtype = self._dtypes[at]
                buffer = Buffer(shapes.inputs[at], dtype, cache.axis, arrays[at])
                buffer.take(count, more)
                whole = buffer.whole()
            arrays[at] = buffer.array
            caches[cache.output] = _Appended(buffer, whole, count, more)

    def _symbols_of(self, arrays: Sequence[Array]) -> dict[str, int]:
        """What the symbols are if the shapes of all arrays are right."""
        for array, shape in zip(arrays, self._growth.inputs, strict=True):
            if array.ndim != len(shape):
                return bind_symbols(self._declared, arrays)
        return {name: arrays[at].shape[axis] for name, at, axis in self._places}

    def _shapes_for(self, symbols: Mapping[str, int]) -> _Shapes:
        """The shapes that compiled code takes where the symbols have these values."""
        key = tuple(symbols.values())
        if (found := self._shapes.get(key)) is None:
            program = self._program
            inputs = program.inputs[: len(self._growth.inputs)]
            found = _Shapes(
                [each.sizes(symbols) for each in inputs],
                [each.sizes(symbols) for each in program.outputs]
                if self._native is not None
                else (),
            )
            if len(self._shapes) >= _MOST_SHAPES:
                self._shapes = {}
            self._shapes[key] = found
        return found

    def _check(
        self,
        arrays: Sequence[Array],
        symbols: Mapping[str, int],
        rows: Mapping[Size, int],
        shapes: _Shapes,
    ) -> None:
        """Raises `ValueError` for a shape that is not as declared."""
        for at, (array, wide) in enumerate(zip(arrays, shapes.inputs, strict=True)):
            expected = wide
            if grown := self._grown[at]:
                wanted = list(wide)
                for axis, size in grown:
                    wanted[axis] = rows[size]
                expected = tuple(wanted)
            if array.shape != expected:
                bind_symbols(self._declared, arrays)


def module_of(program: Program, *rest: Any) -> CompiledModule:
    """The module of a program, made as a `CompiledModule` is."""
    if program.growth is not None:
        return _GrowingModule(program, *rest)
    if not numpy_layout.is_as_expected():
        return CompiledModule(program, *rest)
    kind: type[NativeModule] = callable_class(NativeModule)
    return kind(program, *rest)


def _declared(program: Program, growth: Growth) -> Program:
    """The program as callers know it: with caches that have no room."""
    inputs = [
        replace(info, shape=shape)
        for info, shape in zip(program.inputs, growth.inputs, strict=False)
    ]
    outputs = [
        replace(info, shape=shape)
        for info, shape in zip(program.outputs, growth.outputs, strict=True)
    ]
    symbols = [each for each in program.symbols if each != growth.capacity]
    return replace(
        program,
        inputs=tuple(inputs),
        outputs=tuple(outputs),
        symbols=(*symbols, *growth.sizes),
    )


def _places(program: Program) -> list[tuple[str, int, int]]:
    """For each symbol the first input and axis of just that size."""
    found: dict[str, tuple[int, int]] = {}
    for at, info in enumerate(program.inputs):
        for axis, size in enumerate(info.shape):
            if isinstance(size, str) and size in program.symbols:
                found.setdefault(size, (at, axis))
    return [(name, *found[name]) for name in program.symbols]


def _new_output(info: TensorInfo, shape: tuple[int, ...]) -> Array:
    """A new array for an output."""
    with NoMemory(f"output {info.shown} of shape {shape}"):
        return np.empty(shape, dtype_of(info.dtype))


def _with_room(array: Array, shape: tuple[int, ...]) -> Array:
    """A copy of an array at the beginning of one with room."""
    made = np.empty(shape, array.dtype)
    made[tuple(map(slice, array.shape))] = array
    return made
