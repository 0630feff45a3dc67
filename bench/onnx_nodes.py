"""
Run ONNX's own tests of single ops by our backend, and count what became of them.

    python -m bench.onnx_nodes             all; writes docs/suites/onnx_nodes.txt
    python -m bench.onnx_nodes --only lrn  those with this word, each with its reason
    python -m bench.onnx_nodes --again     those that the list says did not pass
    python -m bench.onnx_nodes --peer      beside ONNX Runtime

Every node of a case that counts as passed is compiled. A value that an op needs when it
is compiled comes from the inputs of the case.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx.backend.test import BackendTest
from onnx.backend.test.case.test_case import TestCase
from onnx.backend.test.loader import load_model_tests

import static_runtime as sr
from static_runtime.compiler.frontends.onnx.random import HANDLERS

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

NAME = "onnx_nodes"
"""The name of the list."""

SECONDS = 60.0
"""The time limit of a case."""

RANDOM = frozenset({*HANDLERS, "Dropout"})
"""Ops that draw numbers."""

DRAWN = Outcome("skipped", "numbers at random, of a generator that is not defined")
"""What a case is that has the numbers of another generator."""

OPTIONS = sr.Options(bind="first-call", fallback="error", cache=False, threads=1)


def cases_of(word: str = "") -> list[TestCase]:
    """The cases whose names have a word."""
    with warnings.catch_warnings():
        # They are made with numbers that overflow.
        warnings.simplefilter("ignore", RuntimeWarning)
        found = load_model_tests(kind="node")
    return sorted((each for each in found if word in each.name), key=lambda e: e.name)


def array_of(value: Any) -> Any:
    """A value of a case as our backend takes it."""
    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    return value


def draws(case: TestCase) -> bool:
    """Whether a case has numbers at random, which ONNX does not say how to draw."""
    assert case.model is not None
    return any(each.op_type in RANDOM for each in case.model.graph.node)


def ours(case: TestCase) -> Outcome:
    """What our backend makes of a case."""
    assert case.model is not None
    try:
        prepared = sr.onnx_backend.prepare(case.model, options=OPTIONS)
        for inputs, expected in case.data_sets or ():
            got = prepared.run([array_of(each) for each in inputs])
            if (wrong := difference(case, expected, got)) is not None:
                return DRAWN if draws(case) else wrong
    except sr.CompileError as error:
        return refusal(error)
    # Whatever it raises is the outcome.
    except Exception as error:
        return failure(error)
    return Outcome("passed")


def onnx_runtime(case: TestCase) -> Outcome:
    """What ONNX Runtime makes of a case."""
    import onnxruntime as ort

    assert case.model is not None
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    try:
        session = ort.InferenceSession(
            case.model.SerializeToString(), options, ["CPUExecutionProvider"]
        )
    except Exception as error:
        return Outcome("refused", short(error))
    names = [each.name for each in session.get_inputs()]
    try:
        for inputs, expected in case.data_sets or ():
            arrays = [array_of(each) for each in inputs]
            got = session.run(None, dict(zip(names, arrays, strict=True)))
            if (wrong := difference(case, expected, got)) is not None:
                return wrong
    except Exception as error:
        return failure(error)
    return Outcome("passed")


def difference(
    case: TestCase, expected: Sequence[Any], got: Sequence[Any]
) -> Outcome | None:
    """How results differ from those that a case asks for, by ONNX's own comparison."""
    wanted = [array_of(each) for each in expected]
    try:
        BackendTest.assert_similar_outputs(wanted, got, case.rtol, case.atol)
    except AssertionError as error:
        return Outcome("wrong", short(error))
    return None


def main() -> None:
    """Runs the cases, prints the counts, and writes the list where all were run."""
    parser = argparse.ArgumentParser(description="Run ONNX's tests of single ops.")
    parser.add_argument("--only", default="", help="a word of the names of cases")
    parser.add_argument("--again", action="store_true", help="what did not pass")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--peer", action="store_true", help="ONNX Runtime as well")
    args = parser.parse_args()
    cases, before = cases_of(args.only), dict[str, Outcome]()
    if args.again:
        _, listed = read_list(LISTS / f"{NAME}.txt")
        before = {name: e for name, e in listed.items() if e.kind == "passed"}
        cases = [each for each in cases if each.name not in before]
    names = [each.name for each in cases]
    backends = {"ours": ours} | ({"ONNX Runtime": onnx_runtime} if args.peer else {})
    rows: dict[str, dict[str, Outcome]] = {}
    for name, run in backends.items():

        def work(item: int, first: int) -> Iterator[tuple[str, Outcome]]:
            if first == 0:
                yield names[item], STARTED
                with warnings.catch_warnings(), np.errstate(all="ignore"):
                    warnings.simplefilter("ignore")
                    yield names[item], run(cases[item])

        rows[name] = dict(outcomes_of(names, work, SECONDS, args.jobs))
    if args.only:
        for case, each in sorted(rows["ours"].items()):
            print(case, each.kind, each.reason)
    else:
        about = (
            f"ONNX's node tests of onnx {onnx.__version__}: python -m bench.onnx_nodes"
        )
        rows["ours"] |= before
        write_list(NAME, about, rows["ours"])
    print(table(rows))


if __name__ == "__main__":
    main()
