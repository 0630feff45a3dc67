"""
Compare models as data over a library, whose kernels take all sizes, with compiled ones.

    python -m bench.libraries              a line for each model of the suite
    python -m bench.libraries --models resnet50 --rounds 30

Both run in turns, in one process, on one thread. Printed are the microseconds of a run
of the compiled model, the median ratio, the kernels and their bytes, and whether the
bits are the same. What a call from Python takes besides is not measured.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path
from platform import machine

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.library.data_model import make_data_model
from static_runtime.compiler.library.kernels import build_library, covered
from static_runtime.compiler.runtime_folder import interpreter_object
from static_runtime.runtime import call
from static_runtime.runtime.library.data_model import DataModel
from static_runtime.runtime.library.selection import Selection

from .suite import SUITE, export_onnx
from .turns import assert_same, in_turns, inputs_of

BURST = 0.02
"""Seconds of a round of one module."""

OPTIONS = sr.Options(threads=1, cache=False)


def over_library(path: Path, target: str) -> tuple[call.StaticModule, int, int]:
    """A model over the library of its own kernels; how many, and their bytes."""
    every = Selection(include_all_operators=True)
    made = make_data_model(path, OPTIONS)
    library = build_library(covered([made], every), every, target)
    data, known = DataModel.of(made.artifact), made.artifact
    module = call.module_of(
        *(
            known.program,
            data.link(library, interpreter_object(machine())),
            known.block,
            (),
            1,
        ),
        data.plans,
    )
    return module, len(library.objects), sum(map(len, library.objects.values()))


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", nargs="*", default=[*SUITE], choices=[*SUITE])
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    target = isa_name("host")
    ratios: list[float] = []
    print(f"{target}\n{'model':16} {'us':>9} {'ratio':>6} {'kernels':>7} {'bytes':>8}")
    for name in arguments.models:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.onnx"
            export_onnx(SUITE[name], path, dynamic=False)
            module, count, size = over_library(path, target)
            known = sr.compile(path, target=target, options=OPTIONS)
        inputs = inputs_of(known)
        assert_same((module, known), inputs)
        pairs = in_turns((module, known), inputs, arguments.rounds, BURST)
        ratio = statistics.median(one / other for one, other in pairs)
        ratios.append(ratio)
        time = statistics.median(other for _, other in pairs) * 1e6
        print(f"{name:16} {time:9.1f} {ratio:6.2f} {count:7} {size:8}", flush=True)
    print(f"median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main()
