"""
`StaticModule`: a model that is called with arrays, and what every kind of one offers.

A compiled model is one (`compiled.py`). So are a model whose ops are run by their
references, and one that is compiled for the values that it meets; the compiler makes
these.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from copy import copy
from functools import cached_property
from typing import Any, Protocol, Self

from ..plan import MemoryReport
from ..planning import Plan
from ..program import Program, TensorInfo
from .context import Context
from .coverage import Coverage
from .measured import Measured
from .pool import ContextPool
from .runtime import StaticRuntime
from .statistics import Statistics

OUT = sys.intern("out")
"""The name by which a caller gives arrays for the outputs; every call has this text."""


class Aside(Protocol):
    """A compile beside calls of modules, whose code it exchanges in the end."""

    def add(self, module: Any) -> None:
        """Lets another module of that code have the one that is compiled."""
        ...

    def wait(self, timeout: float | None) -> bool:
        """Waits until it ends; whether the code was exchanged."""
        ...


class StaticModule(Measured):
    """
    A compiled model; `module(x, y)` or `module(x=x, y=y)` runs it, and
    `module(x, y, out=array)` writes to a given array. It is pickled as what it was
    compiled from, and made again where it is unpickled.
    """

    report: Any
    """What compiling it took: a `CompileReport`; None until the compiler has set it."""

    maker: Callable[[Any, Any], Any] | None = None
    """What makes it here again, with other options of a run; else None."""

    aside: Aside | None = None
    """What compiles the code meanwhile that is to answer; None where that is there."""

    def __init__(self, inputs: Sequence[TensorInfo], outputs: Sequence[str]):
        """A module of these inputs, and of outputs of these names."""
        self._inputs = tuple(inputs)
        self._output_names = tuple(outputs)
        self.report = None

    @property
    def input_names(self) -> tuple[str, ...]:
        """The names of the inputs, in order."""
        return tuple(each.name for each in self._inputs)

    @property
    def output_names(self) -> tuple[str, ...]:
        """The names of the outputs, in order."""
        return self._output_names

    @property
    def program(self) -> Program:
        """Inputs, outputs, memory and calls of the model."""
        raise self.refusal("program")

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """
        The output of the model, or a tuple of several, as arrays of the caller's own;
        a model of PyTorch takes and returns trees as its forward does. Labels that are
        texts are an array of `str` objects, and what ONNX's ZipMap gives is a list of
        dictionaries.

        Takes numpy arrays, lists, numbers and tensors with DLPack; for an input that is
        texts an array of `str`, of bytes in UTF-8, or of objects that are either, or
        lists of them. `out=` is an array
        for the only output, or a tuple of one for each, and is returned; it may share
        memory with inputs. After an error, what is in it is undefined. (If an input is
        called `out`, then `out=` is that.)

        Raises `TypeError` for the wrong number or dtype of inputs, `ValueError` for
        wrong shapes, for numbers too great for their dtype, and for a result that is a
        text which only an input has, `IndexError` when the model looks up an index out
        of its range.
        """
        raise self.refusal("a call")

    def wait(self, timeout: float | None = None) -> bool:
        """
        Waits until the full code answers, for `timeout` seconds at most; whether it
        does. A module has it at once, unless `Options(tier="fast-start")` made it.
        """
        aside = self.aside
        return aside is None or aside.wait(timeout)

    @property
    def pool(self) -> ContextPool | None:
        """The contexts that calls borrow; None where other modules answer them."""
        return None

    @cached_property
    def runtime(self) -> StaticRuntime:
        """The first runtime of the module."""
        return StaticRuntime(self)

    @property
    def context(self) -> Context:
        """The first context of the module's pool."""
        raise self.refusal("context")

    @property
    def plan(self) -> Plan:
        """The plan of memory of the last run of the first context."""
        raise self.refusal("plan")

    def statistics(self) -> Statistics:
        """
        What calls of the module did so far, and what the last run in this thread did
        not do. (After runs in more than 64 threads that may be unknown, and is empty.)
        """
        raise self.refusal("statistics()")

    def release(self) -> None:
        """
        Gives the memory of activations back that no call uses at the moment, and the
        outputs that are kept; the next calls take new memory. Constants and plans stay.
        """

    def memory_report(self, /, **sizes: int) -> MemoryReport:
        """
        The bytes that a call takes in which the symbols have these `sizes`.

        Raises `TypeError` unless every symbol of the inputs, and no other name, is
        given, and `ValueError` for sizes that the model cannot take.
        """
        raise self.refusal("memory_report()")

    def coverage(self, profile: Any = None, /, **sizes: int) -> Coverage:
        """What is compiled, of calls of these sizes, and of times of a `profile`."""
        raise self.refusal("coverage()")

    def repeater(self, *arguments: Any) -> Callable[[int], None]:
        """
        A function that runs the model on these inputs n times, without Python.

        It is for measuring: the outputs are written over each time, and not returned.
        """
        raise self.refusal("repeater()")

    def __deepcopy__(self, _: Any) -> Self:
        """The same as a copy, as nothing writes to constants."""
        return copy(self)

    def refusal(self, what: str) -> ValueError:
        """The error that this kind of module has no such thing."""
        return ValueError(
            f"expected a module of sr.compile, to ask for {what}, got "
            f"{type(self).__name__}"
        )
