"""Code is written first and run later, and its memory is given back."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest

from static_runtime.runtime.elf import ObjectError, link_image
from static_runtime.runtime.elf import executable_memory as memory
from static_runtime.runtime.elf.executable_memory import Memory, rounded

from ..resident import growth
from .objects import CALLED, compiled

MAPS = Path("/proc/self/maps")

PAGES = 64


def allowed(address: int) -> str:
    """What the system lets this process do with an address."""
    for line in MAPS.read_text().splitlines():
        span, rights, *_ = line.split()
        start, _, end = span.partition("-")
        if int(start, 16) <= address < int(end, 16):
            return rights
    return "none"


@pytest.mark.skipif(not MAPS.exists(), reason="Linux tells it in this file")
def test_no_page_can_be_written_and_run():
    size = rounded(1)
    made = Memory(2 * size)
    assert allowed(made.address) == "rw-p"
    made.fill(bytearray(2 * size), size)
    assert allowed(made.address) == "r-xp"
    assert allowed(made.address + size) == "r--p"


def test_what_is_filled_in_is_there():
    size = 2 * rounded(1)
    data = bytearray(at % 251 for at in range(size))
    made = Memory(size)
    made.fill(data, rounded(1))
    assert ctypes.string_at(made.address, size) == bytes(data)


def test_memory_is_given_back_with_what_held_it():
    code = [compiled(CALLED)]
    assert growth(20, lambda: link_image(code, ["twice"], {})) < 1e3


def test_a_system_that_refuses_is_said_to(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(memory, "_EXECUTED", -1)
    with pytest.raises(ObjectError, match="allow this process to execute"):
        Memory(rounded(1)).fill(bytearray(rounded(1)), rounded(1))
