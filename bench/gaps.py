"""
Measure models that once took longer than the peers, beside them.

    python -m bench.gaps
    python -m bench.gaps boxes_60 --peers ours,onnxruntime
    python -m bench.gaps --before ../another-checkout

Convolutions of few channels over a large image; a long short-term memory written out
step by step, whose weights all steps share; and non-maximum suppression of few boxes,
most of whose time does not depend on their number. Rows of the table are those of
`python -m bench`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from onnx import TensorProto, helper

from .cases import Array, Case
from .onnx_graph import Graph
from .rows import print_rows

Maker: TypeAlias = Callable[[str, Path], Case]
"""What makes a case of its name, and of a folder for its model."""


def _keep(case: Case, model: bytes, inputs: Sequence[Array], result: Array) -> Case:
    """A case with the files of its model, whose inputs are in0, in1, …, and arrays."""
    case.model.write_bytes(model)
    case.keep(inputs, [result])
    return case


def convolutions(channels: Sequence[int], height: int, width: int) -> Maker:
    """3x3 convolutions from some channels to the next ones, each with a ReLU."""

    def case(name: str, folder: Path) -> Case:
        random, graph = np.random.default_rng(0), Graph()
        x = random.standard_normal((1, channels[0], height, width)).astype("f")
        value, result = graph.input("in0", x.shape), x
        for before, after in pairwise(channels):
            filters = random.standard_normal((after, before, 3, 3)).astype("f")
            filters /= np.float32(np.sqrt(9 * before))
            weight = graph.weight(filters)
            value = graph.add("Conv", value, weight, pads=[1, 1, 1, 1])
            value = graph.add("Relu", value)
            result = np.maximum(_convolved(result, filters), 0)
        return _keep(Case(folder, name), graph.model(value), [x], result)

    return case


def _convolved(x: Array, filters: Array) -> Array:
    """f32[1, c, y, x] with f32[d, c, 3, 3] and zeros around -> f32[1, d, y, x]."""
    _, _, height, width = x.shape
    padded = np.pad(x[0], ((0, 0), (1, 1), (1, 1)))
    taps = (
        np.tensordot(filters[:, :, i, j], padded[:, i : i + height, j : j + width], 1)
        for i in range(3)
        for j in range(3)
    )
    return np.sum([*taps], axis=0)[None]


def cells(steps: int, width: int) -> Maker:
    """A long short-term memory for one signal, written out step by step."""

    def case(name: str, folder: Path) -> Case:
        random, graph = np.random.default_rng(0), Graph()
        x = random.standard_normal((steps, 1, width)).astype("f")
        scale = np.float32(width**-0.5)
        of_inputs, of_states = (
            random.standard_normal((width, 4 * width)).astype("f") * scale
            for _ in range(2)
        )
        bias = random.standard_normal(4 * width).astype("f")
        value = graph.input("in0", x.shape)
        weights = [graph.weight(each) for each in (of_inputs, of_states, bias)]
        hidden = cell = graph.weight(np.zeros((1, width), "f"))
        state = memory = np.zeros((1, width), "f")
        for step in range(steps):
            at = graph.weight(np.int64(step))
            one = graph.add("Gather", value, at, axis=0)
            hidden, cell = _step(graph, one, hidden, cell, weights)
            gates = x[step] @ of_inputs + state @ of_states + bias
            i, f, g, o = np.split(gates, 4, 1)
            memory = _sigmoid(f) * memory + _sigmoid(i) * np.tanh(g)
            state = _sigmoid(o) * np.tanh(memory)
        return _keep(Case(folder, name), graph.model(hidden), [x], state)

    return case


def _sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def _step(
    graph: Graph, x: str, hidden: str, cell: str, weights: Sequence[str]
) -> tuple[str, str]:
    """Adds the nodes of a step; the state and the memory after it."""
    of_inputs, of_states, bias = weights
    sums = graph.add(
        "Add",
        graph.add("MatMul", x, of_inputs),
        graph.add("MatMul", hidden, of_states),
    )
    parts = graph.add(
        "Split", graph.add("Add", sums, bias), results=4, axis=1, num_outputs=4
    )
    i, f, o = (graph.add("Sigmoid", f"{parts}.{at}") for at in (0, 1, 3))
    fresh = graph.add("Mul", i, graph.add("Tanh", f"{parts}.2"))
    cell = graph.add("Add", graph.add("Mul", f, cell), fresh)
    return graph.add("Mul", o, graph.add("Tanh", cell)), cell


def boxes(count: int) -> Maker:
    """Non-maximum suppression of so few boxes of one class."""
    most, overlap, least = 100, 0.5, 0.3

    def case(name: str, folder: Path) -> Case:
        random = np.random.default_rng(0)
        corners = random.random((count, 2)) * 10
        sides = random.random((count, 2)) + 0.5
        found = np.concatenate([corners, corners + sides], 1).astype("f")[None]
        scores = random.random((1, 1, count)).astype("f")
        limits = (np.int64(most), np.float32(overlap), np.float32(least))
        infos = [
            helper.make_tensor_value_info(f"in{at}", TensorProto.FLOAT, each.shape)
            for at, each in enumerate((found, scores))
        ]
        names = [f"limit{at}" for at in range(3)]
        weights = [
            helper.make_tensor(
                at, helper.np_dtype_to_tensor_dtype(each.dtype), [1], [each.item()]
            )
            for at, each in zip(names, limits, strict=True)
        ]
        node = helper.make_node("NonMaxSuppression", ["in0", "in1", *names], ["y"])
        output = helper.make_tensor_value_info("y", TensorProto.INT64, [None, 3])
        graph = helper.make_graph([node], name, infos, [output], weights)
        opset = helper.make_opsetid("", 17)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=9)
        kept = _kept(found[0], scores[0, 0], most, overlap, least)
        inputs = [found, scores]
        return _keep(Case(folder, name), model.SerializeToString(), inputs, kept)

    return case


def _kept(
    found: Array, scores: Array, most: int, overlap: float, least: float
) -> Array:
    """The boxes that are kept: i64[n, 3] of batch, class and box, the best first."""
    areas = np.prod(found[:, 2:] - found[:, :2], axis=1)
    kept: list[int] = []
    for each in np.argsort(-scores, kind="stable"):
        if scores[each] <= least or len(kept) == most:
            break
        low = np.maximum(found[kept, :2], found[each, :2])
        high = np.minimum(found[kept, 2:], found[each, 2:])
        shared = np.prod(np.maximum(high - low, 0), axis=1)
        if not (shared > overlap * (areas[kept] + areas[each] - shared)).any():
            kept.append(int(each))
    return np.array([(0, 0, each) for each in kept], np.int64).reshape(-1, 3)


GAPS: Mapping[str, Maker] = MappingProxyType(
    {
        "convolutions_901": convolutions((1, 128, 64, 32), 901, 161),
        "cells_50": cells(50, 128),
        **{f"boxes_{count}": boxes(count) for count in (60, 400, 2000)},
    }
)
"""What is measured, by name."""


def main(args: Sequence[str] | None = None) -> None:
    """Prints a row for each case."""
    print_rows(GAPS, args)


if __name__ == "__main__":
    main()
