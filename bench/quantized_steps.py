"""
Compare each quantised tensor of a model with ONNX Runtime's, fed its own inputs.

The model is cut at each of these tensors: what ONNX Runtime computed for it becomes an
input, which the nodes after it read, and what we compute an output. So one compilation
has all of them, each computed as in the whole model up to its rounding, and no
difference reaches the next.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import static_runtime as sr

from .cases import Array, several
from .sessions import make_session

_BYTES = (np.dtype(np.uint8), np.dtype(np.int8))


@dataclass(frozen=True)
class Agreement:
    """How many steps of a model are equal to ONNX Runtime's, or nearly so."""

    tensors: int
    apart: int
    """How many of the tensors have a step that is off by more than one."""
    equal: float
    """The part of all steps that are the same."""


def bare_session(model: Any) -> Any:
    """ONNX Runtime with a model as it stands: each node is computed by itself."""
    return make_session(model.SerializeToString(), optimizes=False)


def every_value(model: Any, feed: Mapping[str, Array]) -> dict[str, Array]:
    """What ONNX Runtime computes for each value of a model."""
    onnx: Any = import_module("onnx")
    whole = onnx.ModelProto()
    whole.CopyFrom(model)
    own = {each.name for each in whole.graph.output}
    for node in model.graph.node:
        more = [each for each in node.output if each and each not in own]
        whole.graph.output.extend(onnx.ValueInfoProto(name=each) for each in more)
    names = [each.name for each in whole.graph.output]
    found = bare_session(whole).run(None, dict(feed))
    return {**feed, **dict(zip(names, found, strict=True))}


def cut_at_steps(model: Any, values: Mapping[str, Array]) -> tuple[Any, list[str]]:
    """The model cut at its quantised tensors, and the names of what it was cut at."""
    onnx: Any = import_module("onnx")
    cut = onnx.ModelProto()
    cut.CopyFrom(model)
    graph = cut.graph
    names = [
        name
        for node in graph.node
        if any(values[each].dtype in _BYTES for each in node.output if each)
        for name in node.output
    ]
    for node in graph.node:
        for number, name in enumerate(node.input):
            if name in names:
                node.input[number] = f"{name}.given"
    del graph.output[:], graph.value_info[:]
    for name in names:
        array = values[name]
        kind = onnx.helper.np_dtype_to_tensor_dtype(array.dtype)
        make = onnx.helper.make_tensor_value_info
        graph.input.append(make(f"{name}.given", kind, array.shape))
        graph.output.append(make(name, kind, array.shape))
    return cut, names


def agreement_of(path: Path, feed: Mapping[str, Array]) -> Agreement:
    """Compares the steps of a model, fed one set of inputs."""
    model: Any = import_module("onnx").load(path)
    values = every_value(model, feed)
    cut, names = cut_at_steps(model, values)
    module = sr.compile(cut, options=sr.Options(cache=False, threads=1))
    inputs = [*feed.values(), *(values[name] for name in names)]
    tensors = apart = steps = same = 0
    for got, name in zip(several(module(*inputs)), names, strict=True):
        wanted = values[name]
        if wanted.dtype not in _BYTES:
            continue
        off = np.abs(got.astype(np.int64) - wanted.astype(np.int64))
        tensors += wanted.ndim > 0
        apart += bool((off > 1).any())
        steps, same = steps + off.size, same + int((off == 0).sum())
    return Agreement(tensors, apart, same / max(steps, 1))
