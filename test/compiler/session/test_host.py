"""A target is refused on a machine that cannot run its code."""

from __future__ import annotations

import pytest
from llvmlite import binding

from static_runtime.compiler.ir.target import TARGETS, find_target
from static_runtime.compiler.session.errors import CompileError
from static_runtime.compiler.session.host import (
    check_runs_here,
    host_text,
    machine_text,
)
from static_runtime.dialects.loop.target import CACHES
from static_runtime.lowering.llvm_to_object import machine_of
from static_runtime.runtime.machine import host
from static_runtime.runtime.machine.host import TARGETS as FEATURES
from static_runtime.runtime.machine.host import V2, V3

from ...hosts import HOSTS, Description, text_of

MACHINES = HOSTS | {"this machine": host.ThisMachine()}


def pretend(
    monkeypatch: pytest.MonkeyPatch, features: str, machine: str = "x86_64"
) -> None:
    """Makes a machine with these features the host."""
    triple = f"{machine}-unknown-linux-gnu"
    made = Description("generic", text_of(features, ""), CACHES, triple=triple)
    monkeypatch.setattr(host, "MACHINE", made)


def test_knows_every_target():
    assert FEATURES.keys() == TARGETS.keys()


@pytest.mark.parametrize(
    ("machine", "features", "target"),
    [
        ("x86_64", "", "x86-64"),
        ("x86_64", V2, "x86-64-v2"),
        ("x86_64", V3, "x86-64-v3"),
        ("x86_64", FEATURES["x86-64-v4"], "x86-64-v4"),
        ("x86_64", FEATURES["x86-64-v4"], "x86-64"),
        ("x86_64", FEATURES["cooperlake"], "cooperlake"),
        ("x86_64", FEATURES["sapphirerapids"], "sapphirerapids"),
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
        ("x86_64", FEATURES["x86-64-v4"], "cooperlake", "avx512bf16, avx512vnni"),
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


@pytest.mark.parametrize("name", MACHINES)
def test_the_host_is_a_target_on_every_machine(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    machine = MACHINES[name]
    monkeypatch.setattr(host, "MACHINE", machine)
    check_runs_here("host")
    target = find_target("host")
    assert target.features.data == machine.features
    assert (target.l1.data, target.l2.data) == tuple(
        known or usual for known, usual in zip(machine.caches, CACHES, strict=True)
    )
    assert machine_of(target).triple.split("-")[0] == machine.triple.split("-")[0]
    assert machine.triple in host_text()
    assert machine_text() == f"{machine.cpu} {host_text()}"


RUN = {
    "no-avx": ["x86-64", "x86-64-v2"],
    "haswell": ["x86-64", "x86-64-v2", "x86-64-v3"],
    "zen-3": ["x86-64", "x86-64-v2", "x86-64-v3"],
    "alder-lake": ["x86-64", "x86-64-v2", "x86-64-v3"],
    "skylake-sp": ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"],
    "zen-4": ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "cooperlake"],
    "sapphire-rapids": [each for each in TARGETS if each != "aarch64"],
    "neoverse-n1": ["aarch64"],
    "neoverse-v1": ["aarch64"],
}
"""The targets whose code runs on a described machine."""


@pytest.mark.parametrize("name", RUN)
def test_a_machine_runs_what_it_has_the_features_for(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setattr(host, "MACHINE", HOSTS[name])
    found: list[str] = []
    for each in TARGETS:
        try:
            check_runs_here(each)
        except CompileError:
            continue
        found.append(each)
    assert found == RUN[name]


def test_code_for_machines_that_differ_is_kept_apart(monkeypatch: pytest.MonkeyPatch):
    texts: dict[str, str] = {}
    for name, machine in HOSTS.items():
        monkeypatch.setattr(host, "MACHINE", machine)
        texts[name] = host_text()
        assert host_text() == texts[name]
    # Bits do not depend on the number of cores.
    assert texts.pop("one-core") == texts.pop("sixteen-cores") == texts["haswell"]
    assert len(set(texts.values())) == len(texts)


def test_another_machine_is_no_host(monkeypatch: pytest.MonkeyPatch):
    pretend(monkeypatch, "", "riscv64")
    with pytest.raises(CompileError, match="host of x86-64 or AArch64, got riscv64-"):
        find_target("host")


def test_the_host_multiplies_by_the_instructions_that_it_has(
    monkeypatch: pytest.MonkeyPatch,
):
    for features, isas in (
        (FEATURES["cooperlake"], ["avx512_bf16", "avx512_vnni"]),
        (FEATURES["sapphirerapids"], ["amx", "amx_int8"]),
        (FEATURES["x86-64-v4"], ["x86_pairs"]),
        # Without vectors of 512 bits they are not used.
        (f"{V3} avx512bf16", ["x86_pairs"]),
        (f"{V3} avxvnni", ["avx_vnni"]),
    ):
        pretend(monkeypatch, features)
        assert [each.data for each in find_target("host").isas] == isas


def test_amx_is_not_used_where_the_system_does_not_grant_it(
    monkeypatch: pytest.MonkeyPatch,
):
    features = FEATURES["sapphirerapids"].split()
    known = binding.FeatureMap(dict.fromkeys(features, True))
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: known)
    triple = "x86_64-unknown-linux-gnu"
    monkeypatch.setattr(binding, "get_process_triple", lambda: triple)
    monkeypatch.setattr(host, "grants_matrices", lambda: False)
    monkeypatch.setattr(host, "MACHINE", host.ThisMachine())
    isas = [each.data for each in find_target("host").isas]
    assert isas == ["avx512_bf16", "avx512_vnni"]
    assert "+amx" not in find_target("host").features.data
    with pytest.raises(CompileError, match="which needs amx-bf16, amx-int8, amx-tile;"):
        check_runs_here("sapphirerapids")
