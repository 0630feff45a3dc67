"""Of several targets the greatest is taken that a machine can run."""

from __future__ import annotations

import pytest

from static_runtime.runtime.library.standalone import chosen
from static_runtime.runtime.machine.host import TARGETS, lacking

from ...hosts import HOSTS

GREATEST = {
    "no-avx": "x86-64-v2",
    "haswell": "x86-64-v3",
    "zen-3": "x86-64-v3",
    "skylake-sp": "x86-64-v4",
    "zen-4": "cooperlake",
    "sapphire-rapids": "sapphirerapids",
    "neoverse-n1": "aarch64",
}


@pytest.mark.parametrize("name", GREATEST)
def test_the_greatest_of_all_targets(name: str):
    assert chosen([*reversed(TARGETS)], HOSTS[name]) == GREATEST[name]


@pytest.mark.parametrize("name", GREATEST)
def test_the_least_where_no_other_runs(name: str):
    least = "aarch64" if name == "neoverse-n1" else "x86-64"
    others = {*TARGETS} - {GREATEST[name]}
    few = [each for each in others if each == least or lacking(each, HOSTS[name])]
    assert chosen([*few, least], HOSTS[name]) == least


def test_a_machine_that_runs_none_is_told_what_it_needs():
    with pytest.raises(ValueError, match=r"expected a machine that runs x86-64-v4"):
        chosen(["x86-64-v4"], HOSTS["haswell"])
    with pytest.raises(ValueError, match="another machine than aarch64"):
        chosen(["x86-64", "x86-64-v3"], HOSTS["neoverse-n1"])
