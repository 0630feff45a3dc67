"""
Run torch-mlir's end-to-end tests by our compiler, and count what became of them.

    python -m bench.torch_mlir SOURCE             all; writes docs/suites/torch_mlir.txt
    python -m bench.torch_mlir SOURCE --open      with open sizes where a test has them
    python -m bench.torch_mlir SOURCE --only conv those with this word, with reasons
    python -m bench.torch_mlir SOURCE --again     those that the list says did not pass

SOURCE is a checkout of https://github.com/llvm/torch-mlir; only its Python files are
read, so neither its compiler nor a package of it is needed. A test is a module and
calls of it. Each call is exported by `torch.export`, as torch-mlir's importer of FX
graphs does it, compiled with every node, and compared by the suite's own comparison.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import sys
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch.utils import _pytree as pytree

import static_runtime as sr

from .conformance.apart import STARTED, outcomes_of
from .conformance.outcome import (
    LISTS,
    Outcome,
    failure,
    read_list,
    refusal,
    short,
    table,
    write_list,
)
from .opinfo import as_tensor, copies, is_tensor

SECONDS = 120.0
"""The time limit of a test."""

OPTIONS = sr.Options(fallback="error", cache=False, threads=1)

PACKAGE = "torch_mlir_e2e_test"

OPTIONAL = ("torchvision", "torchvision.models", "torchvision.ops")
"""A package that a few tests need; the others of their files run without it."""

UNTRIED = Outcome("skipped", "not in the list")
"""What a test is that a list has not."""

UNKNOWN = -1
"""A size that a test does not declare."""


def load(source: Path) -> list[Any]:
    """The tests of a checkout, by their names; raises `FileNotFoundError`."""
    root = source / "projects" / "pt1" / "python"
    suite = root / PACKAGE / "test_suite"
    if not suite.is_dir():
        raise FileNotFoundError(
            f"expected a checkout of torch-mlir, got {source} without "
            f"{suite.relative_to(source)}"
        )
    sys.path.insert(0, str(root))
    # Only the suite's own runner starts processes by it.
    sys.modules.setdefault("multiprocess", multiprocessing)
    if OPTIONAL[0] not in sys.modules and find_spec(OPTIONAL[0]) is None:
        sys.modules.update({name: ModuleType(name) for name in OPTIONAL})
    importlib.import_module(f"{PACKAGE}.test_suite").register_all_tests()
    registry = importlib.import_module(f"{PACKAGE}.registry")
    return sorted(registry.GLOBAL_TEST_REGISTRY, key=lambda each: each.unique_name)


def outcome_of(test: Any, is_open: bool) -> Outcome:
    """What became of a test."""
    framework, reporting = (
        importlib.import_module(f"{PACKAGE}.{each}")
        for each in ("framework", "reporting")
    )
    # Whatever PyTorch raises, there is nothing to compile then.
    try:
        calls = framework.generate_golden_trace(test)
    except Exception as error:
        return Outcome("skipped", short(f"not run: {type(error).__name__}: {error}"))
    context = reporting.ErrorContext.empty()
    for call in calls:
        try:
            program = exported(test.program_factory().eval(), call, is_open)
        except Exception as error:
            return Outcome(
                "skipped", short(f"not exported: {type(error).__name__}: {error}")
            )
        try:
            got = answer(program, call)
        except sr.CompileError as error:
            return refusal(error)
        except Exception as error:
            return failure(error)
        report = reporting.ValueReport(got, call.output, context)
        if report.failed:
            return Outcome("wrong", short(report.error_str()))
    return Outcome("passed")


def exported(module: Any, call: Any, is_open: bool) -> Any:
    """The program of a call of a module."""
    inputs = copies(call.inputs)
    if not is_open:
        return torch.export.export(module, inputs, strict=True)
    names = importlib.import_module(f"{PACKAGE}.annotations")
    name = names.TORCH_MLIR_ARG_ANNOTATIONS_ATTR_NAME
    _, *declared = getattr(module.forward, name)
    shapes = tuple(
        {
            axis: torch.export.Dim.AUTO
            for axis, size in enumerate(each[0])
            if size == UNKNOWN
        }
        for each in declared
    )
    return torch.export.export(module, inputs, dynamic_shapes=shapes, strict=True)


def answer(program: Any, call: Any) -> Any:
    """What a program answers to a call, in the containers and types of PyTorch's."""
    module = sr.compile(program, options=OPTIONS)
    tensors = [
        each for each in pytree.tree_leaves(copies(call.inputs)) if is_tensor(each)
    ]
    wanted, spec = pytree.tree_flatten(call.output)
    # What inputs hold in the end follows the results.
    got = pytree.tree_leaves(module(*tensors))[: len(wanted)]
    found = [
        as_tensor(e) if is_tensor(one) else e
        for one, e in zip(wanted, got, strict=True)
    ]
    return pytree.tree_unflatten(found, spec)


def run(tests: Sequence[Any], is_open: bool, jobs: int) -> dict[str, Outcome]:
    """The outcomes of tests."""
    torch.set_num_threads(1)

    def work(item: int, first: int) -> Iterator[tuple[str, Outcome]]:
        warnings.simplefilter("ignore")
        if first == 0:
            yield tests[item].unique_name, STARTED
            yield tests[item].unique_name, outcome_of(tests[item], is_open)

    names = [each.unique_name for each in tests]
    return dict(outcomes_of(names, work, SECONDS, jobs))


def main() -> None:
    """Runs tests, prints the counts, and writes the list where all were run."""
    parser = argparse.ArgumentParser(description="Run torch-mlir's end-to-end tests.")
    parser.add_argument("source", type=Path, help="a checkout of torch-mlir")
    parser.add_argument("--open", action="store_true", help="sizes that are unknown")
    parser.add_argument("--only", default="", help="a word of the names of tests")
    parser.add_argument("--again", action="store_true", help="what did not pass")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    args = parser.parse_args()
    name = "torch_mlir_open" if args.open else "torch_mlir"
    known = read_list(LISTS / f"{name}.txt")[1] if args.again else {}
    try:
        suite = load(args.source)
    except FileNotFoundError as error:
        parser.error(str(error))
    tests = [
        each
        for each in suite
        if args.only.lower() in each.unique_name.lower()
        and known.get(each.unique_name, UNTRIED).kind != "passed"
    ]
    found = {
        case: replace(each, reason=each.reason.replace(f"{args.source}/", ""))
        for case, each in run(tests, args.open, args.jobs).items()
    }
    if args.only or args.again:
        for case, each in sorted(found.items()):
            print(case, each.kind, each.reason)
    if not args.only:
        about = (
            f"torch-mlir's end-to-end tests, torch {torch.__version__}: "
            f"python -m bench.torch_mlir SOURCE{' --open' if args.open else ''}"
        )
        write_list(name, about, {**known, **found})
    print(table({name: found}))


if __name__ == "__main__":
    main()
