"""LLVM IR, bytecode and the oracle do the same: the prelude, plans and runs."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from static_runtime.lowering.host_to_mlir import functions_to_mlir
from static_runtime.runtime.abi import ELSEWHERE

from ..compiler.tracing.models import BRANCH, LOOP, TURN
from ..house import ROOT
from ..models.open_models import BLOCK, CHAIN, GROWN
from ..runtime.reordered_models import COMPUTED, FIXED, beams
from .host_interpreter import Oracle
from .host_programs import (
    FUNCTION,
    PRELUDE,
    STEPS,
    Lowered,
    check_plans,
    check_text,
    lower,
    prelude,
)
from .host_runs import check_runs
from .test_host_to_bytecode import COMPRESS, SCAN, WHILE

pytestmark = pytest.mark.usefixtures("runs_host")

MODELS: dict[str, Any] = {
    "block": BLOCK.model,
    "chain": CHAIN.model,
    "grown": GROWN.model,
    "branch": BRANCH,
    "loop": LOOP,
    "scan": SCAN,
    "while": WHILE,
    "compress": COMPRESS,
    "turn": TURN,
    "beams": beams("i32", "m"),
    "reordered": COMPUTED,
    "fixed": FIXED,
    "digits": ROOT / "examples" / "digits" / "digits.onnx",
}

NAMES = pytest.mark.parametrize("name", MODELS)


def often(some: int) -> pytest.MarkDecorator:
    """How often the oracle is asked: a few times, or as often as the others."""
    every = pytest.param(100, marks=pytest.mark.soak)
    return pytest.mark.parametrize("asked", [some, every])


@cache
def lowered(name: str) -> Lowered:
    """A model up to its host functions."""
    return lower(MODELS[name])


@pytest.mark.full(beside="test_programs_are_planned_alike")
@often(10)
def test_slots_are_planned_alike(asked: int):
    random = np.random.default_rng(0)
    oracle = Oracle(functions_to_mlir(PRELUDE), lambda name, _: 0, {})
    for _ in range(asked):
        count, known = (int(random.integers(1, most)) for most in (21, 4))
        parts = int(random.integers(0, count))
        orders = np.array([random.permutation(count) for _ in range(known)], np.int32)
        firsts = random.integers(0, count, count)
        arguments = np.concatenate(
            [
                [count, known, orders.ctypes.data, parts, 0, 0],
                random.integers(0, 600, count),
                firsts,
                firsts + random.integers(0, 6, count),
                np.zeros(count, np.int64),
                random.permutation(count)[:parts],
                random.integers(ELSEWHERE, count, parts),
                64 * random.integers(0, 5, parts),
            ]
        )
        other = arguments.copy()
        for step in STEPS:
            assert FUNCTION(prelude()[step])(arguments.ctypes.data, 0) == 0
            assert oracle.call(step, other.ctypes.data, 0) == 0
            assert arguments.tolist() == other.tolist()


@pytest.mark.sampled(every=6)
@NAMES
def test_programs_are_printed_and_read(name: str):
    check_text(lowered(name))


@pytest.mark.sampled(every=6)
@NAMES
@often(4)
def test_programs_are_planned_alike(name: str, asked: int):
    refused = check_plans(lowered(name), 100, asked, is_whole=True)
    assert len(refused) > 1 or not lowered(name).program.symbols


@pytest.mark.sampled(every=6)
@NAMES
@often(10)
def test_programs_run_alike(name: str, asked: int):
    assert {0, 1} <= check_runs(lowered(name), 100, asked)
