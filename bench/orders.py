"""
Measure sorts and top-k beside another version of this compiler, or beside the peers.

    python -m bench.orders --before ../another-checkout
    python -m bench.orders

Elements are random, or rise along their rows: then each comes before all those that a
heap of the greatest has. Rows of the table are those of `python -m bench`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from onnx import helper, numpy_helper, save

from .cases import Array, Case
from .peers import OURS
from .rows import print_rows


@dataclass(frozen=True)
class Order:
    """The greatest elements of rows, which are random or rise."""

    rows: int
    size: int
    count: int
    dtype: str = "float32"
    rises: bool = False

    def input(self) -> Array:
        """The rows."""
        shape = (self.rows, self.size)
        x = np.random.default_rng(0).standard_normal(shape).astype(self.dtype)
        return np.sort(x, 1) if self.rises else x

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with inputs and results."""
        case, x = Case(folder, name), self.input()
        indices = np.argsort(-x, 1, kind="stable")[:, : self.count]
        results = [np.take_along_axis(x, indices, 1), indices]
        known = zip(("in0", "y", "i"), (x, *results), strict=True)
        infos = [
            helper.make_tensor_value_info(
                name, helper.np_dtype_to_tensor_dtype(each.dtype), each.shape
            )
            for name, each in known
        ]
        k = numpy_helper.from_array(np.array([self.count]), "k")
        node = helper.make_node("TopK", ["in0", "k"], ["y", "i"])
        graph = helper.make_graph([node], name, infos[:1], infos[1:], [k])
        opset = helper.make_opsetid("", 17)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), case.model)
        case.keep([x], results)
        return case


ORDERS: Mapping[str, Order] = MappingProxyType(
    {
        "detections": Order(1, 8400, 300),
        "detections_rise": Order(1, 8400, 300, rises=True),
        "classes": Order(64, 1000, 5),
        "experts": Order(256, 64, 2),
        "many": Order(1, 8400, 2000),
        "sort_10": Order(1000, 10, 10),
        "sort_100": Order(1000, 100, 100),
        "sort_100000": Order(8, 100_000, 100_000),
        "sort_100000_f64": Order(8, 100_000, 100_000, "float64"),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each order."""
    makers = {name: each.case for name, each in ORDERS.items()}
    print_rows(makers, args, (OURS, "onnxruntime"))


if __name__ == "__main__":
    main()
