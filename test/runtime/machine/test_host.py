"""This machine is asked by one function, which answers where the system does not."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from llvmlite import binding

from static_runtime.runtime.machine import host
from static_runtime.runtime.machine.host import (
    TARGETS,
    BareMachine,
    ThisMachine,
    enabled,
    quota,
    read_caches,
)
from static_runtime.runtime.machine.thread_pool import usable_threads

from ...hosts import HOSTS

SPR = "avx512f avx512bf16 amx-bf16 amx-int8 amx-tile"
MATRICES = {"amx-bf16", "amx-int8", "amx-tile"}


def test_this_machine_is_what_llvm_says():
    machine = ThisMachine()
    assert machine.triple == binding.get_process_triple()
    assert machine.cpu == binding.get_host_cpu_name()
    known = binding.get_host_cpu_features()
    assert enabled(machine) | MATRICES == {each for each in known if known[each]} | (
        MATRICES
    )


@pytest.mark.parametrize("grants", [False, True])
def test_amx_is_a_feature_where_the_system_grants_it(
    monkeypatch: pytest.MonkeyPatch, grants: bool
):
    known = binding.FeatureMap({each: True for each in SPR.split()})
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: known)
    monkeypatch.setattr(host, "grants_matrices", lambda: grants)
    assert enabled(ThisMachine()) & MATRICES == (MATRICES if grants else set())
    assert "avx512bf16" in enabled(ThisMachine())


def test_amx_is_not_asked_for_where_there_is_none(monkeypatch: pytest.MonkeyPatch):
    def grants_matrices() -> bool:
        raise AssertionError("expected the system not to be asked")

    known = binding.FeatureMap({"avx512f": True, "amx-tile": False})
    monkeypatch.setattr(binding, "get_host_cpu_features", lambda: known)
    monkeypatch.setattr(host, "grants_matrices", grants_matrices)
    assert enabled(ThisMachine()) == {"avx512f"}


def test_llvm_is_asked_once(monkeypatch: pytest.MonkeyPatch):
    machine = ThisMachine()
    facts = (machine.triple, machine.cpu, machine.features, machine.caches)
    for name in ("get_process_triple", "get_host_cpu_name", "get_host_cpu_features"):
        monkeypatch.delattr(binding, name)
    assert facts == (machine.triple, machine.cpu, machine.features, machine.caches)


@pytest.mark.parametrize(
    ("cores", "quota", "threads"),
    [({0}, 8, 1), ({3, 5}, 8, 2), (set(range(16)), 99, 16), (set(range(16)), 3, 3)],
)
def test_there_are_no_more_threads_than_cores_of_the_process(
    monkeypatch: pytest.MonkeyPatch, cores: set[int], quota: int, threads: int
):
    def affinity(process: int) -> set[int]:
        assert process == 0, "the process that asks"
        return cores

    monkeypatch.setattr(os, "sched_getaffinity", affinity, raising=False)
    monkeypatch.setattr(host, "quota", lambda: quota)
    assert ThisMachine().threads == threads


@pytest.mark.parametrize("count", [None, 1, 6])
def test_cores_are_counted_where_there_is_no_affinity(
    monkeypatch: pytest.MonkeyPatch, count: int | None
):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    monkeypatch.setattr(host, "quota", lambda: sys.maxsize)
    assert ThisMachine().threads == (count or 1)


@pytest.mark.parametrize(
    ("text", "cores"),
    [
        ("max 100000\n", sys.maxsize),
        ("200000 100000\n", 2),
        ("150000 100000\n", 2),
        ("1000 100000\n", 1),
        ("1000 0\n", sys.maxsize),
        ("", sys.maxsize),
        (None, sys.maxsize),
    ],
)
def test_a_quota_is_in_whole_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, cores: int
):
    if text is not None:
        (tmp_path / "cpu.max").write_text(text)
    monkeypatch.setattr(host, "QUOTA_FILE", tmp_path / "cpu.max")
    assert quota() == cores


def cache_file(folder: Path, index: int, level: str, kind: str, size: str) -> None:
    """Writes what Linux says of a cache."""
    place = folder / f"index{index}"
    place.mkdir()
    for name, text in (("level", level), ("type", kind), ("size", size)):
        (place / name).write_text(text + "\n")


def test_caches_are_those_of_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(host, "CACHE_FILES", tmp_path)
    cache_file(tmp_path, 0, "1", "Data", "48K")
    cache_file(tmp_path, 1, "1", "Instruction", "64K")
    cache_file(tmp_path, 2, "2", "Unified", "2048K")
    cache_file(tmp_path, 3, "3", "Unified", "32768K")
    assert read_caches() == ThisMachine().caches == (48, 2048)


def test_caches_that_nothing_is_said_of_are_unknown(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    monkeypatch.setattr(host, "CACHE_FILES", tmp_path / "none")
    assert read_caches() == (None, None)
    monkeypatch.setattr(host, "CACHE_FILES", tmp_path)
    (tmp_path / "index0").mkdir()
    cache_file(tmp_path, 1, "1", "Data", "")
    cache_file(tmp_path, 2, "2", "Unified", "0K")
    assert read_caches() == (None, None)
    cache_file(tmp_path, 3, "2", "Unified", "512K")
    assert read_caches() == (None, 512)


@pytest.mark.parametrize("name", HOSTS)
def test_a_description_answers_in_place_of_the_machine(
    monkeypatch: pytest.MonkeyPatch, name: str
):
    monkeypatch.setattr(host, "MACHINE", HOSTS[name])
    assert host.get_host() == HOSTS[name]
    assert usable_threads() == HOSTS[name].threads


def test_llvm_knows_every_feature_of_a_description(capfd: pytest.CaptureFixture[str]):
    binding.initialize_all_targets()
    binding.initialize_all_asmprinters()
    for each in HOSTS.values():
        target = binding.Target.from_triple(each.triple)
        for features, known in ((each.features, True), ("+none-such", False)):
            machine = target.create_target_machine(cpu=each.cpu, features=features)
            machine.emit_assembly(binding.parse_assembly(""))
            assert ("not a recognized" not in capfd.readouterr().err) is known


NAMED = {each for text in TARGETS.values() for each in text.split()}

LINUX = {
    "no-avx": "fpu sse sse2 pni ssse3 cx16 sse4_1 sse4_2 popcnt lahf_lm",
    "haswell": "sse2 pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt avx f16c abm bmi1 "
    "avx2 bmi2 erms",
    "skylake-sp": "sse2 pni ssse3 fma cx16 sse4_1 sse4_2 movbe popcnt avx f16c abm "
    "bmi1 avx2 bmi2 avx512f avx512dq avx512cd avx512bw avx512vl pku",
}
"""What Linux says of cores of described machines."""


@pytest.mark.parametrize("name", LINUX)
def test_linux_says_what_llvm_would(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    text = f"processor : 0\nflags\t\t: {LINUX[name]}\nbugs\t: x\n\n"
    (tmp_path / "cpuinfo").write_text(text * 2)
    monkeypatch.setattr(host, "CPU_FILE", tmp_path / "cpuinfo")
    assert enabled(BareMachine()) == enabled(HOSTS[name]) & NAMED


@pytest.mark.skipif(not host.CPU_FILE.exists(), reason="Linux tells it in this file")
def test_this_machine_is_the_same_without_llvm():
    machine = BareMachine()
    assert enabled(machine) == enabled(ThisMachine()) & NAMED
    assert machine.triple.split("-")[0] == ThisMachine().triple.split("-")[0]


def test_of_cores_that_differ_what_all_have_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "cpuinfo").write_text("flags : avx avx2 fma\nflags : avx fma\n")
    monkeypatch.setattr(host, "CPU_FILE", tmp_path / "cpuinfo")
    assert enabled(BareMachine()) == {"avx", "fma"}


def test_a_machine_that_says_nothing_has_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(host, "CPU_FILE", tmp_path / "none")
    assert not enabled(BareMachine())


@pytest.mark.parametrize("grants", [False, True])
def test_linux_has_to_grant_amx_without_llvm_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, grants: bool
):
    (tmp_path / "cpuinfo").write_text(
        "flags : amx_bf16 amx_int8 amx_tile avx512_bf16\n"
    )
    monkeypatch.setattr(host, "CPU_FILE", tmp_path / "cpuinfo")
    monkeypatch.setattr(host, "grants_matrices", lambda: grants)
    expected = MATRICES if grants else set[str]()
    assert enabled(BareMachine()) == {"avx512bf16"} | expected
