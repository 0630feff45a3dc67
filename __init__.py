"""
Compile a trained model, and run it without the framework that trained it.

    import static_runtime as sr

    model = sr.compile("model.onnx")
    y = model(x)

The names below are promised; whatever is not here may change. Each is imported at its
first use, so that importing the package costs nothing, and so that a program that only
runs a model never loads the compiler.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__all__ = [
    "CompileError",
    "Options",
    "RuntimePool",
    "StaticModule",
    "StaticRuntime",
    "__version__",
    "compile",
    "set_memory_limit",
    "trace",
]

__version__ = "0.1.0"
"""The version of the package, which is said here alone."""

if TYPE_CHECKING:
    from .compiler.compile import compile
    from .compiler.session.errors import CompileError
    from .compiler.session.options import Options
    from .compiler.tracing.trace import trace
    from .runtime.call.module import StaticModule
    from .runtime.call.runtime import RuntimePool, StaticRuntime
    from .runtime.plan.block import set_memory_limit
else:
    FILES = {
        "CompileError": ".compiler.session.errors",
        "Options": ".compiler.session.options",
        "RuntimePool": ".runtime.call.runtime",
        "StaticModule": ".runtime.call.module",
        "StaticRuntime": ".runtime.call.runtime",
        "compile": ".compiler.compile",
        "set_memory_limit": ".runtime.plan.block",
        "trace": ".compiler.tracing.trace",
    }

    def __getattr__(name: str) -> object:
        """The promised name, imported from its file at its first use."""
        if name not in FILES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(FILES[name], __name__), name)
        return value

    def __dir__() -> list[str]:
        """What completion offers: the promised names, imported yet or not."""
        return __all__
