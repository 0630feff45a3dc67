"""
Time decoding with weights of 32, 8 and 4 bits, beside ONNX Runtime.

    python -m bench.weights                     two layers of width 2,048
    python -m bench.weights --threads 2 --rounds 20 --rows 64

A layer is that of a Llama: its seven products, with SwiGLU and residuals, of a row at a
time; attention is left out, which has no weights. Each round runs all modules in turns,
in one process: ours with weights as they are, with `Options(weights=...)`, with
`activations="int8"` too, and with `MatMulNBits` of 4 bits in blocks of 32, with the
`accuracy_level` 0 and 4, by which the other factor becomes bytes; and ONNX Runtime with
the same `MatMulNBits`. Printed are the bytes of the constants and the medians of the
time of a call, as ratios to those of f32; and the medians of ours to ONNX Runtime's in
each round.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from onnx import NodeProto, TensorProto, helper
from onnx.numpy_helper import from_array

import static_runtime as sr

from .cases import Array
from .sessions import make_session

BLOCK = 32
"""Rows of a block of `MatMulNBits`, as its quantiser has them unless it is told."""

OF_BYTES = 4
"""The `accuracy_level` by which the other factor becomes bytes."""

NODES = "MatMulNBits", f"MatMulNBits of level {OF_BYTES}"

Call = Callable[[Array], Any]


class Layers:
    """The products of some layers as an ONNX graph."""

    def __init__(
        self, layers: int, width: int, hidden: int, bits: int | None, level: int = 0
    ) -> None:
        """Layers with random weights of f32, or of some bits, and as exact as asked."""
        self.level = level
        self.bits, self.random = bits, np.random.default_rng(0)
        self.nodes: list[NodeProto] = []
        self.stored: dict[str, Array] = {}
        self.width = width
        x = "x"
        for _ in range(layers):
            query, key, value = (self.product(x, width, each) for each in (width,) * 3)
            mixed = self.add("Mul", self.add("Add", query, key), value)
            x = self.add("Add", x, self.product(mixed, width, width))
            gate = self.product(x, width, hidden)
            gate = self.add("Mul", gate, self.add("Sigmoid", gate))
            gate = self.add("Mul", gate, self.product(x, width, hidden))
            x = self.add("Add", x, self.product(gate, hidden, width))
        self.nodes.append(helper.make_node("Identity", [x], ["y"]))

    def add(self, op: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Adds a node; the name of its result."""
        name = f"{op}.{len(self.nodes)}"
        made = helper.make_node(op, inputs, [name], domain=domain, **attributes)
        self.nodes.append(made)
        return name

    def constant(self, array: Array) -> str:
        """The name of a constant."""
        name = f"constant.{len(self.stored)}"
        self.stored[name] = array
        return name

    def product(self, x: str, rows: int, columns: int) -> str:
        """The product with a weight."""
        size = np.float32(rows**-0.5)
        if self.bits is None:
            weight = self.random.standard_normal((rows, columns), np.float32) * size
            return self.add("MatMul", x, self.constant(weight))
        shape = columns, rows // BLOCK, BLOCK * self.bits // 8
        steps = self.random.integers(0, 256, shape).astype(np.uint8)
        scales = self.random.random(columns * rows // BLOCK, np.float32)
        scales = scales * size / (1 << (self.bits - 2))
        return self.add(
            "MatMulNBits",
            x,
            self.constant(steps),
            self.constant(scales),
            domain="com.microsoft",
            K=rows,
            N=columns,
            bits=self.bits,
            block_size=BLOCK,
            accuracy_level=self.level,
        )

    def model(self) -> bytes:
        """The model, of any number of rows."""

        def value(name: str) -> Any:
            type = TensorProto.FLOAT
            return helper.make_tensor_value_info(name, type, ["rows", self.width])

        stored = [from_array(array, name) for name, array in self.stored.items()]
        graph = helper.make_graph(
            self.nodes, "layers", [value("x")], [value("y")], stored
        )
        domains = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
        made = helper.make_model(graph, opset_imports=domains, ir_version=9)
        return made.SerializeToString()


def theirs(model: bytes, threads: int) -> Call:
    """A call of ONNX Runtime."""
    session = make_session(model, threads)
    return lambda x: session.run(None, {"x": x})[0]


def main() -> None:
    """Prints a line for each kind of weights."""
    parser = argparse.ArgumentParser(description="Time products with narrow weights.")
    parser.add_argument("--width", type=int, default=2048)
    parser.add_argument("--hidden", type=int, default=5632)
    parser.add_argument("--layers", type=int, default=2)
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=31)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    sizes = given.layers, given.width, given.hidden
    plain, *packed = (
        Layers(*sizes, bits, level).model()
        for bits, level in ((None, 0), (4, 0), (4, OF_BYTES))
    )
    calls: dict[str, Call] = {}
    constants: dict[str, int] = {}
    ours: list[tuple[str, bytes, dict[str, Any]]] = [("f32", plain, {})]
    for weights in ("int8", "int4"):
        chosen = {"weights": weights}
        ours.append((weights, plain, chosen))
        chosen = {**chosen, "activations": "int8"}
        ours.append((f"{weights}, activations too", plain, chosen))
    for name, model in zip(NODES, packed, strict=True):
        ours.append((name, model, {}))
    for name, model, chosen in ours:
        options = sr.Options(cache=False, threads=given.threads, **chosen)
        module = sr.compile(model, options=options)
        calls[name], constants[name] = module, module.report.constant_bytes
    for name, model in zip(NODES, packed, strict=True):
        calls[f"{name}, ONNX Runtime"] = theirs(model, given.threads)
    x = np.random.default_rng(1).standard_normal((given.rows, given.width), np.float32)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for number in range(given.rounds + 2):
        for name in calls if number % 2 else reversed(calls):
            start = time.perf_counter()
            calls[name](x)
            # The first rounds take memory and plans.
            if number > 1:
                times[name].append(time.perf_counter() - start)
    usual = statistics.median(times["f32"])
    print("| weights | bytes, of f32 | time, of f32 |\n| --- | --- | --- |")
    for name, found in times.items():
        share = f"{constants[name] / constants['f32']:.3f}" if name in constants else ""
        print(f"| {name} | {share} | {statistics.median(found) / usual:.2f} |")
    print()
    for name in NODES:
        pair = times[name], times[f"{name}, ONNX Runtime"]
        ratios = [a / b for a, b in zip(*pair, strict=True)]
        print(f"{name}, ours to ONNX Runtime: {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
