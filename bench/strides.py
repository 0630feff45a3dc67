"""
Measure reads and writes of elements a few apart beside another version, or the peers.

    python -m bench.strides --before ../another-checkout
    python -m bench.strides

Slices, rows shorter than a vector that are combined or normalized, pools with channels
first, and channels that become blocks of an image.
Rows of the table are those of `python -m bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from onnx import TensorProto, helper, numpy_helper, save

from .cases import Case
from .rows import print_rows

Array: TypeAlias = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Strided:
    """One node that reads or writes elements of a tensor that are a few apart."""

    shape: tuple[int, ...]
    op: str
    computed: Callable[[Array], Array]
    """The result in numpy."""

    inputs: tuple[Sequence[int], ...] = ()
    """The inputs after the first."""

    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    dtype: type[np.generic] = np.float32

    def case(self, name: str, folder: Path) -> Case:
        """The model as a file, with its input and result."""
        case = Case(folder, name)
        random = np.random.default_rng(0)
        x = (random.standard_normal(self.shape) * 9).astype(self.dtype)
        result = np.ascontiguousarray(self.computed(x))
        element = helper.np_dtype_to_tensor_dtype(x.dtype)
        assert element != TensorProto.UNDEFINED, "ONNX has the element type"
        infos = [
            helper.make_tensor_value_info(each, element, array.shape)
            for each, array in (("in0", x), ("y", result))
        ]
        constants = [
            numpy_helper.from_array(np.asarray(each, np.int64), f"c{number}")
            for number, each in enumerate(self.inputs)
        ]
        names = ["in0", *(each.name for each in constants)]
        node = helper.make_node(self.op, names, ["y"], **self.attributes)
        graph = helper.make_graph([node], name, infos[:1], infos[1:], constants)
        opset = helper.make_opsetid("", 18)
        save(helper.make_model(graph, opset_imports=[opset], ir_version=9), case.model)
        case.keep([x], [result])
        return case


def sliced(
    step: int, count: int = 512, dtype: type[np.generic] = np.float32
) -> Strided:
    """Elements of rows that are `step` apart."""
    bounds = [[0], [1 << 40]] if step > 0 else [[-1], [-(1 << 40)]]
    return Strided(
        (512, count * abs(step)),
        "Slice",
        lambda x: x[:, ::step],
        (*bounds, [1], [step]),
        dtype=dtype,
    )


def combined(op: str, count: int, by: Callable[..., Array]) -> Strided:
    """Rows of so few elements, combined each."""
    total = partial(by, axis=1)
    return Strided((20000, count), op, total, ([1],), {"keepdims": 0})


def softmax(count: int) -> Strided:
    """Rows of so few elements, each a softmax."""

    def computed(x: Array) -> Array:
        powers = np.exp(x - x.max(1, keepdims=True))
        return powers / powers.sum(1, keepdims=True)

    return Strided((20000, count), "Softmax", computed, (), {"axis": -1})


def normalized(count: int) -> Strided:
    """Rows of so few elements, each divided by its length."""

    def computed(x: Array) -> Array:
        return x / np.sqrt((x * x).sum(1, keepdims=True))

    return Strided((20000, count), "LpNormalization", computed, (), {"axis": -1})


def pooled(step: int, dtype: type[np.generic] = np.float32) -> Strided:
    """The largest of windows of three by three, with channels first."""

    def largest(x: Array) -> Array:
        return sliding_window_view(x, (3, 3), (2, 3))[:, :, ::step, ::step].max((4, 5))

    attributes = {"kernel_shape": [3, 3], "strides": [step, step]}
    return Strided((1, 64, 114, 114), "MaxPool", largest, (), attributes, dtype)


def shuffled(block: int, dtype: type[np.generic] = np.float32) -> Strided:
    """Channels moved into blocks of an image, which are written by turns."""

    def moved(x: Array) -> Array:
        batch, channels, height, width = x.shape
        parts = x.reshape(batch, -1, block, block, height, width)
        turned = parts.transpose(0, 1, 4, 2, 5, 3)
        shape = batch, channels // block**2, height * block, width * block
        return turned.reshape(shape)

    attributes = {"blocksize": block, "mode": "CRD"}
    shape = 1, 16 * block**2, 56, 56
    return Strided(shape, "DepthToSpace", moved, (), attributes, dtype)


STRIDES: Mapping[str, Strided] = MappingProxyType(
    {
        "every_2nd": sliced(2),
        "every_3rd": sliced(3),
        "every_2nd_f16": sliced(2, dtype=np.float16),
        "every_2nd_i8": sliced(2, dtype=np.int8),
        "backwards": sliced(-1),
        "sum_of_3": combined("ReduceSum", 3, np.sum),
        "sum_of_4": combined("ReduceSum", 4, np.sum),
        "max_of_3": combined("ReduceMax", 3, np.max),
        "max_of_8": combined("ReduceMax", 8, np.max),
        "softmax_of_3": softmax(3),
        "softmax_of_8": softmax(8),
        "normalized_4": normalized(4),
        "pool_by_1": pooled(1),
        "pool_by_2": pooled(2),
        "pool_by_2_f16": pooled(2, np.float16),
        "shuffle_by_2": shuffled(2),
        "shuffle_by_3": shuffled(3),
        "shuffle_by_2_f16": shuffled(2, np.float16),
    }
)


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each read."""
    print_rows({name: each.case for name, each in STRIDES.items()}, args)


if __name__ == "__main__":
    main()
