"""
Other evaluators of ONNX models, asked in a process of their own.

They are given what nobody wrote with care, and some of it ends them. So a worker that
dies did so by our code alone, and what these spoil in memory is not ours.
"""

from __future__ import annotations

import math
import os
import pickle
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto
from onnx.reference import ReferenceEvaluator

from .results import Array

LONGEST = 5
"""Seconds of the processor that an answer may take."""

ASLEEP = 120.0
"""Seconds after which nobody waits any longer."""


class DiedError(Exception):
    """An evaluator ended its process; the text says how."""


def onnx_runtime(model: ModelProto, inputs: Mapping[str, Array]) -> Sequence[Any]:
    """What ONNX Runtime computes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, dict(inputs))


def onnx_evaluator(model: ModelProto, inputs: Mapping[str, Array]) -> Sequence[Any]:
    """What the evaluator of ONNX computes."""
    return ReferenceEvaluator(model).run(None, dict(inputs))


def dying(model: ModelProto, inputs: Mapping[str, Array]) -> Sequence[Any]:
    """Ends its process, to see that this is seen."""
    os.kill(os.getpid(), signal.SIGSEGV)
    return []


EVALUATORS: Mapping[str, Callable[..., Sequence[Any]]] = {
    each.__name__: each for each in (onnx_runtime, onnx_evaluator, dying)
}

OTHERS = ("onnx_runtime", "onnx_evaluator") if find_spec("onnxruntime") else ()
"""
Who is asked; the first of them decides what is to be answered: the evaluator of ONNX
does not check what it is given. Where nobody is, the references of our own ops.
"""


def ask(name: str, model: bytes, inputs: Mapping[str, Array]) -> list[Array]:
    """
    What an evaluator answers. Raises `ValueError` where it refuses, and `DiedError`
    where it ends its process, or must be ended.
    """
    process = _process()
    assert process.stdin is not None
    assert process.stdout is not None
    found: list[Array] | str | None = None
    with suppress(BrokenPipeError, EOFError):
        pickle.dump((name, model, dict(inputs)), process.stdin)
        process.stdin.flush()
        if select.select([process.stdout], [], [], ASLEEP)[0]:
            found = pickle.load(process.stdout)  # of our own code
    if isinstance(found, str):
        raise ValueError(found)
    if found is None:
        _process.cache_clear()
        process.kill()
        process.communicate()
        raise DiedError(f"{signal.Signals(-process.returncode).name} in {name}")
    return found


@cache
def _process() -> subprocess.Popen[bytes]:
    """A process that answers, until its input ends with this process."""
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).parent), "--answer"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )


def answer() -> None:
    """Answers what is asked on stdin, one after the other, until that ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    with suppress(EOFError):
        while True:
            name, data, inputs = pickle.load(sys.stdin.buffer)
            most = math.ceil(time.process_time()) + LONGEST
            resource.setrlimit(resource.RLIMIT_CPU, (most, hard))
            pickle.dump(_answered(name, data, inputs), answers)
            answers.flush()


def _answered(name: str, data: bytes, inputs: Mapping[str, Array]) -> Any:
    """Arrays of numbers, or why there are none; who is asked may fail in any way."""
    model = ModelProto()
    try:
        model.ParseFromString(data)
        with np.errstate(all="ignore"):
            found = [np.asarray(each) for each in EVALUATORS[name](model, inputs)]
    except Exception as error:
        return f"{type(error).__name__}: {error}"[:500]
    is_of_numbers = all(each.dtype.kind in "biuf" for each in found)
    return found if is_of_numbers else "expected numbers"
