"""
A hash of how an op that a user brought is computed.

It covers the files and the code of the op's classes and kernels, and the values that
these hold: class variables, defaults and closures. What has no lasting text gets one of
this process alone, so that no other process takes its artifacts.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterable
from enum import Enum
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, cast

import numpy as np
from xdsl.ir import Attribute

from ...dialects.graph import GraphOp
from ...dialects.graph.custom import Kernel, NativeKernel

_PROCESS = token_hex(16)

_held: dict[int, Any] = {}
"""Values without a lasting text, held so that none gets the number of another."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), range, Path)


def digest_of_op(op: type[GraphOp], *parts: str) -> str:
    """A hash of these parts, and of how an op is computed."""
    found = sha256("\n".join([*parts, op.name]).encode())
    for text in sorted(_sources(op)):
        found.update(f"{len(text)} {text}".encode(errors="surrogatepass"))
    return found.hexdigest()


def called_by(op: type[GraphOp]) -> list[Any]:
    """The C functions that kernels of an op call, but for names of such."""
    return [each.function for each in _kernels(op) if _is_outside(each)]


def _sources(op: type[GraphOp]) -> set[str]:
    """What an op is made of: files of its classes, and texts of all that they hold."""
    found: set[str] = set()
    texts = _Texts(op)
    for each in op.__mro__:
        if not _is_library(each.__module__):
            found |= _source_of(each.__module__)
            found.add(texts.of_class(each))
    for kernel in _kernels(op):
        for value in cast("dict[str, Any]", vars(kernel)).values():
            if isinstance(value, FunctionType):
                found |= _source_of(value.__module__)
    return found


def _kernels(op: type[GraphOp]) -> Iterable[Any]:
    """The kernels of an op, which need not be a `CustomOp`."""
    return getattr(op, "KERNELS", ())


def _is_outside(kernel: Any) -> bool:
    """Whether a kernel calls a C function by an address, which no artifact has."""
    return isinstance(kernel, NativeKernel) and not isinstance(kernel.function, str)


def _is_library(module: str) -> bool:
    """Whether a module is ours, or one of a library that has versions."""
    ours = {"numpy", "static_runtime", "xdsl", *sys.stdlib_module_names}
    return module.partition(".")[0] in ours - {"__main__"}


def _source_of(module: str) -> set[str]:
    """The text of a module's file, if it has one."""
    try:
        name = inspect.getsourcefile(sys.modules[module])
        return {Path(name).read_text()} if name else set()
    except (KeyError, TypeError, OSError):
        return set()


def _is_plain(array: Any) -> bool:
    """Whether the elements of an array are no objects of Python."""
    return not array.dtype.hasobject


def _text_of_array(array: Any) -> str:
    """The text of an array: its type, its shape and its bytes."""
    return f"{array.dtype.descr} {array.shape} {array.tobytes().hex()}"


class _Texts:
    """Texts of values; equal ones are of values that compute the same."""

    def __init__(self, op: type[GraphOp]):
        """The texts of what an op holds, which may hold the op."""
        self.within: dict[int, str] = {
            id(each): f"class {place}" for place, each in enumerate(op.__mro__)
        }

    def of_class(self, made: type[Any]) -> str:
        """The text of the methods and the values of a class."""
        own = sorted(vars(made).items())
        return str([(name, self.of(v)) for name, v in own if _is_told(name, v)])

    def of(self, value: Any) -> str:
        """The text of any value."""
        if isinstance(value, np.ndarray | np.generic) and _is_plain(value):
            return _text_of_array(value)
        return self.of_other(value)

    def of_other(self, value: Any) -> str:
        """The text of any value but an array."""
        if isinstance(value, Enum):
            return f"{type(value).__qualname__} {value.name}"
        if isinstance(value, _PLAIN):
            return f"{type(value).__name__} {value!r}"
        if isinstance(value, Attribute):
            return f"{type(value).__qualname__} {value}"
        if id(value) in self.within:
            return self.within[id(value)]
        self.within[id(value)] = f"value {len(self.within)}"
        text = self.of_parts(value)
        del self.within[id(value)]
        return text

    def of_parts(self, value: Any) -> str:
        """The text of a value that has others in it."""
        kind = type(value).__name__
        match value:
            case tuple() | list():
                return f"{kind} {self.of_all(cast('list[Any]', value))}"
            case set() | frozenset():
                return f"{kind} {sorted(self.of_all(cast('set[Any]', value)))}"
            case dict():
                items = cast("dict[Any, Any]", value).items()
                return f"{kind} {[self.of_all(each) for each in items]}"
            case CodeType():
                constants = self.of_all(value.co_consts)
                return f"{value.co_code.hex()} {value.co_names} {constants}"
            case FunctionType():
                return self.of_function(value)
            case property():
                parts = (value.fget, value.fset, value.fdel)
            case classmethod() | staticmethod():
                parts = (cast("Any", value).__func__,)
            case MethodType():
                parts = (value.__func__, value.__self__)
            case cached_property():
                parts = (cast("Any", value).func,)
            case partial():
                made = cast("partial[Any]", value)
                parts = (made.func, made.args, made.keywords)
            case Kernel():
                fields = vars(value)
                left = {"function": None} if _is_outside(value) else {}
                parts = (value.label, {**fields, **left})
            case _ if type(value).__module__.startswith("xdsl."):
                # What xDSL puts into a class follows from the text of that.
                return type(value).__qualname__
            case _:
                return _name_of(value) or _text_of_this_process(value)
        return f"{kind} {self.of_all(parts)}"

    def of_all(self, values: Iterable[Any]) -> list[str]:
        """The texts of several values."""
        return [self.of(each) for each in values]

    def of_function(self, value: FunctionType) -> str:
        """The text of a function: its code, and what it has with it."""
        code = self.of(value.__code__)
        if value.__module__ and _is_library(value.__module__):
            if (name := _name_of(value)) or value.__module__.startswith("xdsl."):
                return name or code
        cells = [_content(each) for each in value.__closure__ or ()]
        held = (value.__defaults__, value.__kwdefaults__, cells)
        return f"{code} {self.of_all(held)}"


def _content(cell: Any) -> Any:
    """What a cell of a closure holds; nothing where it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _is_told(name: str, value: Any) -> bool:
    """Whether a name of a class is one that its author gave, and not Python's own."""
    is_own = name.startswith("__") and name.endswith("__")
    return name != "_abc_impl" and (not is_own or isinstance(value, FunctionType))


def _name_of(value: Any) -> str:
    """The name by which a value is imported of what has a version, or has a file."""
    if isinstance(value, ModuleType):
        return value.__name__
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(name, str) or "<locals>" in name:
        return ""
    if module is None or not isinstance(module, str):
        module = "numpy" if isinstance(value, np.ufunc) else "builtins"
    found: Any = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if found is not value:
        return ""
    if _is_library(module):
        return f"{module}.{name}"
    return "\n".join([name, *texts]) if (texts := _source_of(module)) else ""


def _text_of_this_process(value: Any) -> str:
    """A text that no other value has, here or in another process."""
    _held[id(value)] = value
    return f"{_PROCESS} {id(value)}"
