"""Each command of `bench/` comes to its end on something tiny; no time is looked at."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import parser
from onnx.backend.test.case.test_case import TestCase

from bench.axes import AXES
from bench.call import CASES
from bench.columns import COLUMNS
from bench.depth import linear
from bench.forests import Forest
from bench.gaps import boxes, cells, convolutions
from bench.gemm import Case
from bench.lookups import LOOKUPS
from bench.moved_factors import scores
from bench.orders import ORDERS
from bench.special_coefficients import FITS
from bench.strides import STRIDES
from bench.transposes import TRANSPOSES
from static_runtime.runtime.planning import PLANNERS

from .commands import ROOT, command_names, run_command
from .test_commands_torch import NEED_TORCH

MODELS = ROOT / "test" / "models" / "onnx"
DIGITS = str(ROOT / "examples" / "digits" / "digits.onnx")
SMALL = str(MODELS / "mlp_small.onnx")
NO_TIME = {"SECONDS": 1e-4, "TURNS": 1}
PLAN = ["--peers", "ours", "--rounds", "1", "--ms", "1"]


def few_cases(kind: str) -> list[TestCase]:
    """A test of ONNX, in the place of all, which take seconds to make."""
    model = parser.parse_model(
        """<ir_version: 10, opset_import: ["" : 20]>
        g (float[2] x) => (float[2] y) {y = Relu(x)}"""
    )
    x = np.array([-1, 1], np.float32)
    data = [([x], [np.maximum(x, 0)])]
    return [TestCase("test_relu", "relu", None, None, model, data, kind, 1e-3, 1e-7)]


COMMANDS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "call": ([], {"CASES": CASES[:1], "BURSTS": 2, "FORK_BURSTS": 2}),
    "depth": (["2"], {"MODELS": {"linear": linear}}),
    "document": (["table.md"], {}),
    "fewer_products": (
        ["--chains", "32,40,5,6", "--turns", "1", "--seconds", "1e-4"],
        {"CONVOLUTIONS": 2},
    ),
    "forests": (
        PLAN,
        {"FORESTS": {"one": Forest(3, 4, 1, 2), "three": Forest(1, 5, 3, 2)}},
    ),
    "gaps": (
        PLAN,
        {
            "GAPS": {
                "convolutions": convolutions((1, 3, 2), 5, 4),
                "cells": cells(2, 4),
                "boxes": boxes(6),
            }
        },
    ),
    "gemm": (
        ["tiny"],
        {"CASES": (Case("tiny", 4, 4, 4),), "SECONDS": 1e-4, "ROUNDS": 1},
    ),
    "growth": ([], {"AXES": {"residual blocks": (AXES["residual blocks"][0], 1)}}),
    "in_place": (["--time", SMALL], NO_TIME),
    "kernels": ([SMALL, "--precision", "bf16"], {"REPEATS": 1}),
    "lookups": (PLAN, {"LOOKUPS": {"rows_64": LOOKUPS["rows_64"]}}),
    "math_coefficients": (["exp2", "f32"], {}),
    "networks": ([], {}),
    "onnx_nodes": (["--only", "relu"], {"load_model_tests": few_cases}),
    "op_order": (["--time", SMALL], {}),
    "orders": (PLAN, {"ORDERS": dict([*ORDERS.items()][:1])}),
    "planners": ([], {"PLANNERS": dict([*PLANNERS.items()][:1])}),
    "precision": ([DIGITS], NO_TIME),
    "profiler": (["2"], {"LAYERS": 2}),
    "scoring": (["--engine", "parquet", "--rows", "1000"], {}),
    "table": (["results.json"], {}),
    "special_coefficients": ([], {"FITS": FITS[:1]}),
    "moved_factors": (PLAN, {"PRODUCTS": {"token": scores(1, 8, 2, 16)}}),
    "columns": (PLAN, {"COLUMNS": {"softmax_of_10": COLUMNS["softmax_of_10"]}}),
    "strides": (PLAN, {"STRIDES": {"sum_of_3": STRIDES["sum_of_3"]}}),
    "suite_counts": ([], {}),
    "transposes": (PLAN, {"TRANSPOSES": {"keys": TRANSPOSES["keys"]}}),
    "tuning": ([SMALL], {"ROUNDS": 2, "BURST": 1e-4}),
}
"""The arguments of each command, and what makes it tiny."""


@pytest.mark.sampled(every=6, start=4)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_comes_to_its_end(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
):
    if name == "scoring":
        pytest.importorskip("pyarrow")
        monkeypatch.setenv("PYTHONPATH", "")
    text = "<!-- begin: python -c 'print(1)' -->\n\n<!-- end -->\n"
    (tmp_path / "table.md").write_text(text)
    run_command(name, *COMMANDS[name], monkeypatch, tmp_path)
    assert capsys.readouterr().out


def test_every_command_is_run():
    assert command_names() == {*COMMANDS, *NEED_TORCH, "worker"}  # a part of others


def test_every_command_that_a_document_names_is_one():
    documents = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), ROOT / "Makefile"]
    texts = " ".join(" ".join(each.read_text().split()) for each in documents)
    named = {*re.findall(r"python -m bench\.(\w+)", texts)}
    assert named
    assert named <= command_names()
