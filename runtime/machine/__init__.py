"""The machine: its features, linked code, threads, and how Python calls code."""

from __future__ import annotations

from . import numpy_layout
from .code import Code, More, link, link_functions
from .cpuid import needed_words
from .fork import LLVM_LOCK, check_whole, unforked
from .host import TARGETS, BareMachine, Host, enabled, get_host, lacking
from .interpreter import (
    ENTRY,
    Interpreted,
    interpreter_name,
    prebuilt_interpreter,
)
from .thread_pool import is_supported, object_name, thread_pool, usable_threads
from .vectorcall import call_by, callable_class

__all__ = [
    "BareMachine",
    "Code",
    "ENTRY",
    "Host",
    "Interpreted",
    "LLVM_LOCK",
    "More",
    "TARGETS",
    "call_by",
    "callable_class",
    "check_whole",
    "enabled",
    "get_host",
    "interpreter_name",
    "is_supported",
    "lacking",
    "link",
    "link_functions",
    "needed_words",
    "numpy_layout",
    "object_name",
    "prebuilt_interpreter",
    "thread_pool",
    "unforked",
    "usable_threads",
]
