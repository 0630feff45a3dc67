"""
The ways to run a model that are measured side by side: ours, and its peers.

Each is a function that takes a case and a number of threads, and returns a call without
arguments, from arrays of numpy to arrays of numpy. What it needs is imported when it is
called, so that one that is not installed fails alone.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from .cases import REDUCED_TOLERANCE, TOLERANCE, Array, Case, several
from .sessions import make_session

Call: TypeAlias = Callable[[], Any]
"""One run: an array, or a sequence of arrays."""

BEFORE = "STATIC_RUNTIME_BEFORE"
"""The variable that holds the folder of a checkout of another version."""

Peer: TypeAlias = Callable[[Case, int], Call]
"""What loads the model of a case to run on `threads` threads."""


def ours(case: Case, threads: int, **chosen: Any) -> Call:
    """The ONNX file, compiled for this machine."""
    import static_runtime as sr

    options = sr.Options(cache=False, threads=threads, **chosen)
    model, inputs = sr.compile(case.model, options=options), case.inputs()
    match inputs:
        # A call with the arguments written out, as one writes it.
        case [x]:
            return lambda: model(x)
        case [x, y]:
            return lambda: model(x, y)
        case _:
            return lambda: model(*inputs)


def ours_bf16(case: Case, threads: int) -> Call:
    """The same with weights of bf16."""
    return ours(case, threads, precision="bf16")


def ours_fast(case: Case, threads: int) -> Call:
    """The same with convolutions of 2.25 times fewer products."""
    return ours(case, threads, algorithms="fast")


def ours_fastest(case: Case, threads: int) -> Call:
    """The same with convolutions of 4 times fewer products."""
    return ours(case, threads, algorithms="fastest")


def before(case: Case, threads: int) -> Call:
    """The same by another checkout of this compiler, which `BEFORE` names."""
    root = Path(os.environ[BEFORE])
    spec = spec_from_file_location(
        "static_runtime",
        root / "__init__.py",
        submodule_search_locations=[str(root)],
    )
    assert spec is not None
    assert spec.loader is not None
    package = module_from_spec(spec)
    sys.modules["static_runtime"] = package
    spec.loader.exec_module(package)
    return ours(case, threads)


F32 = {"INFERENCE_PRECISION_HINT": "f32"}
"""What asks OpenVINO for 32 bits, where it would choose 16."""


def session(path: Path, threads: int) -> Callable[[Mapping[str, Array]], Any]:
    """ONNX Runtime's own kernels for CPUs: a model from named inputs to outputs."""
    made = make_session(str(path), threads)
    return lambda feed: made.run(None, feed)


def onnxruntime(case: Case, threads: int) -> Call:
    """ONNX Runtime on a case."""
    run, feed = session(case.model, threads), named(case)
    return lambda: run(feed)


def named(case: Case) -> dict[str, Array]:
    """The inputs of a case, by name."""
    return {f"in{at}": each for at, each in enumerate(case.inputs())}


def openvino(case: Case, threads: int) -> Call:
    """OpenVINO for latency, in f32: its own choice may be bf16."""
    return openvino_with(case, threads, F32)


def openvino_default(case: Case, threads: int) -> Call:
    """OpenVINO for latency, in what it chooses: bf16 where the processor has it."""
    return openvino_with(case, threads, {})


def openvino_with(case: Case, threads: int, precision: Mapping[str, str]) -> Call:
    """OpenVINO for latency."""
    run, feed = openvino_session(case.model, threads, precision), named(case)
    return lambda: run(feed)


def openvino_session(
    path: Path,
    threads: int,
    precision: Mapping[str, str] = F32,
) -> Callable[[Mapping[str, Array]], list[Array]]:
    """OpenVINO for latency: a model from named inputs to outputs."""
    library: Any = import_module("openvino")
    settings = {
        **precision,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "ENABLE_CPU_PINNING": False,
    }
    model = library.Core().compile_model(str(path), "CPU", settings)
    request, count = model.create_infer_request(), len(model.outputs)

    def run(feed: Mapping[str, Array]) -> list[Array]:
        results = request.infer(feed, share_inputs=True, share_outputs=True)
        return [results[number] for number in range(count)]

    return run


def torch_module(case: Case, threads: int) -> tuple[Any, Any]:
    """PyTorch on `threads` threads, and the module of the case."""
    torch: Any = import_module("torch")
    torch.set_num_threads(threads)
    module, _ = import_module("bench.suite").SUITE[case.name].make()
    return torch, module


def torch_call(torch: Any, function: Callable[..., Any], case: Case) -> Call:
    """A call of what takes and returns tensors."""
    inputs, from_numpy = case.inputs(), torch.from_numpy
    inference = torch.inference_mode

    def run() -> list[Array]:
        with inference():
            result = function(*[from_numpy(each) for each in inputs])
        return [each.numpy() for each in several(result)]

    return run


def torch_eager(case: Case, threads: int) -> Call:
    """PyTorch's module as it is, op by op."""
    torch, module = torch_module(case, threads)
    return torch_call(torch, module, case)


def torch_compile(case: Case, threads: int) -> Call:
    """PyTorch's compiler, Inductor, with frozen weights."""
    torch, module = torch_module(case, threads)
    config: Any = import_module("torch._inductor.config")
    # Code is made for a number of threads, and kept without it.
    config.force_disable_caches = True
    config.compile_threads = 1
    config.freezing = True
    return torch_call(torch, torch.compile(module), case)


def torch_static(case: Case, threads: int) -> Call:
    """PyTorch's Static Runtime, on the traced and frozen module."""
    torch, module = torch_module(case, threads)
    example = tuple[Any, ...](map(torch.from_numpy, case.inputs()))
    with torch.inference_mode():
        traced = torch.jit.trace(module, example, check_trace=False)
        static = torch._C._jit_to_static_module(torch.jit.freeze(traced)._c)
    return torch_call(torch, static, case)


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "ours": ours,
        "onnxruntime": onnxruntime,
        "openvino": openvino,
        "torch": torch_eager,
        "torch-compile": torch_compile,
        "torch-static": torch_static,
        "ours-fast": ours_fast,
        "ours-fastest": ours_fastest,
        "ours-bf16": ours_bf16,
        "openvino-default": openvino_default,
        "before": before,
    }
)
"""By name, in the order of the table."""

OURS, *OTHERS = PEERS
"""The name of ours, and the names of the others."""

OURS_REDUCED = "ours-bf16"

OURS_ELSE = ("ours-fast", "ours-fastest", OURS_REDUCED)
"""Ours with options that change results: measured where they are named."""

REDUCED = (OURS_REDUCED, "openvino-default")
"""Peers that may compute with fewer bits than f32: measured where they are named."""

USUAL = [name for name in PEERS if name not in (*OURS_ELSE, *REDUCED, "before")]
"""Those that are measured otherwise."""

OF_FILES = [name for name in USUAL if not name.startswith("torch")]
"""The usual ones that read an ONNX file; PyTorch takes a module of `bench/suite`."""


def limit_of(peer: str) -> float:
    """How far from torch the result of a peer may be."""
    return REDUCED_TOLERANCE if peer in REDUCED else TOLERANCE


LIBRARIES = ("numpy", "llvmlite", "onnxruntime", "openvino", "torch")
"""What the versions of are noted with the figures."""
