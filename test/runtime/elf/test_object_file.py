"""An object is read, or it is refused with a sentence, whatever is broken in it."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from static_runtime.runtime.elf import ObjectError, read_object
from static_runtime.runtime.elf.linker import Layout

from .objects import CALLED, CALLER, MACHINES, compiled

MUTANTS = 5000
"""For each of two machines."""

GIVEN = {"twice": 0x10000, "memset": 0x20000}

FIELDS = (0, 1, 2, 3, 4, 8, 0x40, 0xFFFF, 2**31, 2**32 - 1, 2**63, 2**64 - 1)
"""Values at the edges of what a field may have."""


def mutated(data: bytes, source: random.Random) -> bytes:
    """An object with a few changes."""
    made = bytearray(data)
    for _ in range(source.choice((1, 1, 1, 2, 5))):
        at = source.randrange(len(made))
        match source.randrange(5):
            case 0:
                made[at] ^= 1 << source.randrange(8)
            case 1:
                made[at] = source.randrange(256)
            case 2:
                size = source.choice((1, 2, 4, 8))
                at -= at % size
                value = source.choice(FIELDS) % (1 << 8 * size)
                made[at : at + size] = value.to_bytes(size, "little")
            case 3:
                other = source.randrange(len(made))
                size = source.choice((8, 24, 64))
                made[at : at + size] = made[other : other + size]
            case _:
                del made[at : at + source.choice((1, 8, 64, len(made)))]
        if not made:
            break
    return bytes(made)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_mutant_is_refused_or_linked(machine: str):
    # It is laid out and relocated, and never mapped to be run.
    source, seen = random.Random(machine), Counter[str]()
    data, longest = compiled(CALLER, machine), 0
    for _ in range(MUTANTS):
        try:
            layout = Layout([read_object(mutated(data, source))], machine)
            longest = max(longest, len(layout.bytes_at(0x7F00_0000_0000, GIVEN)))
            seen["linked"] += 1
        except ObjectError as error:
            text = str(error)
            assert "expected " in text
            assert ", got " in text
            seen[text.partition("expected ")[2][:12]] += 1
    assert seen["linked"] > MUTANTS // 10
    assert len(seen) > 15
    assert longest < 1 << 20


def test_sections_symbols_and_relocations_are_read():
    made = read_object(compiled(CALLER, "x86_64"))
    assert made.machine == "x86_64"
    assert {each.is_code for each in made.sections.values()} == {True, False}
    named = {each.name: each for each in made.symbols}
    assert named["answer"].section is not None
    assert not named["answer"].is_local
    assert named["twice"].section is None
    assert named["table"].is_local
    assert all(".eh_frame" != each.name for each in made.sections.values())


@pytest.mark.parametrize(
    ("definition", "expected"),
    [
        ("@x = global i64 7", "code and constants, got .l?data"),
        ("@x = global i64 0", "code and constants, got .l?bss"),
        ("@x = thread_local global i64 1", "code and constants, got .tdata"),
        ("@x = common global i64 0", "expected x in a section, got 0xfff2"),
    ],
)
def test_data_that_is_written_is_refused(definition: str, expected: str):
    with pytest.raises(ObjectError, match=expected):
        read_object(compiled(f"{definition}\n{CALLED}", "x86_64", "small"))


@pytest.mark.parametrize("size", [0, 1, 63, 64, 200])
def test_a_part_of_an_object_is_refused(size: int):
    with pytest.raises(ObjectError, match="in a file of"):
        read_object(compiled(CALLED)[:size])


def test_a_thousand_sections_of_the_same_bytes_are_refused():
    data = bytearray(compiled(CALLER, "x86_64"))
    table = int.from_bytes(data[40:48], "little")
    count = int.from_bytes(data[60:62], "little")
    headers = [data[table + at * 64 : table + at * 64 + 64] for at in range(count)]
    code = next(each for each in headers if int.from_bytes(each[8:16], "little") & 4)
    code[24:40] = (0).to_bytes(8, "little") + len(data).to_bytes(8, "little")
    data[40:48] = len(data).to_bytes(8, "little")
    data[60:62] = (count + 1000).to_bytes(2, "little")
    data += b"".join([*headers, *[code] * 1000])
    with pytest.raises(ObjectError, match="of its own"):
        read_object(bytes(data))


def test_an_object_of_many_programs_is_read_once():
    data = compiled(CALLER, "x86_64")
    # What links it changes nothing of it, so that all may have the same.
    assert read_object(bytes(bytearray(data))) is read_object(data)
