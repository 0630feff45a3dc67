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
    TEXT,
    StaticModule,
    as_texts,
    match_inputs,
    to_array,
)
from ..runtime.files import Array
from ..runtime.program import TensorInfo
from .origin import portable
from .recipe import Reduced, opened, sealed
from .session import CONTAINER, Form, Given, Options, UnsupportedModelError

_MAX_MODULES = 64
"""Modules that are kept, by the values that they were compiled for."""

_MAX_ELEMENTS = 4096
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

    def __init__(
        self,
        compilation: Compilation,
        inputs: tuple[TensorInfo, ...],
        outputs: tuple[str, ...],
        bound: frozenset[str],
    ):
        """The model of a compilation that ended for want of values."""
        super().__init__(inputs, outputs)
        self._compilation = compilation
        self._bound = bound
        self._lock = threading.Lock()
        self._entries: OrderedDict[object, _Entry] = OrderedDict()

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

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for the full code of each module that is kept, `timeout` for each."""
        return all([each.wait(timeout) for each in self.modules()])

    def release(self) -> None:
        """Gives the memory of activations back of all that is compiled."""
        for each in self.modules():
            each.release()

    def _measured(self) -> NoReturn:
        """Not known: there is one for each value."""
        raise self.refusal("benchmark()")

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
        return self._inputs, self.output_names, self._bound

    def __repr__(self) -> str:
        inputs = ", ".join(f"{each.name}: {each}" for each in self._inputs)
        bound = ", ".join(self.bound_names)
        return f"<FirstCallModule ({inputs}) bound to {bound}>"

    def refusal(self, what: str) -> ValueError:
        """The error that only the modules of values have something."""
        return ValueError(
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
            arrays = {name: self._known(name, values[name]) for name in bound}
            try:
                module = self._module(arrays)
            except UnsupportedModelError as error:
                more = error.needed - self._bound
                if not more:
                    raise
                self._bound |= more
                continue
            rest = [
                value
                for name, value in values.items()
                if not isinstance(arrays.get(name), np.ndarray)
            ]
            return module, rest

    def _known(self, name: str, value: Any) -> Array | Form:
        """The value of a bound input as an array of its dtype; of several the form."""
        (info,) = (each for each in self._inputs if each.name == name)
        if info.dtype == CONTAINER:
            return Form.of(value)
        is_text = info.dtype == TEXT
        # As numpy has texts of one length, whose bytes are a key.
        array = as_texts(value, info).astype(str) if is_text else to_array(value, info)
        if array.size > _MAX_ELEMENTS:
            raise ValueError(
                f"input {name}: expected at most {_MAX_ELEMENTS} elements of an input "
                f"for whose value the model is compiled, got shape {array.shape}"
            )
        return array

    def _module(self, arrays: Mapping[str, Array | Form]) -> StaticModule:
        """The module for values, compiled once whichever threads ask for it."""
        key = tuple(
            (name, each)
            if isinstance(each, Form)
            else (name, each.shape, each.tobytes())
            for name, each in arrays.items()
        )
        with self._lock:
            entry = self._entries.setdefault(key, _Entry())
            self._entries.move_to_end(key)
            if len(self._entries) > _MAX_MODULES:
                self._entries.popitem(last=False)
        if entry.module is not None:
            return entry.module
        with entry.lock:
            if entry.module is None:
                # A copy, since the caller may write to its array.
                own = {
                    name: each if isinstance(each, Form) else each.copy()
                    for name, each in arrays.items()
                }
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
