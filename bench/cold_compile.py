"""
Print the processor seconds of a compilation with empty caches: LLVM's, and Python's.

    python -m bench.cold_compile                   the models of docs/performance.md
    python -m bench.cold_compile resnet50 minilm   other models of the suite

A name with `.pixels` is the model with batch, height and width open, one with `.torch`
is not an ONNX file but a program of `torch.export`, and one with `@other` is compiled
after that one, with the cache that it left. Seconds are those of all threads of a fresh
process around `sr.compile`, with one thread for LLVM and without imports, with
`--rounds 5` medians of as many, in turns.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import static_runtime as sr
from static_runtime.lowering import llvm_to_object

from .document import ROOT
from .fresh import in_a_process, in_a_thread

MODELS = (
    *("densenet121", "densenet121.pixels", "densenet169@densenet121"),
    *("resnet50", "mobilenet_v2", "minilm"),
)

IMPORTS = ROOT / "examples" / "digits" / "digits.onnx"
"""A model that imports what a compilation does."""

OPTIONS = sr.Options(threads=1)


def compiled(path: str) -> dict[str, float]:
    """The seconds of LLVM and of all else, in this process, and LLVM's modules."""
    sr.compile(IMPORTS, options=sr.Options(threads=1, cache=False))
    model = loaded(path) if path.endswith(".pt2") else path
    whole = llvm_to_object.compile_text
    spent: list[float] = []

    def timed(*arguments: Any) -> bytes:
        start = time.thread_time()
        try:
            return whole(*arguments)
        finally:
            spent.append(time.thread_time() - start)

    with patch.object(llvm_to_object, "compile_text", timed):
        start = time.process_time()
        sr.compile(model, options=OPTIONS)
        seconds = time.process_time() - start
    llvm = sum(spent)
    return {"llvm": llvm, "python": seconds - llvm, "modules": len(spent)}


def loaded(path: str) -> Any:
    """The program of `torch.export` in a file, with what compiling one imports."""
    import torch

    small = torch.export.export(torch.nn.Linear(3, 4), (torch.ones(2, 3),))
    sr.compile(small, options=sr.Options(threads=1, cache=False))
    return torch.export.load(path)


def fresh(model: Path, cache: str) -> dict[str, float]:
    """The same in a fresh process with a cache in a folder."""
    return in_a_process(cache, "-m", "bench.cold_compile", "--once", str(model))


def exported(name: str, folder: Path) -> Path:
    """The file of a model of the suite, written unless it is there."""
    from .suite import DEEP, SUITE, export_onnx
    from .suite.open import export_open, with_open_pixels

    model, _, kind = name.partition(".")
    path = folder / f"{name}.{'pt2' if kind == 'torch' else 'onnx'}"
    found = {**SUITE, **DEEP}[model]
    if not path.exists():
        if kind == "torch":
            import torch

            module, inputs = found.make()
            torch.export.save(torch.export.export(module, inputs), path)
        elif kind:
            export_open(with_open_pixels(found.build), path)
        else:
            export_onnx(found, path, dynamic=False)
    return path


def measured(name: str, folder: Path) -> dict[str, float]:
    """One cold compilation of a model, after that of another if its name says so."""
    model, _, first = name.partition("@")
    with TemporaryDirectory() as cache:
        if first:
            fresh(exported(first, folder), cache)
        return fresh(exported(model, folder), cache)


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("models", nargs="*", default=MODELS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--once", help="compile one file, and print its seconds")
    given = parser.parse_args()
    if given.once:
        print(json.dumps(in_a_thread(compiled, given.once)))
        return
    with TemporaryDirectory() as name:
        rounds = [
            {each: measured(each, Path(name)) for each in given.models}
            for _ in range(given.rounds)
        ]
    print("| model | modules | LLVM | Python | both |")
    print("| --- | --- | --- | --- | --- |")
    for each in given.models:
        found = [
            {"both": r["llvm"] + r["python"], **r} for r in (n[each] for n in rounds)
        ]
        llvm, python, both = (
            f"{median(one[part] for one in found):.2f}"
            for part in ("llvm", "python", "both")
        )
        modules = f"{found[0]['modules']:.0f}"
        print(f"| {' | '.join((each, modules, llvm, python, both))} |")


if __name__ == "__main__":
    main()
