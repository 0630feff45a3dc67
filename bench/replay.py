"""
Trace a model, build the library of what was traced, and replay the model over it.

    python -m bench.replay                     the models of the suite
    python -m bench.replay light/*.onnx        those of some files

Printed are what was selected, whether the bits are those of the compiled model, and of
how many lines of the selection each was needed: without it a load or a run ends with a
message that names it. It fails where bits differ or a line was not needed.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from platform import machine
from typing import Any, cast

import numpy as np

import static_runtime as sr
from static_runtime.compiler.ir.target import isa_name
from static_runtime.compiler.library.data_model import GenericModel, make_data_model
from static_runtime.compiler.library.kernels import build_library, covered
from static_runtime.compiler.runtime_folder import interpreter_object
from static_runtime.runtime import call
from static_runtime.runtime.library.data_model import DataModel
from static_runtime.runtime.library.kernel_library import KernelLibrary
from static_runtime.runtime.library.not_selected import NotSelectedError
from static_runtime.runtime.library.selection import Selection

from .selection_lines import without_one
from .suite import SUITE, export_onnx
from .turns import inputs_of

OPTIONS = sr.Options(threads=1, cache=False)


def module_of(model: GenericModel, whole: KernelLibrary, made: Selection) -> Any:
    """A model over the part of a library that a selection has."""
    kernels = covered([model], made)
    objects = {name: whole.objects[name] for name in kernels}
    library = replace(whole, selection=made, objects=objects)
    data, known = DataModel.of(model.artifact), model.artifact
    return call.module_of(
        *(
            known.program,
            data.link(library, interpreter_object(machine())),
            known.block,
            (),
            1,
        ),
        data.plans,
    )


def told(model: GenericModel, whole: KernelLibrary, made: Selection, x: Any) -> str:
    """What is said where something is missing; nothing where nothing is."""
    try:
        module_of(model, whole, made)(**x)
    except NotSelectedError as error:
        return str(error)
    return ""


def check(path: Path, target: str) -> tuple[str, bool]:
    """A line of the table, and whether all is as it should be."""
    with sr.trace() as trace:
        known = sr.compile(path, target=target, options=OPTIONS)
        names, arrays = known.input_names, inputs_of(known)
        x: Mapping[str, Any] = dict(zip(names, arrays, strict=True))
        wanted = known(**x)
    selection = trace.selection
    model = make_data_model(path, OPTIONS)
    library = build_library(covered([model], selection), selection, target)
    is_same = as_bytes(module_of(model, library, selection)(**x)) == as_bytes(wanted)
    lines = [*without_one(selection)]
    needed = sum(name in told(model, library, less, x) for name, less in lines)
    bits = "equal" if is_same else "DIFFER"
    text = f"{len(selection.operators):9} {len(library.objects):7} {bits:>6}"
    return f"{text} {needed:5} of {len(lines)}", is_same and needed == len(lines)


def as_bytes(answer: Any) -> list[bytes]:
    """The bytes of each output."""
    several = cast(tuple[Any, ...], answer if isinstance(answer, tuple) else (answer,))
    return [np.asarray(each).tobytes() for each in several]


def main() -> None:
    """Prints a line for each model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    arguments = parser.parse_args()
    target = isa_name("host")
    print(f"{target}\n{'model':20} operators kernels   bits lines")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        suite = [Path(folder) / f"{name}.onnx" for name in SUITE]
        files: list[Path] = arguments.files or suite
        for path in files:
            if not path.exists():
                export_onnx(SUITE[path.stem], path, dynamic=False)
            text, is_good = check(path, target)
            good &= is_good
            print(f"{path.stem:20} {text}", flush=True)
    sys.exit(not good)


if __name__ == "__main__":
    main()
