"""A target is refused on a machine that cannot run its code."""

from __future__ import annotations

import pytest
from llvmlite import binding

from static_runtime.compiler import host
from static_runtime.compiler.errors import CompileError
from static_runtime.compiler.host import NEEDED, V2, V3, check_runs_here, host_text
from static_runtime.compiler.target import TARGETS, find_target


def pretend(
    monkeypatch: pytest.MonkeyPatch, features: str, machine: str = "x86_64"
) -> None:
    """Makes this a machine with these features."""
    known = binding.FeatureMap({each: True for each in features.split()})
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: known)
    triple = f"{machine}-unknown-linux-gnu"
    monkeypatch.setattr(binding, "get_process_triple", lambda: triple)
    monkeypatch.setattr(host, "grants_matrices", lambda: True)


def test_knows_every_target():
    assert NEEDED.keys() == TARGETS.keys()


@pytest.mark.parametrize(
    ("machine", "features", "target"),
    [
        ("x86_64", "", "x86-64"),
        ("x86_64", V2, "x86-64-v2"),
        ("x86_64", V3, "x86-64-v3"),
        ("x86_64", NEEDED["x86-64-v4"], "x86-64-v4"),
        ("x86_64", NEEDED["x86-64-v4"], "x86-64"),
        ("x86_64", NEEDED["cooperlake"], "cooperlake"),
        ("x86_64", NEEDED["sapphirerapids"], "sapphirerapids"),
        ("aarch64", "", "aarch64"),
        ("x86_64", "", "host"),
        ("aarch64", "", "host"),
    ],
)
def test_a_target_that_runs_here(
    monkeypatch: pytest.MonkeyPatch, machine: str, features: str, target: str
):
    pretend(monkeypatch, features, machine)
    check_runs_here(target)


@pytest.mark.parametrize(
    ("machine", "features", "target", "needs"),
    [
        ("x86_64", "", "x86-64-v2", "cx16, popcnt, sse3, sse4.1, sse4.2, ssse3"),
        ("x86_64", V3.replace(" fma", ""), "x86-64-v3", "fma"),
        (
            "x86_64",
            V3,
            "x86-64-v4",
            "avx512bw, avx512cd, avx512dq, avx512f, avx512vl",
        ),
        ("x86_64", NEEDED["x86-64-v4"], "cooperlake", "avx512bf16, avx512vnni"),
        ("x86_64", V3, "aarch64", "another machine than x86_64"),
        ("aarch64", V3, "x86-64", "another machine than aarch64"),
        ("aarch64", "", "x86-64-v3", "another machine than aarch64"),
    ],
)
def test_a_target_that_does_not(
    monkeypatch: pytest.MonkeyPatch,
    machine: str,
    features: str,
    target: str,
    needs: str,
):
    pretend(monkeypatch, features, machine)
    with pytest.raises(CompileError) as error:
        check_runs_here(target)
    assert str(error.value) == (
        f"expected a target that runs on this machine, got {target}, which needs "
        f"{needs}; leave it out to compile for this machine"
    )


def test_the_text_of_the_host_is_of_one_machine():
    assert host_text() == host_text()
    assert binding.get_process_triple() in host_text()


def test_the_host_multiplies_bf16_where_it_has_the_instructions(
    monkeypatch: pytest.MonkeyPatch,
):
    for features, dots in (
        (NEEDED["cooperlake"], "avx512bf16"),
        (NEEDED["sapphirerapids"], "amx"),
        (NEEDED["x86-64-v4"], ""),
        # Without vectors of 512 bits they are not used.
        (f"{V3} avx512bf16", ""),
    ):
        pretend(monkeypatch, features)
        assert find_target("host").dots.data == dots


def test_amx_is_not_used_where_the_system_does_not_grant_it(
    monkeypatch: pytest.MonkeyPatch,
):
    pretend(monkeypatch, NEEDED["sapphirerapids"])
    monkeypatch.setattr(host, "grants_matrices", lambda: False)
    assert find_target("host").dots.data == "avx512bf16"
    assert "+amx" not in find_target("host").features.data
    with pytest.raises(CompileError, match="which needs amx-bf16, amx-int8, amx-tile;"):
        check_runs_here("sapphirerapids")
