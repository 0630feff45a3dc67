"""
Print how much memory a process needs to serve a model.

    python -m bench.resident                  resnet50, mobilenet_v2, minilm, lstm
    python -m bench.resident densenet121      other models of the suite

Each way to run a model has a fresh process, which imports it, loads or compiles the
ONNX file, and calls it twice with one thread. Printed are the MiB that are resident
then, and in brackets the most that were, over those of Python with numpy and the
inputs. `folder` is what `sr-build` made of the model, beside which neither the compiler
nor LLVM is needed. A peer that is not installed has `-` in its place. Linux only: it
reads /proc.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from .cases import Case
from .fresh import in_a_process
from .peers import PEERS, Call

MODELS = ("resnet50", "mobilenet_v2", "minilm", "lstm")

OURS = ("ours", "folder")

WAYS = (*OURS, "onnxruntime", "openvino")
"""Ours, and packages of peers."""

SERVED = "served"
"""The package that `sr-build` makes."""

MIB = 1 << 20


def resident() -> tuple[float, float]:
    """The MiB of this process that are in memory, and the most that ever were."""
    lines = Path("/proc/self/status").read_text().splitlines()
    found = dict(each.split(":", 1) for each in lines)
    now, most = (int(found[key].split()[0]) / 1024 for key in ("VmRSS", "VmHWM"))
    return now, most


def loaded(case: Case, way: str) -> Call:
    """A call of a model of this way."""
    if way != "folder":
        return PEERS[way](case, 1)
    sys.path.insert(0, str(case.folder))
    model, inputs = import_module(SERVED).load("model.sr"), case.inputs()
    return lambda: model(*inputs)


def once(case: Case, way: str) -> Sequence[float]:
    """The MiB that are resident after two calls, and the most, in this process."""
    held = case.inputs()
    # What numpy loads at the first product belongs to numpy.
    np.matmul(np.ones((64, 64), np.float32), np.ones((64, 64), np.float32))
    before, _ = resident()
    call = loaded(case, way)
    for _ in range(2):
        call()
    found = [each - before for each in resident()]
    del held
    return found


def cell(case: Case, way: str, cache: str) -> str:
    """What a way needs, as text."""
    if way not in OURS and find_spec(way) is None:
        return "-"
    words = ["-m", "bench.resident", "--once", way, case.name]
    now, most = in_a_process(cache, *words, "--folder", str(case.folder))
    return f"{now:.0f} ({most:.0f})"


def line(name: str, ways: Sequence[str]) -> str:
    """A row of the table."""
    # What is measured imports none of this.
    import static_runtime as sr
    from static_runtime.compiler.runtime_folder import build_runtime

    from .cases import suite_case

    with TemporaryDirectory() as folder, TemporaryDirectory() as cache:
        case = suite_case(name, Path(folder))
        options = sr.Options(cache=False, threads=1)
        build_runtime(case.model, ["host"], case.folder / SERVED, options)
        file = case.model.stat().st_size / MIB
        texts = [cell(case, way, cache) for way in ways]
    return f"| {name} | {file:.0f} | {' | '.join(texts)} |"


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--once", help="print what one way needs for a model")
    parser.add_argument("--folder", default="")
    given = parser.parse_args()
    if given.once:
        case = Case(Path(given.folder), given.models[0])
        print(json.dumps(once(case, given.once)))
        return
    print(f"| model | file | {' | '.join(WAYS)} |")
    print(f"| {' | '.join('---' for _ in range(2 + len(WAYS)))} |")
    for name in given.models:
        print(line(name, WAYS), flush=True)


if __name__ == "__main__":
    main()
