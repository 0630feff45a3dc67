"""
Print a hash of the LLVM text of each model: a change that is to change nothing keeps
them all.

    python -m bench.llvm_text > after.txt; diff before.txt after.txt
    python -m bench.llvm_text --models digits resnet50 --texts build/llvm
    python -m bench.llvm_text --kernels

A kernel's function is named after its text; here kernels are numbered in the order in
which they were lowered, so that names do not count. Nothing is compiled by LLVM,
so every target can be asked for on every machine. With `--kernels` each kernel has a
line, and the program that calls them has none: a change of the program keeps them all.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from static_runtime import Options
from static_runtime.compiler.compile import Compilation
from static_runtime.compiler.driver.driver import Driver
from static_runtime.compiler.ir.context import context
from static_runtime.lowering.host_to_llvm import LlvmProgram, lower_program

ROOT = Path(__file__).parent.parent

SETTINGS = (
    ("x86-64-v3", "f32"),
    ("sapphirerapids", "f32"),
    ("sapphirerapids", "bf16"),
    ("cooperlake", "bf16"),
    ("aarch64", "f32"),
)
"""The targets, each with a precision."""

KERNEL = re.compile("sr_k_[0-9a-f]+")
"""The name of a kernel's function."""


def models(folder: Path, names: list[str]) -> Iterator[tuple[str, Path]]:
    """The models called so, or all: as ONNX files, of any batch and of one."""
    if not names or "digits" in names:
        yield "digits", ROOT / "examples" / "digits" / "digits.onnx"
    from .suite import SUITE, export_onnx

    for name, model in SUITE.items():
        for kind, dynamic in (("open", True), ("static", False)):
            if not names or name in names:
                path = folder / f"{name}.{kind}.onnx"
                export_onnx(model, path, dynamic=dynamic)
                yield f"{name}.{kind}", path
                path.unlink()


def lower(path: Path, target: str, precision: str) -> LlvmProgram:
    """The LLVM modules of a model."""
    options = Options(cache=False, precision=precision)
    compilation = Compilation(path, target=target, options=options)
    ctx = context()
    module = compilation.front_end(compilation.source())(ctx)
    Driver(ctx, options, target, None).run_passes(module)
    return lower_program(module)


def normalised(program: LlvmProgram) -> dict[str, str]:
    """The texts of a program and of its kernels, without the names of these."""
    texts = {f"sr_k_{each.name}": each.text for each in program.kernels}
    numbers = {name: f"kernel_{at}" for at, name in enumerate(texts)}
    parts = {"program": program.main.text}
    parts |= {number: texts[name] for name, number in numbers.items()}
    return {
        part: KERNEL.sub(lambda found: numbers[found[0]], text)
        for part, text in parts.items()
    }


def digest(text: str) -> str:
    """A hash of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def unknown_name(names: list[str]) -> str | None:
    """What is wrong with the first name that no model has; None when all have one."""
    from .suite import SUITE

    known = ("digits", *SUITE)
    wrong = next((each for each in names if each not in known), None)
    return wrong and f"expected one of {', '.join(known)}, got {wrong}"


def main() -> None:
    """Prints a line for each model and setting."""
    parser = argparse.ArgumentParser(description="Print hashes of LLVM text.")
    parser.add_argument("--models", nargs="+", default=[], help="names; else all")
    parser.add_argument(
        "--kernels", action="store_true", help="a line for each kernel, none for models"
    )
    parser.add_argument("--texts", type=Path, help="a folder to write the texts to")
    arguments = parser.parse_args()
    if error := unknown_name(arguments.models):
        parser.error(error)
    with tempfile.TemporaryDirectory() as folder:
        for name, path in models(Path(folder), arguments.models):
            for target, precision in SETTINGS:
                parts = normalised(lower(path, target, precision))
                text = "\n".join(parts.values())
                head = f"{name:24} {target:16} {precision:5}"
                if not arguments.kernels:
                    print(head, digest(text), flush=True)
                for part in [*parts][1:] if arguments.kernels else ():
                    print(f"{head} {part:11} {digest(parts[part])}", flush=True)
                if arguments.texts is not None:
                    arguments.texts.mkdir(parents=True, exist_ok=True)
                    file = arguments.texts / f"{name}.{target}.{precision}.ll"
                    file.write_text(text)


if __name__ == "__main__":
    main()
