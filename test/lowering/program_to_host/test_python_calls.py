"""What no model changes of the entry is compiled once, and linked to every program."""

from __future__ import annotations

from pathlib import Path

import pytest

import static_runtime as sr
from static_runtime.compiler.ir.target import find_target
from static_runtime.lowering import llvm_to_object
from static_runtime.lowering.host_to_llvm import SUPPORT
from static_runtime.lowering.llvm_to_object import (
    Machine,
    compile_text,
    kept_object,
    machine_of,
)
from static_runtime.runtime.cache import Cache

RELU = """
func.func @main(%x: tensor<SIZExf32>) -> tensor<SIZExf32> {
  %0 = graph.relu %x : tensor<SIZExf32> -> tensor<SIZExf32>
  func.return %0 : tensor<SIZExf32>
}
"""


@pytest.fixture
def machine() -> Machine:
    """The machine that a compile without a target is for."""
    return machine_of(find_target("host"))


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that LLVM compiles from here on, in a process that has kept none."""
    texts: list[str] = []

    def noted(text: str, machine: Machine) -> bytes:
        texts.append(text)
        return compile_text(text, machine)

    monkeypatch.setattr(llvm_to_object, "_kept", {})
    monkeypatch.setattr(llvm_to_object, "compile_text", noted)
    return texts


def test_programs_share_one_object(compiled: list[str]):
    for size in (5, 6):
        sr.compile(RELU.replace("SIZE", str(size)), options=sr.Options(cache=False))
    assert compiled.count(SUPPORT) == 1
    assert sum("@sr_call(" in each for each in compiled) == 2


def test_another_process_takes_it_from_the_cache(
    compiled: list[str],
    machine: Machine,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    first = kept_object(SUPPORT, machine, Cache(tmp_path))
    monkeypatch.setattr(llvm_to_object, "_kept", {})
    assert kept_object(SUPPORT, machine, Cache(tmp_path)) == first
    assert compiled == [SUPPORT]


def test_another_machine_has_an_object_of_its_own(compiled: list[str]):
    x86, arm = (machine_of(find_target(name)) for name in ("x86-64", "aarch64"))
    assert kept_object(SUPPORT, x86, None) != kept_object(SUPPORT, arm, None)
    assert len(compiled) == 2
