"""A model of rows with two inputs and two outputs, and rows for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import static_runtime as sr

ROWS = 1000

_TEXT = """
func.func @main(%x: tensor<?x2x3xf32, ["n"]>, %scale: tensor<?xf32, ["n"]>)
  -> (tensor<?x2x3xf32, ["n"]>, tensor<?xf32, ["n"]>)
  attributes {graph.output_names = ["y", "size"]} {
  %0 = graph.exp %x : tensor<?x2x3xf32, ["n"]> -> tensor<?x2x3xf32, ["n"]>
  %1 = graph.exp %scale : tensor<?xf32, ["n"]> -> tensor<?xf32, ["n"]>
  return %0, %1 : tensor<?x2x3xf32, ["n"]>, tensor<?xf32, ["n"]>
}
"""


def module_of(text: str = _TEXT) -> sr.StaticModule:
    """The model, compiled."""
    return sr.compile(text, options=sr.Options(threads=1))


def inputs_of(rows: int = ROWS) -> list[npt.NDArray[np.float32]]:
    """Numbers for both inputs."""
    random = np.random.default_rng(21)
    return [random.random((rows, 2, 3), np.float32), random.random(rows, np.float32)]


def table_of(rows: int = ROWS) -> Any:
    """A table of Arrow with the inputs and a number for each row."""
    import pyarrow as pa

    x, scale = inputs_of(rows)
    lists: Any = pa.FixedSizeListArray.from_arrays(pa.array(x.reshape(-1)), 6)
    columns = {"id": np.arange(rows), "x": lists, "scale": scale}
    made: Any = pa
    return made.table(columns)


def assert_scored(rows: Any) -> None:
    """Each row of a table of pandas came once, in order, with the bits of a call."""
    x, scale = inputs_of(len(rows))
    y, size = module_of()(x, scale)
    np.testing.assert_array_equal(rows["id"], np.arange(len(rows)))
    np.testing.assert_array_equal(np.stack(rows["y"]), y.reshape(len(rows), 6))
    np.testing.assert_array_equal(rows["size"], size)
