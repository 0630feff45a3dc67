"""
Random ONNX models of sizes that vary, node by node as ONNX Runtime accepts them.

A node is kept where ONNX Runtime computes it, with finite numbers, for both of two sets
of sizes; so what a model should give is known with it. Nodes are such as a difference
in the last bits makes little of: no rounding, no comparing.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Array: TypeAlias = npt.NDArray[Any]

_SIZES = ((2, 6, 9), (3, 11, 4))
"""What `n`, `h` and `w` are in each of both sets."""

_GREATEST = 1e4
_MOST_ELEMENTS = 100_000


@dataclass(frozen=True)
class _Value:
    """A tensor of the model, in each of both sets of sizes."""

    name: str
    arrays: tuple[Array, ...]

    @property
    def shape(self) -> list[int]:
        """The sizes, zero for those that vary."""
        pairs = zip(*(each.shape for each in self.arrays), strict=True)
        return [one if one == other else 0 for one, other in pairs]


class _Refused(Exception):
    """The node does not fit, or ONNX Runtime does not compute it."""


def _run(model: ModelProto, inputs: dict[str, Array]) -> list[Array]:
    """What ONNX Runtime computes, without changes of the graph."""
    options = onnxruntime.SessionOptions()
    none = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.graph_optimization_level = none
    options.intra_op_num_threads, options.log_severity_level = 1, 4
    data = model.SerializeToString()
    providers = ["CPUExecutionProvider"]
    session = onnxruntime.InferenceSession(data, options, providers=providers)
    return [np.asarray(each) for each in session.run(None, inputs)]


class RandomOnnx:
    """A model of some nodes, its inputs, and what it computes of them."""

    def __init__(self, seed: int, nodes: int = 14):
        """Makes the model of a seed."""
        self.random = random.Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.channels = self.random.choice((1, 4, 6, 16, 18))
        self.values = [_Value(name, tuple(map(self._image, _SIZES))) for name in "ab"]
        for _ in range(8 * nodes):
            if len(self.nodes) < nodes:
                self._try(self.random.choice(_MAKERS))

    def model(self, sizes: int | None = None) -> ModelProto:
        """The model for the sizes of a set, or with sizes that vary."""
        image: list[str | int] = ["n", self.channels, "h", "w"]
        if sizes is not None:
            image = list(self.values[0].arrays[sizes].shape)
        return self._model([(name, image) for name in "ab"], self.nodes, self.ends)

    def inputs(self, sizes: int) -> list[Array]:
        """The inputs of a set of sizes."""
        return [each.arrays[sizes] for each in self.values[:2]]

    def wanted(self, sizes: int) -> list[Array]:
        """What the model gives for a set of sizes."""
        found = {each.name: each.arrays[sizes] for each in self.values}
        return [found[name] for name in self.ends]

    @property
    def ends(self) -> list[str]:
        """The outputs: what no node reads, and the first that one does."""
        read = {name for node in self.nodes for name in node.input}
        made = [each.name for each in self.values[2:]]
        return [name for name in made if name not in read or name == made[0]]

    def node(self, op: str, *operands: _Value | Array, **attributes: Any) -> _Value:
        """Adds a node; arrays are constants."""
        names = [
            each.name if isinstance(each, _Value) else self._constant(each)
            for each in operands
        ]
        name = f"v{len(self.values)}"
        made = helper.make_node(op, names, [name], **attributes)
        given = [each for each in self.values if each.name in names]
        dims = [(each.name, [None] * each.arrays[0].ndim) for each in given]
        model = self._model(dims, [made], [name])
        found: list[Array] = []
        for sizes in (0, 1):
            try:
                found += _run(model, {e.name: e.arrays[sizes] for e in given})
            except Exception as error:
                raise _Refused from error
        if not all(map(_is_fit, found)):
            raise _Refused
        self.nodes.append(made)
        self.values.append(_Value(name, tuple(found)))
        return self.values[-1]

    def some(self, least: int = 1, most: int = 5) -> _Value:
        """A value with no fewer axes and no more, one of the last more likely."""
        found = [e for e in self.values if least <= e.arrays[0].ndim <= most]
        if not found:
            raise _Refused
        return self.random.choice(found[-3:] if self.random.random() < 0.7 else found)

    def weight(self, *shape: int) -> Array:
        """Numbers whose sums stay small."""
        count = max(1, int(np.prod(shape[1:])))
        return np.float32(count**-0.5) * self._normal(*shape)

    def axis(self, x: _Value) -> int:
        """One of the axes."""
        return self.random.randrange(x.arrays[0].ndim)

    def _normal(self, *shape: int) -> Array:
        return self.numbers.standard_normal(shape).astype(np.float32)

    def _image(self, sizes: tuple[int, int, int]) -> Array:
        return self._normal(sizes[0], self.channels, *sizes[1:])

    def _constant(self, array: Array) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _model(
        self, inputs: list[tuple[str, Any]], nodes: list[NodeProto], ends: list[str]
    ) -> ModelProto:
        kind = TensorProto.FLOAT
        read = {name for node in nodes for name in node.input}
        graph = helper.make_graph(
            nodes,
            "random",
            [helper.make_tensor_value_info(name, kind, dims) for name, dims in inputs],
            [helper.make_tensor_value_info(name, kind, None) for name in ends],
            [each for each in self.constants if each.name in read],
        )
        opsets = [helper.make_opsetid("", 21)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)

    def _try(self, make: Callable[[RandomOnnx], None]) -> None:
        try:
            make(self)
        except _Refused:
            return


def _is_fit(array: Array) -> bool:
    """Whether numbers are finite and not large, and not many."""
    fits = 0 < array.size <= _MOST_ELEMENTS and array.ndim <= 5
    return fits and bool(np.abs(array).max(initial=0) < _GREATEST)


def _conv(of: RandomOnnx) -> None:
    x, r = of.some(3, 5), of.random
    channels, spatial = x.shape[1], x.arrays[0].ndim - 2
    groups = r.choice(
        [each for each in (1, 2, channels) if each and not channels % each]
    )
    kernel = [r.choice((1, 2, 3)) for _ in range(spatial)]
    weight = of.weight(groups * r.choice((1, 2, 8)), channels // groups, *kernel)
    of.node(
        "Conv",
        x,
        weight,
        group=groups,
        pads=[r.choice((0, 1)) for _ in range(2 * spatial)],
        strides=[r.choice((1, 1, 2)) for _ in range(spatial)],
        dilations=[r.choice((1, 1, 2)) for _ in range(spatial)],
    )


def _matmul(of: RandomOnnx) -> None:
    x = of.some(2)
    if not x.shape[-1]:
        raise _Refused
    of.node("MatMul", x, of.weight(of.random.choice((1, 5, 16, 33)), x.shape[-1]).T)


def _scores(of: RandomOnnx) -> None:
    x = of.some(2)
    *outer, one, other = range(x.arrays[0].ndim)
    of.node("MatMul", x, of.node("Transpose", x, perm=[*outer, other, one]))


def _binary(of: RandomOnnx) -> None:
    of.node(of.random.choice(("Add", "Mul", "Sub")), of.some(0), of.some(0))


def _unary(of: RandomOnnx) -> None:
    of.node(of.random.choice(("Tanh", "Sigmoid", "Celu", "Relu", "Mish")), of.some(0))


def _reduced(of: RandomOnnx) -> None:
    names = ("ReduceSum", "ReduceMean", "ReduceMax", "ReduceLogSumExp", "ReduceL2")
    x = of.some()
    axes = np.array([of.axis(x)])
    of.node(of.random.choice(names), x, axes, keepdims=of.random.choice((0, 1)))


def _softmax(of: RandomOnnx) -> None:
    x = of.some()
    of.node("Softmax", x, axis=of.axis(x))


def _layer_norm(of: RandomOnnx) -> None:
    x = of.some(2)
    scale = of.weight(x.shape[-1])
    of.node("LayerNormalization", x, scale, epsilon=1e-2)


def _transposed(of: RandomOnnx) -> None:
    x = of.some(2)
    order = list(range(x.arrays[0].ndim))
    of.node("Transpose", x, perm=of.random.sample(order, len(order)))


def _expanded(of: RandomOnnx) -> None:
    x = of.some(0, 4)
    of.node("Expand", x, np.array([2, *[1] * x.arrays[0].ndim]))


def _sliced(of: RandomOnnx) -> None:
    x = of.some()
    start, end, step = of.random.choice(((-1, -99, -1), (1, 99, 2), (-1, -99, -2)))
    ends = (np.array([each]) for each in (start, end, of.axis(x), step))
    of.node("Slice", x, *ends)


def _joined(of: RandomOnnx) -> None:
    x = of.some()
    of.node("Concat", x, x, of.some(), axis=of.axis(x))


def _padded(of: RandomOnnx) -> None:
    x = of.some()
    pads = np.array([of.random.choice((0, 0, 1, -1)) for _ in range(2 * len(x.shape))])
    of.node("Pad", x, pads, mode=of.random.choice(("constant", "edge")))


_MAKERS: tuple[Callable[[RandomOnnx], None], ...] = (
    *(_conv, _conv, _conv, _matmul, _matmul, _scores, _binary, _binary, _unary),
    *(_reduced, _reduced, _softmax, _layer_norm, _transposed, _expanded, _expanded),
    *(_sliced, _joined, _padded),
)
