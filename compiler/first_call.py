"""
Models that are compiled for the values of some inputs, at the first call with them.

An op may need an axis, pads, a shape or a number of repeats when it is compiled, where
the model has an input for it. With `Options(bind="first-call")` the module of such a
model compiles for the values that it meets, and keeps what it compiled by value.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn, Protocol, SupportsIndex

import numpy as np

from ..runtime.call import (
    OUT,
    Context,
    StaticModule,
    Statistics,
    match_inputs,
    to_array,
)
from ..runtime.files import Array
from ..runtime.plan import MemoryReport
from ..runtime.planning import Plan
from ..runtime.program import Program, TensorInfo
from .origin import portable
from .recipe import Reduced, opened, sealed
from .session import Given, Options, UnsupportedModelError

MOST = 64
"""Modules that are kept, by the values that they were compiled for."""

_MAX_INPUT = 4096
"""The most elements of an input for whose value a model is compiled."""


class Compilation(Protocol):
    """What compiles a model."""

    model: Any
    target: str
    options: Options
    given: Given

    def run(self) -> StaticModule:
        """The compiled model."""
        ...

    def with_constants(self, constants: Mapping[str, Any]) -> Compilation:
        """The compilation in which these inputs, too, are constants."""
        ...


def compile_or_bind(compilation: Compilation) -> StaticModule:
    """The compiled model, or a module that compiles it for values that it meets."""
    try:
        return compilation.run()
    except UnsupportedModelError as error:
        if not error.needed:
            raise
        return FirstCallModule(compilation, error.inputs, error.outputs, error.needed)


@dataclass
class _Entry:
    """What was compiled for some values, once it is."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    module: StaticModule | None = None


class FirstCallModule(StaticModule):
    """A model that is compiled for each value of the inputs that it is bound to."""

    def __new__(cls, *_: Any, **__: Any) -> FirstCallModule:
        """A module that Python code calls, which looks for the compiled one."""
        return object.__new__(cls)

    def __init__(
        self,
        compilation: Compilation,
        inputs: tuple[TensorInfo, ...],
        outputs: tuple[str, ...],
        bound: frozenset[str],
    ):
        """The model of a compilation that ended for want of values."""
        self._compilation = compilation
        self._inputs = inputs
        self._outputs = outputs
        self._bound = bound
        self._lock = threading.Lock()
        self._entries: OrderedDict[object, _Entry] = OrderedDict()
        self.report = None

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(each.name for each in self._inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in order."""
        return self._outputs

    @property
    def bound_names(self) -> tuple[str, ...]:
        """The inputs for whose values the model is compiled, as far as known by now."""
        return tuple(name for name in self.input_names if name in self._bound)

    def modules(self) -> tuple[StaticModule, ...]:
        """The modules that are kept, the one that was used last at the end."""
        with self._lock:
            found = [each.module for each in self._entries.values()]
        return tuple(each for each in found if each is not None)

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """
        What the model compiled for these values of the bound inputs returns.

        Compiles it at the first call with them, and raises `CompileError` where it
        cannot be compiled for them; otherwise as other modules do.
        """
        out = None if OUT in self.input_names else named.pop(OUT, None)
        module, rest = self._found(arguments, named)
        return module(*rest) if out is None else module(*rest, out=out)

    def repeater(self, *arguments: Any) -> Callable[[int], None]:
        """A function that runs the model on these inputs n times."""
        module, rest = self._found(arguments, {})
        return module.repeater(*rest)

    @property
    def pool(self) -> None:
        """None: each of the modules has one."""
        return None

    def release(self) -> None:
        """Gives the memory of activations back of all that is compiled."""
        for each in self.modules():
            each.release()

    @property
    def program(self) -> Program:
        """Not known: there is one for each value."""
        self._refuse("program")

    @property
    def context(self) -> Context:
        """Not known: there is one for each value."""
        self._refuse("context")

    @property
    def plan(self) -> Plan:
        """Not known: there is one for each value."""
        self._refuse("plan")

    def statistics(self) -> Statistics:
        """Not known: there are some for each value."""
        self._refuse("statistics()")

    def memory_report(self, /, **sizes: int) -> MemoryReport:
        """Not known: it differs from value to value."""
        self._refuse("memory_report()")

    def __reduce_ex__(self, protocol: SupportsIndex, /) -> Reduced:
        """The model as its source has it; what was compiled of it is left behind."""
        made = self._compilation
        facts = (type(made), portable(made.model), made.target, made.options)
        facts += (_plain(made.given.constants), *self._of())
        return _restored, sealed(facts)

    def __copy__(self) -> FirstCallModule:
        """One that answers alike, for which nothing is compiled yet."""
        return FirstCallModule(self._compilation, *self._of())

    def _of(self) -> tuple[tuple[TensorInfo, ...], tuple[str, ...], frozenset[str]]:
        """The inputs, the outputs, and what is known to be bound."""
        return self._inputs, self._outputs, self._bound

    def __repr__(self) -> str:
        inputs = ", ".join(f"{each.name}: {each}" for each in self._inputs)
        bound = ", ".join(self.bound_names)
        return f"<FirstCallModule ({inputs}) bound to {bound}>"

    def _refuse(self, what: str) -> NoReturn:
        """Raises the error that only the modules of values have something."""
        raise ValueError(
            f"expected a module that is compiled for all inputs, to ask for {what}, "
            f"got one for each value of {', '.join(self.bound_names)}; ask one of "
            "module.modules(), or compile with constants={...}"
        )

    def _found(
        self, arguments: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[StaticModule, list[Any]]:
        """The module for the values of bound inputs, and the other inputs."""
        values = dict(
            zip(
                self.input_names,
                match_inputs(self._inputs, arguments, named),
                strict=True,
            )
        )
        while True:
            bound = self.bound_names
            arrays = {name: self._array(name, values[name]) for name in bound}
            try:
                module = self._module(arrays)
            except UnsupportedModelError as error:
                more = error.needed - self._bound
                if not more:
                    raise
                self._bound |= more
                continue
            rest = [value for name, value in values.items() if name not in arrays]
            return module, rest

    def _array(self, name: str, value: Any) -> Array:
        """The value of a bound input as an array of its dtype."""
        (info,) = (each for each in self._inputs if each.name == name)
        array = to_array(value, info)
        if array.size > _MAX_INPUT:
            raise ValueError(
                f"input {name}: expected at most {_MAX_INPUT} elements of an input for "
                f"whose value the model is compiled, got shape {array.shape}"
            )
        return array

    def _module(self, arrays: Mapping[str, Array]) -> StaticModule:
        """The module for values, compiled once whichever threads ask for it."""
        key = tuple((name, each.shape, each.tobytes()) for name, each in arrays.items())
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > MOST:
                self._entries.popitem(last=False)
        if entry.module is not None:
            return entry.module
        with entry.lock:
            if entry.module is None:
                # A copy, since the caller may write to its array.
                own = {name: each.copy() for name, each in arrays.items()}
                entry.module = self._compilation.with_constants(own).run()
                self.report = entry.module.report
        return entry.module


def _plain(constants: Mapping[str, Any]) -> dict[str, Any]:
    """Values without the framework that some are of."""
    known = (np.ndarray, np.generic, list, tuple, int, float)
    return {
        name: value if isinstance(value, known) else np.asarray(value)
        for name, value in constants.items()
    }


def _restored(data: bytes, digest: str) -> FirstCallModule:
    """The module that was pickled; raises `pickle.UnpicklingError` if it is damaged."""
    kind, model, target, options, constants, *rest = opened(data, digest)
    made = kind(model, target=target, options=options).with_constants(constants)
    return FirstCallModule(made, *rest)
