"""
The four kinds of kernels of ops that users bring.

The `KERNELS` of an op are tried in order, and the first that accepts an op computes it:

    NestKernel      loops, which fuse with those of other ops
    LlvmKernel      a function in the text of an LLVM module
    NativeKernel    a C function that is in this process, or in a shared library
    PythonKernel    a function on numpy arrays, which a run calls with the GIL

If none does, the op's `reference` is called; an op without one is an error that lists
why each kernel refused.
"""

from __future__ import annotations

import ctypes
import re
from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from xdsl.utils.exceptions import VerifyException

from ...dims import Dim, Polynomial, product
from ...shape import sizes, tensor_type
from ..nest import Nest
from ..op import GraphOp

Argument: TypeAlias = Dim | float | np.floating[Any]
"""
What a function takes besides pointers: a number or a size as `int64_t`, a Python float
as `double`, a `np.float32` as `float`.
"""

Accepts: TypeAlias = Callable[[Any], bool | str]
"""Whether a kernel can compute an op; False, or a text that says why not."""

PREFIX = "sr_op."
"""How the symbols of functions begin that are outside of a compiled model."""

_NAME = re.compile(r"[A-Za-z_]\w*")


def _always(op: Any) -> bool:
    return True


def _element_count(op: Any) -> Sequence[Argument]:
    """The number of elements of the first result."""
    return [product(sizes(tensor_type(op.results[0])))]


@dataclass(frozen=True, kw_only=True)
class Kernel(ABC):
    """One way in which an op can be computed."""

    accepts: Accepts = _always
    """Told of the op; True, or why the kernel cannot compute it."""

    name: str = ""
    """What messages and cached code call it; by default its kind."""

    @property
    def label(self) -> str:
        """The name, or the kind: `nest`, `llvm`, `native` or `python`."""
        return self.name or type(self).__name__.removesuffix("Kernel").lower()

    def refusal(self, op: GraphOp) -> str | None:
        """Why the kernel cannot compute an op; None where it can."""
        said = self.accepts(op)
        if said is True:
            return None
        return said if isinstance(said, str) and said else "it does not accept the op"


@dataclass(frozen=True)
class NestKernel(Kernel):
    """Loop nests, which `build` makes of an op: compiled, and fused with others."""

    build: Callable[[Any], Sequence[Nest]]


@dataclass(frozen=True)
class LlvmKernel(Kernel):
    """
    The function `function` in the text of an LLVM module, or in what makes it of an op.

    It returns nothing, and takes a pointer for each operand and then each result, dense
    and in row-major order, then `arguments`. No result overlaps any other tensor. It
    may call what the text defines, LLVM's intrinsics and C's mathematical functions.
    """

    text: str | Callable[[Any], str]
    function: str
    arguments: Callable[[Any], Sequence[Argument]] = _element_count


@dataclass(frozen=True)
class NativeKernel(Kernel):
    """
    A C function with the arguments of an `LlvmKernel`, called without the GIL and
    perhaps by several threads at once.

    `function` is a ctypes function pointer, an address, an object with an `address` as
    a `cfunc` of numba has it, or the name of a function in the shared library
    `library`.
    """

    function: Any
    library: str | Path | None = None
    arguments: Callable[[Any], Sequence[Argument]] = _element_count

    def check(self, op: str) -> None:
        """Raises `ValueError` for what cannot be called without the GIL."""
        given = self.function
        if isinstance(given, str | int) or isinstance(
            getattr(given, "address", None), int
        ):
            return
        if not isinstance(given, _POINTER):
            raise ValueError(
                f"{op}: expected a C function, got {type(given).__name__} {given!r}; "
                "a function of Python is a PythonKernel"
            )
        if getattr(given, "_flags_", 0) & _PYTHON_API:
            raise ValueError(
                f"{op}: expected a function that needs no GIL, as of CFUNCTYPE, got "
                "one of PYFUNCTYPE"
            )

    def check_types(self, op: str, tensors: int, arguments: Sequence[Argument]) -> None:
        """Raises `VerifyException` where ctypes knows that a function takes others."""
        given: Sequence[type[Any]] | None = getattr(self.function, "argtypes", None)
        if not given or not isinstance(self.function, _POINTER):
            return
        wanted = [_POINTERS] * tensors
        wanted += [_C_TYPES[argument_type(each)] for each in arguments]
        fits = len(given) == len(wanted) and all(
            each.__name__.startswith("LP_") or each in known
            for each, (_, known) in zip(given, wanted, strict=True)
        )
        if not fits:
            raise VerifyException(
                f"{op}: expected a function of {', '.join(name for name, _ in wanted)}"
                f", got one of {', '.join(each.__name__ for each in given)}"
            )


@dataclass(frozen=True)
class PythonKernel(Kernel):
    """
    A function that takes the operands as arrays of its own, and the properties by their
    names; it returns an array, or a tuple of one for each result.
    """

    function: Callable[..., Any]


@dataclass(frozen=True)
class Native:
    """The function that computes an op: its symbol or its text, and its arguments."""

    symbol: str
    text: str
    """The text of a module that defines the symbol; nothing where it is outside."""

    arguments: tuple[Argument, ...]


def symbol_of(op: str, kernel: Kernel) -> str:
    """The symbol of a function that is outside of a compiled model."""
    return f"{PREFIX}{op}.{kernel.label}"


_POINTER: type[Any] = type(ctypes.pythonapi.PyErr_Clear).__mro__[1]
"""The class of functions that ctypes calls."""

_PYTHON_API = 4
"""The flag of a function that ctypes calls with the GIL."""

_POINTERS = "pointer", (ctypes.c_void_p,)

_C_TYPES: dict[str, tuple[str, tuple[type[Any], ...]]] = {
    "i64": ("int64_t", (ctypes.c_int64, ctypes.c_uint64)),
    "double": ("double", (ctypes.c_double,)),
    "float": ("float", (ctypes.c_float,)),
}
"""The types of C by those of LLVM, and what ctypes has for them."""


def check_kernels(op: type[GraphOp]) -> None:
    """Raises `ValueError` unless the kernels of an op are some, with a name each."""
    kernels: Sequence[Any] = getattr(op, "KERNELS", ())
    for each in kernels:
        if not isinstance(each, Kernel):
            raise ValueError(
                f"{op.name}: expected kernels of the kinds NestKernel, LlvmKernel, "
                f"NativeKernel or PythonKernel, got {type(each).__name__}"
            )
        if not _NAME.fullmatch(each.label):
            raise ValueError(
                f"{op.name}: expected an identifier as the name of a kernel, got "
                f"{each.label!r}"
            )
        if isinstance(each, NativeKernel):
            each.check(op.name)
    labels = [each.label for each in kernels]
    for each in labels:
        if labels.count(each) > 1:
            raise ValueError(
                f"{op.name}: expected kernels of different names, got {each} twice; "
                "give them a name="
            )


def argument_type(argument: object) -> str:
    """The LLVM type of an argument; raises `VerifyException` for what is none."""
    match argument:
        case int() | Polynomial():
            return "i64"
        case float():  # np.float64 is one
            return "double"
        case np.floating() if argument.dtype == np.float32:
            return "float"
        case _:
            raise VerifyException(
                "expected arguments that are numbers or sizes, got "
                f"{type(argument).__name__} {argument!r}"
            )
