"""
Measure transposes beside another version of this compiler, or beside the peers.

    python -m bench.transposes --before ../another-checkout
    python -m bench.transposes

Matrices, keys of attention, images to channels last and back, and axes in reverse.
Rows of the table are those of `python -m bench`.
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
class Transpose:
    """One node that moves the axes of an f32 tensor."""

    shape: tuple[int, ...]
    order: tuple[int, ...]

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with its input and result."""
        case = Case(folder, name)
        x = np.random.default_rng(0).standard_normal(self.shape).astype("f")
        result = np.ascontiguousarray(x.transpose(self.order))
        infos = [
            helper.make_tensor_value_info(each, TensorProto.FLOAT, array.shape)
            for each, array in (("in0", x), ("y", result))
        ]
        node = helper.make_node("Transpose", ["in0"], ["y"], perm=self.order)
        graph = helper.make_graph([node], name, infos[:1], infos[1:])
        opset = helper.make_opsetid("", 17)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), case.model)
        case.keep([x], [result])
        return case


TRANSPOSES: Mapping[str, Transpose] = MappingProxyType(
    {
        "matrix_1024": Transpose((1024, 1024), (1, 0)),
        "matrices_64x512": Transpose((64, 512, 512), (0, 2, 1)),
        "keys": Transpose((12, 128, 32), (0, 2, 1)),
        "keys_of_heads": Transpose((1, 128, 12, 32), (0, 2, 3, 1)),
        "channels_first": Transpose((8, 56, 56, 64), (0, 3, 1, 2)),
        "channels_last": Transpose((8, 64, 56, 56), (0, 2, 3, 1)),
        "reverse_100": Transpose((100, 100, 100), (2, 1, 0)),
        "image_3": Transpose((1, 3, 224, 224), (0, 2, 3, 1)),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each transpose."""
    print_rows({name: each.case for name, each in TRANSPOSES.items()}, args)


if __name__ == "__main__":
    main()
