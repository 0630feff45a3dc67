"""Small models, and what we and ONNX Runtime compute of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnxruntime
from onnx import ModelProto, parser

import static_runtime as sr

from .interpreter import Array


def contributed(text: str, opset: int = 18) -> ModelProto:
    """The model of `inputs | nodes`, of ONNX and of `com.microsoft`, that gives y."""
    inputs, _, body = text.partition("|")
    found = parser.parse_model(
        f'<ir_version: 9, opset_import: ["" : {opset}, "com.microsoft" : 1]>'
        f"g ({inputs}) => (float y) {{ {body} }}"
    )
    found.graph.output[0].ClearField("type")
    return found


def both(source: ModelProto, given: Mapping[str, Array]) -> tuple[Array, Array]:
    """What we compute of a model with one result, and what ONNX Runtime does."""
    got = sr.compile(source, options=sr.Options(threads=1, cache=False))(
        *given.values()
    )
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        source.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    (wanted,) = session.run(None, dict(given))
    return np.asarray(got), np.asarray(wanted)
