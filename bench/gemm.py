"""
Time contractions beside numpy and ONNX Runtime, and beside what the machine can do.

    python -m bench.gemm
    python -m bench.gemm gemm_1024 gemv_4096

All on one thread, in turns, in one process. Times are of the processor for this thread,
so that what else the machine does is not counted, and medians of many turns; the peak,
of multiply-adds on registers and of reading memory, is measured by the same rule in the
same turns.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Before numpy is imported, which looks at them.
os.environ["OPENBLAS_NUM_THREADS"] = os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

import static_runtime as sr
from static_runtime.compiler.profiling.limits import Limits, clock

from .sessions import make_session

try:
    import onnxruntime
except ImportError:
    onnxruntime = None


@dataclass(frozen=True)
class Case:
    """A product MxK times KxN, or a stack of them; KxN may be a constant."""

    name: str
    rows: int
    columns: int
    depth: int
    constant: bool = True
    stack: int = 1
    symbolic: bool = False
    """Whether the rows are a symbol when it is compiled."""

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return 2 * self.stack * self.rows * self.columns * self.depth

    @property
    def bytes(self) -> int:
        """Bytes of what is read but once."""
        return 4 * self.stack * self.columns * self.depth


CASES = (
    Case("gemm_64", 64, 64, 64),
    Case("gemm_128", 128, 128, 128),
    Case("gemm_256", 256, 256, 256),
    Case("gemm_512", 512, 512, 512),
    Case("gemm_1024", 1024, 1024, 1024),
    Case("gemm_2048", 2048, 2048, 2048),
    Case("gemm_256_dyn", 256, 256, 256, constant=False),
    Case("gemm_1024_dyn", 1024, 1024, 1024, constant=False),
    Case("gemm_2048_dyn", 2048, 2048, 2048, constant=False),
    Case("symbol_1024", 1024, 1024, 1024, symbolic=True),
    Case("symbol_1", 1, 1024, 1024, symbolic=True),
    Case("gemv_4096", 1, 4096, 4096),
    Case("gemv_dyn", 1, 4096, 4096, constant=False),
    Case("lstm_step", 1, 1024, 256),
    Case("rows_2", 2, 1024, 1024),
    Case("rows_4", 4, 1024, 1024),
    Case("rows_7", 7, 512, 4608),
    Case("odd_1000", 100, 1000, 777),
    Case("pixels", 784, 128, 512),
    Case("few_columns", 64, 10, 128),
    Case("bert_ffn", 128, 3072, 768),
    Case("scores", 128, 128, 64, constant=False, stack=12),
    Case("values", 128, 64, 128, constant=False, stack=12),
)

SECONDS = 1.0
"""How long one case is measured, at least."""

ROUNDS = 7
"""How many turns each has, at least."""


def model_of(case: Case) -> tuple[ModelProto, list[Any]]:
    """An ONNX model of one product, and inputs for it."""
    random = np.random.default_rng(0)
    stack = [case.stack] if case.stack > 1 else []
    x = random.standard_normal((*stack, case.rows, case.depth)).astype(np.float32)
    w = random.standard_normal((*stack, case.depth, case.columns)).astype(np.float32)
    rows = "rows" if case.symbolic else case.rows

    def info(name: str, *shape: int | str) -> Any:
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, [*stack, *shape])

    inputs = [info("x", rows, case.depth)]
    if not case.constant:
        inputs.append(info("w", case.depth, case.columns))
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["y"])],
        case.name,
        inputs,
        [info("y", rows, case.columns)],
        [numpy_helper.from_array(w, "w")] if case.constant else [],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 9
    return model, [x, w]


def repeated(call: Callable[[], Any]) -> Callable[[], float]:
    """A function that measures a call, many of them if it is short."""
    call()
    times = max(1, int(2e-3 / clock(call)))

    def many() -> None:
        for _ in range(times):
            call()

    return lambda: clock(many) / times


def measure(case: Case, machine: Limits) -> str:
    """A line of the table."""
    model, (x, w) = model_of(case)
    compiled = sr.compile(model, options=sr.Options(threads=1))
    arrays = [x] if case.constant else [x, w]
    expected = np.matmul(x.astype(np.float64), w)
    error = float(np.abs(compiled(*arrays) - expected).max() / np.abs(expected).max())
    runs = [repeated(lambda: compiled(*arrays)), repeated(lambda: np.matmul(x, w))]
    if onnxruntime is not None:
        session = make_session(model.SerializeToString())
        feed: dict[str, Any] = dict(zip(("x", "w"), arrays, strict=False))
        runs.append(repeated(lambda: session.run(None, feed)))
    turns: list[list[float]] = []
    limits: list[tuple[float, float]] = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(turns) < ROUNDS:
        limits.append((machine.operations_a_second(), machine.bytes_read_a_second()))
        turns.append([run() for run in runs])
    times = [statistics.median(each) for each in zip(*turns, strict=True)]
    limit, widest = (statistics.median(each) for each in zip(*limits, strict=True))
    rates = [case.operations / each / 1e9 for each in times]
    limit /= 1e9
    rates += [0.0] * (3 - len(rates))
    others = " | ".join(f"{rate:.1f}" for rate in rates[1:])
    bandwidth = case.bytes / times[0] / widest
    return (
        f"| {case.name} | {times[0] * 1e6:.1f} | {rates[0]:.1f} | "
        f"{rates[0] / limit:.0%} | {bandwidth:.0%} | {others} | {error:.0e} |"
    )


def main() -> None:
    """Prints a table of the cases that are named, or of all."""
    machine = Limits()
    flops = max(machine.operations_a_second() for _ in range(9))
    reads = max(machine.bytes_read_a_second() for _ in range(9))
    print(f"peak {flops / 1e9:.1f} GFLOP/s, reading {reads / 1e9:.1f} GB/s; GFLOP/s:\n")
    print("| case | us | ours | of peak | of reading | numpy | ONNX Runtime | error |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for case in CASES:
        if not sys.argv[1:] or case.name in sys.argv[1:]:
            print(measure(case, machine), flush=True)


if __name__ == "__main__":
    main()
