"""
Measure products of factors that a model moves first, beside another version or peers.

    python -m bench.moved_factors --before ../another-checkout
    python -m bench.moved_factors

Scores of attention, whose queries and keys lie by token and then by head, and matrices
that are transposed beside few rows and many. Rows of the table are those of
`python -m bench`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from onnx import TensorProto, helper, save

from .cases import Case
from .rows import print_rows


@dataclass(frozen=True)
class Moved:
    """A product of two f32 inputs, each with its axes in another order."""

    shapes: tuple[tuple[int, ...], tuple[int, ...]]
    orders: tuple[tuple[int, ...], tuple[int, ...]]

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with its inputs and result."""
        case, random = Case(folder, name), np.random.default_rng(0)
        x, y = (random.standard_normal(each).astype("f") for each in self.shapes)
        a, b = (each.transpose(o) for each, o in zip((x, y), self.orders, strict=True))
        result = a @ b
        infos = [
            helper.make_tensor_value_info(each, TensorProto.FLOAT, array.shape)
            for each, array in (("in0", x), ("in1", y), ("y", result))
        ]
        nodes = [
            helper.make_node("Transpose", [f"in{at}"], [f"t{at}"], perm=order)
            for at, order in enumerate(self.orders)
        ]
        nodes.append(helper.make_node("MatMul", ["t0", "t1"], ["y"]))
        graph = helper.make_graph(nodes, name, infos[:2], infos[2:])
        opset = helper.make_opsetid("", 17)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), case.model)
        case.keep([x, y], [result])
        return case


def scores(rows: int, keys: int, heads: int, size: int) -> Moved:
    """Scores of some rows of queries beside keys."""
    shapes = (rows, heads, size), (keys, heads, size)
    return Moved(shapes, ((1, 0, 2), (1, 2, 0)))


def beside(rows: int, side: int) -> Moved:
    """Rows beside a square matrix, which is transposed."""
    return Moved(((rows, side), (side, side)), ((0, 1), (1, 0)))


PRODUCTS: Mapping[str, Moved] = MappingProxyType(
    {
        "scores_128": scores(128, 128, 12, 64),
        "scores_512": scores(512, 512, 12, 64),
        "token_of_128": scores(1, 128, 16, 128),
        "token_of_2048": scores(1, 2048, 16, 128),
        "matrix_by_1": beside(1, 1024),
        "matrix_by_4": beside(4, 1024),
        "matrix_by_64": beside(64, 1024),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each product."""
    print_rows({name: each.case for name, each in PRODUCTS.items()}, args)


if __name__ == "__main__":
    main()
