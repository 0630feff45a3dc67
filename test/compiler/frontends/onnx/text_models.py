"""Models of some nodes that texts go into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

import static_runtime as sr

ML = "ai.onnx.ml"

OWN = helper.make_node
"""A node of ONNX's own."""


def ml(op: str, inputs: Sequence[str], outputs: Sequence[str], **attributes: Any):
    """A node of `ai.onnx.ml`."""
    return helper.make_node(op, inputs, outputs, domain=ML, **attributes)


def texts(name: str, *values: str) -> TensorProto:
    """Stored texts."""
    data = [each.encode() for each in values]
    return helper.make_tensor(name, TensorProto.STRING, [len(values)], data)


def column(name: str, *shape: int | str) -> ValueInfoProto:
    """An input that is texts, `[n]` unless said otherwise."""
    return helper.make_tensor_value_info(name, TensorProto.STRING, shape or ["n"])


def model_of(
    nodes: Sequence[NodeProto],
    outputs: Sequence[str] = ("y",),
    inputs: Sequence[ValueInfoProto] = (column("x"),),
    stored: Sequence[TensorProto] = (),
    version: int = 3,
) -> ModelProto:
    """The model of some nodes, in a version of `ai.onnx.ml`."""
    results = [ValueInfoProto(name=each) for each in outputs]
    graph = helper.make_graph(nodes, "g", inputs, results, stored)
    opsets = [helper.make_opsetid("", 19), helper.make_opsetid(ML, version)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9)


def compiled(*given: Any, **more: Any) -> sr.StaticModule:
    """The module of a model."""
    return sr.compile(model_of(*given, **more), options=sr.Options(cache=False))


def looked_up(keys: Mapping[Any, Any], x: Any, default: Any) -> list[Any]:
    """The values of keys, in Python."""
    return [keys.get(each, default) for each in np.asarray(x).tolist()]
