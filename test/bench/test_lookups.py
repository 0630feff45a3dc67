"""The lookups that are measured are right, and another checkout is a peer."""

from pathlib import Path

import pytest

import static_runtime as sr
from bench.cases import TOLERANCE, Case
from bench.lookups import LOOKUPS
from bench.peers import BEFORE, OURS
from bench.side_by_side import Plan, measure

ROOT = Path(__file__).parents[2]


@pytest.mark.sampled(every=7)
@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup_is_right(name: str, tmp_path: Path):
    case = LOOKUPS[name].case(name, tmp_path)
    got = sr.compile(case.model, options=sr.Options(cache=False))(*case.inputs())
    assert case.error([got]) <= TOLERANCE


@pytest.mark.full(beside="test_a_lookup_is_right")
def test_another_checkout_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(BEFORE, str(ROOT))
    case: Case = LOOKUPS["rows_64"].case("rows_64", tmp_path)
    row = measure(case, 1, Plan((OURS, "before"), rounds=2, milliseconds=2))
    assert row.timings["before"].failure is None
    assert row.timings["before"].is_right
    assert row.ratio is not None
