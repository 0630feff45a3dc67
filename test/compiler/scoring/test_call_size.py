from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import static_runtime as sr
from static_runtime.compiler.scoring import call_size
from static_runtime.compiler.scoring.call_size import rows_of_call
from static_runtime.compiler.scoring.scorer import scorer_of

from ...house import ROOT

DIGITS = ROOT / "examples" / "digits" / "digits.onnx"


@dataclass(frozen=True)
class Machine:
    """A machine whose caches alone matter, in KiB."""

    caches: tuple[int | None, int | None]


@pytest.fixture(scope="module")
def digits() -> sr.StaticModule:
    """A model of images with 14 KiB of activations for each, and 63 of constants."""
    return sr.compile(DIGITS, options=sr.Options(threads=1))


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """Each test describes another machine, so none may have answers of the others."""
    rows_of_call.cache_clear()
    yield
    rows_of_call.cache_clear()


def second_cache(monkeypatch: pytest.MonkeyPatch, size: int | None) -> None:
    """Gives the machine a second cache of this size, in KiB."""
    monkeypatch.setattr(call_size, "get_host", lambda: Machine((32, size)))


@pytest.mark.parametrize("size", [256, 1024, None])
def test_activations_stay_in_the_second_cache(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch, size: int | None
):
    second_cache(monkeypatch, size)
    rows = rows_of_call(digits, 4096)
    bytes = (size or 1024) << 10
    assert digits.memory_report(batch=rows).activations <= bytes
    assert digits.memory_report(batch=2 * rows).activations > bytes


def test_all_rows_are_in_one_call_where_they_fit(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch
):
    second_cache(monkeypatch, 1 << 20)
    assert rows_of_call(digits, 4096) == 4096


def test_activations_have_as_many_bytes_as_the_constants_that_a_call_reads(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch
):
    second_cache(monkeypatch, 1)
    rows = rows_of_call(digits, 4096)
    memory = digits.memory_report(batch=rows)
    assert memory.activations <= memory.constants
    assert digits.memory_report(batch=2 * rows).activations > memory.constants


def test_a_call_has_a_row_at_least(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch
):
    second_cache(monkeypatch, 1)
    assert rows_of_call(digits, 1) == 1


def test_a_module_that_runs_references_computes_all_rows_at_once():
    options = sr.Options(enable_out_variant=False, optimize_memory=False)
    module = sr.compile(DIGITS, options=options)
    assert rows_of_call(module, 100) == 100
    x = np.random.default_rng(7).random((3, 1, 8, 8), np.float32)
    (found,) = scorer_of(module, None, 4096).outputs([x])
    np.testing.assert_array_equal(found, module(x))


def test_a_call_has_no_fewer_rows_than_the_model_takes(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch
):
    report = digits.memory_report

    def of_even_rows(_: object, **sizes: int) -> Any:
        if sizes["batch"] % 2:
            raise ValueError("expected an even number of rows")
        return report(**sizes)

    second_cache(monkeypatch, 1)
    monkeypatch.setattr(type(digits), "memory_report", of_even_rows)
    assert rows_of_call(digits, 2 * 25) == 2 * 25


def test_bits_are_those_of_one_call(
    digits: sr.StaticModule, monkeypatch: pytest.MonkeyPatch
):
    second_cache(monkeypatch, 256)
    x = np.random.default_rng(7).random((100, 1, 8, 8), np.float32)
    (found,) = scorer_of(digits, None, 4096).outputs([x])
    np.testing.assert_array_equal(found, digits(x))
