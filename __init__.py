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
    "CustomOp",
    "LlvmKernel",
    "NativeKernel",
    "NestKernel",
    "Options",
    "PythonKernel",
    "RuntimePool",
    "StaticModule",
    "StaticRuntime",
    "__version__",
    "build",
    "compile",
    "onnx_backend",
    "quantize",
    "register_op",
    "scoring",
    "set_memory_limit",
    "trace",
]

__version__ = "0.1.0"
"""The version of the package, which is said here alone."""

if TYPE_CHECKING:
    from .compiler import scoring
    from .compiler.calibrating.quantize import quantize
    from .compiler.compile import compile
    from .compiler.deploy.build import build
    from .compiler.frontends.onnx import onnx_backend
    from .compiler.ir.registry import register_op
    from .compiler.session.errors import CompileError
    from .compiler.session.options import Options
    from .compiler.tracing.models import trace
    from .dialects.graph.custom.kernels import (
        LlvmKernel,
        NativeKernel,
        NestKernel,
        PythonKernel,
    )
    from .dialects.graph.custom.op import CustomOp
    from .runtime.call.module import StaticModule
    from .runtime.call.runtime import RuntimePool, StaticRuntime
    from .runtime.plan.block import set_memory_limit
else:
    FILES = {
        "CompileError": ".compiler.session.errors",
        "CustomOp": ".dialects.graph.custom.op",
        "LlvmKernel": ".dialects.graph.custom.kernels",
        "NativeKernel": ".dialects.graph.custom.kernels",
        "NestKernel": ".dialects.graph.custom.kernels",
        "Options": ".compiler.session.options",
        "PythonKernel": ".dialects.graph.custom.kernels",
        "RuntimePool": ".runtime.call.runtime",
        "StaticModule": ".runtime.call.module",
        "StaticRuntime": ".runtime.call.runtime",
        "build": ".compiler.deploy.build",
        "compile": ".compiler.compile",
        "onnx_backend": ".compiler.frontends.onnx.onnx_backend",
        "quantize": ".compiler.calibrating.quantize",
        "register_op": ".compiler.ir.registry",
        "scoring": ".compiler.scoring",
        "set_memory_limit": ".runtime.plan.block",
        "trace": ".compiler.tracing.models",
    }

    MODULES = ("onnx_backend", "scoring")
    """The names that stand for a whole module."""

    def __getattr__(name: str) -> object:
        """The promised name, imported from its file at its first use."""
        if name not in FILES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        module = import_module(FILES[name], __name__)
        value = globals()[name] = module if name in MODULES else getattr(module, name)
        return value

    def __dir__() -> list[str]:
        """What completion offers: the promised names, imported yet or not."""
        return __all__
