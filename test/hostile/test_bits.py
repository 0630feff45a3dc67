"""
The same input gives the same bits: in a batch of any size, on any number of threads,
in any context, from a cold and from a warm start, and in another process.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import static_runtime as sr

from ..models.stored import STORED, Array

HERE = Path(__file__).parent
ROWS = 37
"""Of the whole batch: no power of two, and more than one block."""


def inputs_of(name: str, rows: int) -> tuple[Array, ...]:
    """Rows of inputs of a stored model; a smaller batch has the first of them."""
    stored = STORED[name]
    return tuple(
        np.resize(each, (ROWS, *each.shape[1:]))[:rows] for each in stored.inputs
    )


def output(module: Any, inputs: tuple[Array, ...]) -> Array:
    """What a stored model computes, copied."""
    got = module(*(each.copy() for each in inputs))
    return np.array(got)


def module_of(name: str, threads: int | None = None, cache: bool = False) -> Any:
    """A stored model, compiled."""
    options = sr.Options(threads=threads, cache=cache)
    return sr.compile(STORED[name].dynamic, options=options)


@pytest.fixture(scope="module", params=sorted(STORED))
def name(request: pytest.FixtureRequest) -> str:
    """Each model."""
    return request.param


@pytest.fixture(scope="module")
def whole(name: str) -> tuple[Any, Array]:
    """A module, and what it computes of the whole batch."""
    module = module_of(name, 1)
    return module, output(module, inputs_of(name, ROWS))


@pytest.mark.sampled(every=3)
def test_in_a_batch_of_any_size(name: str, whole: tuple[Any, Array]):
    module, expected = whole
    # One model puts the rows of two inputs one after the other.
    parts = len(expected) // ROWS
    for rows in (1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 33, ROWS):
        got = output(module, inputs_of(name, rows))
        for part in range(parts):
            one = got[part * rows : (part + 1) * rows]
            other = expected[part * ROWS : part * ROWS + rows]
            assert one.tobytes() == other.tobytes(), rows


@pytest.mark.sampled(every=6)
def test_on_any_number_of_threads(name: str, whole: tuple[Any, Array]):
    for threads in (2, 3):
        got = output(module_of(name, threads), inputs_of(name, ROWS))
        assert got.tobytes() == whole[1].tobytes()


@pytest.mark.sampled(every=3)
def test_in_any_context(name: str, whole: tuple[Any, Array]):
    module, expected = whole
    inputs = inputs_of(name, ROWS)
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(output, module, inputs) for _ in range(40)]
        results = [each.result() for each in running]
    assert {each.tobytes() for each in results} == {expected.tobytes()}
    held = np.empty_like(expected)
    assert module(*inputs, out=held).tobytes() == expected.tobytes()


@pytest.mark.sampled(every=3)
def test_from_any_arrangement(name: str, whole: tuple[Any, Array]):
    module, expected = whole
    arrange: Mapping[str, Callable[[Array], Any]] = {
        "list": lambda x: x.tolist(),
        "columns first": np.asfortranarray,
        "big endian": lambda x: x.astype(">f4"),
        "backwards": lambda x: x[::-1].copy()[::-1],
    }
    for made in arrange.values():
        got = module(*map(made, inputs_of(name, ROWS)))
        assert got.tobytes() == expected.tobytes()


def digests() -> str:
    """A hash of what every stored model computes, compiled as a user would."""
    lines: list[str] = []
    for name in sorted(STORED):
        module = module_of(name, cache=True)
        data = output(module, inputs_of(name, ROWS)).tobytes()
        lines.append(f"{name} {module.report.warm} {hashlib.sha256(data).hexdigest()}")
    return "\n".join(lines)


@pytest.mark.full(beside="compiler/test_recipe.py::test_a_new_process_runs_no_pass")
def test_from_a_cold_and_a_warm_start_in_other_processes(tmp_path: Path):
    expected = {
        name: hashlib.sha256(
            output(module_of(name), inputs_of(name, ROWS)).tobytes()
        ).hexdigest()
        for name in STORED
    }
    for warm in ("False", "True"):
        done = subprocess.run(
            [sys.executable, str(HERE), "--bits"],
            capture_output=True,
            text=True,
            env={**os.environ, "STATIC_RUNTIME_CACHE": str(tmp_path / "cache")},
            check=True,
        )
        told = dict[str, str]()
        for line in done.stdout.splitlines():
            name, was_warm, digest = line.split()
            assert was_warm == warm
            told[name] = digest
        assert told == expected
