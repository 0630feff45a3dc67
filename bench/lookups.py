"""
Measure lookups beside another version of this compiler, or beside the peers.

    python -m bench.lookups --before ../another-checkout
    python -m bench.lookups --peers ours,onnxruntime

Gathers and scatters of single elements, where an index costs as much as what it finds,
and of rows. Rows of the table are those of `python -m bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from onnx import TensorProto, helper, save

from .cases import Array, Case
from .rows import print_rows

Shape: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Lookup:
    """One node, whose second operand holds indices below a bound."""

    op: str
    shapes: tuple[Shape, ...]
    bound: int
    expected: Callable[..., Array]
    axis: int = 0
    dtype: str = "int64"
    least: int = 0
    reduction: str | None = None

    def inputs(self) -> list[Array]:
        """Random numbers, and indices."""
        random = np.random.default_rng(0)
        arrays = [random.standard_normal(each).astype("f") for each in self.shapes]
        indices = random.integers(self.least, self.bound, self.shapes[1])
        return [arrays[0], indices.astype(self.dtype), *arrays[2:]]

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with inputs and results."""
        case, inputs = Case(folder, name), self.inputs()
        results = self.expected(*inputs)
        names = [f"in{number}" for number in range(len(inputs))]
        infos = [
            helper.make_tensor_value_info(
                each, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape
            )
            for each, array in zip(names, inputs, strict=True)
        ]
        output = helper.make_tensor_value_info("y", TensorProto.FLOAT, results.shape)
        node = helper.make_node(
            self.op, names, ["y"], axis=self.axis, reduction=self.reduction
        )
        graph = helper.make_graph([node], name, infos, [output])
        opset = helper.make_opsetid("", 17)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), case.model)
        case.keep(inputs, [results])
        return case


def rows(table: Array, indices: Array) -> Array:
    """The rows of a table."""
    return table[indices]


def elements(x: Array, indices: Array) -> Array:
    """An element of each line for every index."""
    return np.take_along_axis(x, indices.astype(np.int64), 1)


def added(x: Array, indices: Array, updates: Array) -> Array:
    """The sums of updates at places that may be the same."""
    result = x.copy()
    np.add.at(result, indices, updates)
    return result


SQUARE = ((64, 1024), (64, 1024))

LOOKUPS: Mapping[str, Lookup] = MappingProxyType(
    {
        "rows_768": Lookup("Gather", ((30000, 768), (128,)), 30000, rows),
        "rows_64": Lookup("Gather", ((3000, 64), (512,)), 3000, rows),
        "rows_1": Lookup("Gather", ((30000, 1), (5000,)), 30000, rows),
        "elements": Lookup("GatherElements", SQUARE, 1024, elements, 1),
        "elements_negative": Lookup(
            "GatherElements", SQUARE, 1024, elements, 1, least=-1024
        ),
        "elements_i32": Lookup("GatherElements", SQUARE, 1024, elements, 1, "int32"),
        "scatter_add": Lookup(
            "ScatterElements",
            ((1000,), (20000,), (20000,)),
            1000,
            added,
            reduction="add",
        ),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each lookup."""
    print_rows({name: each.case for name, each in LOOKUPS.items()}, args)


if __name__ == "__main__":
    main()
