"""Have a command of the benchmarks run in a fresh process, and take what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ParamSpec, TypeVar

from .document import ROOT

_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


def in_a_process(cache: str, *words: str) -> Any:
    """
    The JSON that Python prints with these arguments, in the folder of this checkout and
    with its cache in a folder; raises `CalledProcessError` where that fails.
    """
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "STATIC_RUNTIME_CACHE": cache},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def in_a_thread(
    function: Callable[_Given, _Result], *given: _Given.args, **named: _Given.kwargs
) -> _Result:
    """
    What a function returns in a thread that is not the main one: LLVM then runs in that
    very thread, whose clock counts it.
    """
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *given, **named).result()
