"""
`StaticRuntime` and `RuntimePool`: ways to run a module, with options of their own.

In PyTorch's Static Runtime a module holds one runtime, which one thread at a time may
run, and others are made of it or cloned. Here any number of threads may call a module:
each call borrows a context from its pool, or has one made. So a runtime is a place in
that pool, which it adds to, and a pool of runtimes is the module's own, unless its
options differ from those of the module in what a run may change.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol, runtime_checkable
from weakref import finalize

from ..planning import Plan
from .given import by_name, positional
from .measured import Measured
from .pending import Launcher, Pending
from .pool import ContextPool


@runtime_checkable
class Module(Protocol):
    """What a runtime runs: a `StaticModule`."""

    maker: Callable[[Any, Any], Any] | None

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """The outputs."""
        ...

    @property
    def pool(self) -> ContextPool | None:
        """The contexts that calls borrow."""
        ...

    @property
    def plan(self) -> Plan:
        """The plan of memory of the last run."""
        ...

    def release(self) -> None:
        """Gives memory back that no run uses."""
        ...


def _module_with(module: Module, options: Any) -> Module:
    """The module itself, or one of the same code and constants with other options."""
    # A module may refuse to say what its plan is.
    if not (callable(module) and hasattr(module, "pool")):
        raise TypeError(
            f"expected a compiled module, got {type(module).__name__}; "
            "compile the model with sr.compile"
        )
    if options is None:
        return module
    if module.maker is None:
        raise TypeError(
            "expected no options for a module that sr.compile did not make of one "
            "model, got some; give them to sr.compile, or threads= where it is loaded"
        )
    return module.maker(module, options)


class RuntimePool(Measured):
    """
    Runs a module from any number of threads, each run with a context of its own.

    A run takes an idle context; where there is none it makes one, and never waits.
    """

    def __init__(self, module: Module, options: Any = None):
        """
        The pool of the module itself, or with `options` one of its own.

        Raises `CompileError` where `options` differ from those that the module was
        compiled with in anything but what a run may change: `threads`,
        `manage_output_tensors` and `strict`.
        """
        self._module = _module_with(module, options)

    @property
    def module(self) -> Module:
        """What is run: the module that was given, unless the options differ."""
        return self._module

    def run(
        self, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """The outputs for arguments by position and by name, as the module's own."""
        return self._module(*positional(args), **by_name(kwargs))

    def __call__(self, /, *arguments: Any, **named: Any) -> Any:
        """The same, as the module is called."""
        return self._module(*arguments, **named)

    def run_async(
        self, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Pending:
        """
        The future of a run, which is a `concurrent.futures.Future` and may be awaited.

        What the run raises, the future raises. The arguments must stay as they are
        until it is done. Waits while 256 runs have not begun.
        """
        return self._launcher.launch(positional(args), by_name(kwargs))

    @cached_property
    def _launcher(self) -> Launcher:
        """What runs for those who wait later."""
        return Launcher(self._module)

    @property
    def plan(self) -> Plan:
        """The plan of memory of the last run of the module's first context."""
        return self._module.plan

    def _measured(self) -> Measured:
        """The module, as its pool runs it."""
        if not isinstance(self._module, Measured):
            return super()._measured()
        return self._module._measured()

    def release(self) -> None:
        """Gives the memory back that no run uses at the moment."""
        self._module.release()

    def __reduce__(self) -> tuple[Any, ...]:
        """One of the same module, with its options, for copies and pickles."""
        return type(self), (self._module,)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._module!r}>"


class StaticRuntime(RuntimePool):
    """
    A place to run a module: `StaticRuntime(module).run([x])`, or `runtime(x)`.

    It keeps its module alive. As many runs at once as a module has runtimes find a
    context that was made before; the first of them is the module's own.
    """

    def __init__(self, module: Module, options: Any = None):
        """A runtime, for which the pool of the module has a context from now on."""
        super().__init__(module, options)
        if (pool := self._module.pool) is not None:
            pool.take_place()
            finalize(self, pool.leave_place).atexit = False

    def clone(self) -> StaticRuntime:
        """Another runtime of the same module, with the same options."""
        return StaticRuntime(self._module)
