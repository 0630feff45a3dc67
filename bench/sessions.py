"""Sessions of ONNX Runtime, which times and results are compared with."""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any


def make_session(model: bytes | str, threads: int = 1, optimizes: bool = True) -> Any:
    """
    A session on ONNX Runtime's own kernels for CPUs; with `optimizes` false each node
    is computed by itself.
    """
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    if not optimizes:
        levels = onnxruntime.GraphOptimizationLevel
        options.graph_optimization_level = levels.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])


@lru_cache(maxsize=1)
def _session(model: bytes) -> Any:
    """A session of one thread, which a process makes once."""
    return make_session(model)


class CarriedSession:
    """The bytes of a model, for which each process makes a session of its own."""

    def __init__(self, model: bytes):
        self._model = model

    def module(self) -> Any:
        """What is called as a compiled module is."""
        session = _session(self._model)
        names = [each.name for each in session.get_inputs()]

        def call(**inputs: Any) -> tuple[Any, ...]:
            return tuple(session.run(None, inputs))

        class Module(SimpleNamespace):
            def __call__(self, **inputs: Any) -> tuple[Any, ...]:
                return call(**inputs)

        return Module(input_names=names, program=SimpleNamespace(structure=None))
