"""Models whose files become those of another model while they are compiled."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import external_data_helper, helper, numpy_helper

import static_runtime as sr
from static_runtime.compiler import compile as compiling
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.runtime.files.safetensors import write

SIZE = 2048
"""Elements of a weight: enough for it to stay where it is in a file."""

X = np.zeros(SIZE, np.float32)

TEXT = """
builtin.module attributes {graph.weights = "w"} {
  func.func @weighted(%x: tensor<2048xf32>) -> tensor<2048xf32> {
    %0 = graph.weight "w" : tensor<2048xf32>
    %1 = graph.NAME %x, %0 : tensor<2048xf32>, tensor<2048xf32> -> tensor<2048xf32>
    return %1 : tensor<2048xf32>
  }
}
"""


def weight(value: float) -> Any:
    """A weight that is one number everywhere."""
    return np.full(SIZE, value, np.float32)


def onnx_model(op: str, value: float, outside: bool) -> bytes:
    """A model of one op, with its weight inside or beside it."""
    vector = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [SIZE])
    result = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [SIZE])
    stored = numpy_helper.from_array(weight(value), "w")
    if outside:
        external_data_helper.set_external_data(stored, "w", 0, 4 * SIZE)
        stored.ClearField("raw_data")
        stored.data_location = onnx.TensorProto.EXTERNAL
    node = helper.make_node(op, ["x", "w"], ["y"])
    graph = helper.make_graph([node], "g", [vector], [result], [stored])
    opset = helper.make_opsetid("", 20)
    return helper.make_model(graph, opset_imports=[opset]).SerializeToString()


def sidecar(folder: Path, value: float) -> bytes:
    """A safetensors file with a weight."""
    write(folder / "made", {"w": weight(value)})
    data = (folder / "made").read_bytes()
    (folder / "made").unlink()
    return data


@dataclass(frozen=True)
class Pair:
    """Two models that differ in the bytes of one file."""

    model: str
    """The name of the model."""

    changed: str
    """The name of the file that differs."""

    rest: Mapping[str, bytes]
    """The other files."""

    contents: tuple[bytes, bytes]
    answers: tuple[float, float]


def pairs(folder: Path) -> dict[str, Pair]:
    """A pair for each way in which a model reads a file."""
    add, subtract = (TEXT.replace("NAME", name).encode() for name in ("add", "sub"))
    first, second = sidecar(folder, 1), sidecar(folder, 2)
    plain = weight(1).tobytes(), weight(2).tobytes()
    beside = onnx_model("Add", 0, True)
    whole = onnx_model("Add", 1, False), onnx_model("Add", 2, False)
    return {
        "text": Pair("m.mlir", "m.mlir", {"w": first}, (add, subtract), (1, -1)),
        "sidecar": Pair("m.mlir", "w", {"m.mlir": add}, (first, second), (1, 2)),
        "model": Pair("m.onnx", "m.onnx", {}, whole, (1, 2)),
        "external": Pair("m.onnx", "w", {"m.onnx": beside}, plain, (1, 2)),
    }


def replace(path: Path, data: bytes) -> None:
    """Puts another file in the place of one."""
    path.with_name("new").write_bytes(data)
    path.with_name("new").replace(path)


def overwrite(path: Path, data: bytes) -> None:
    """Writes into a file as it stands; that shows, however coarse its clock is."""
    before = path.stat().st_mtime_ns if path.exists() else 0
    path.touch()
    with path.open("r+b") as file:
        file.write(data)
    os.utime(path, ns=(before + 10**9, before + 10**9))


WAYS: dict[str, Callable[[Path, bytes], None]] = {
    "replaced": replace,
    "overwritten": overwrite,
}

MOMENTS: dict[str, tuple[Any, str]] = {
    "looked for": (Compilation, "find"),
    "read": (Compilation, "front_end"),
    "compiled": (Driver, "compile"),
    "kept": (compiling, "keep_artifact"),
}
"""The call just before which a file is changed."""


def change_at(
    moment: str, action: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lets `action` happen once, just before a call."""
    owner, name = MOMENTS[moment]
    original = getattr(owner, name)

    def changed(self: Any, *arguments: Any) -> Any:
        monkeypatch.setattr(owner, name, original)
        action()
        return original(self, *arguments)

    monkeypatch.setattr(owner, name, changed)


def answer(path: Path) -> float:
    """What a model computes of zeros: one number, as nothing is mixed."""
    (result,) = {*sr.compile(path)(X).tolist()}
    return result
